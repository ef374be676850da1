"""The history of a call that a person had to approve: proposed, decided, executed and returned.

Each entry has its time and digest.

Pure functions over the rows of a call and its questions. What is not known is said to be unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from webclient.domain.approvals import APPROVAL, Verb, decision_of, digest_of, proposed, written_digest
from webclient.domain.model import Call, CallState, InputRequest, Json, Reason, now
from webclient.support.standard_json import digest_of_json, json_equal

EXECUTED, RETURNED = "executed", "returned"
"""Keys of `Call.approval`: the time and the digest of an entry, once it has happened."""


class Execution(StrEnum):
    """How far a call that was approved has got."""

    WAITS = "waits"
    RUNS = "runs"
    RAN = "ran"
    """Once, and its result is there."""
    FAILED = "failed"
    """Sent once; its server answered without a result."""
    NOT_RUN = "not_run"
    UNKNOWN = "unknown"
    """Sent once; no answer came."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of an approval: how far its call has got, and why it did not run if it has ended so."""

    execution: Execution
    why_not: Reason | None = None


class Step(StrEnum):
    """An entry of the history."""

    PROPOSED = "proposed"
    DECIDED = "decided"
    EXECUTED = "executed"
    RETURNED = "returned"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """One step, with the digest of what was proposed, decided and executed, or of what was returned.

    `request_id` is the question of a proposal or decision, `verb` what was decided. `edited` are the names of the
    arguments that the person changed.
    """

    step: Step
    at: datetime
    digest: str
    request_id: str = ""
    verb: Verb | None = None
    edited: tuple[str, ...] = ()


def execution_of(call: Call) -> Execution:
    """Return how far a call that was approved has got."""
    approval = call.approval or {}
    if EXECUTED not in approval:
        return Execution.NOT_RUN if call.state.ended else Execution.WAITS
    if not call.state.ended:
        return Execution.RUNS
    if RETURNED not in approval:
        return Execution.UNKNOWN
    ran = call.state is CallState.DONE or (call.error is not None and call.error.ran)
    return Execution.RAN if ran else Execution.FAILED


def effect_of(call: Call, request: InputRequest) -> Effect | None:
    """Return the effect of the approval of a call; None if it was not approved with this question.

    After a question on which another one followed, because the tool has changed, the call did not run.
    """
    decision = decision_of(request)
    if decision is None or decision.verb not in (Verb.APPROVE, Verb.EDIT):
        return None
    by = (call.approval or {}).get("request") or (call.checkpoint or {}).get("request")
    if by not in (None, request.id):
        return Effect(Execution.NOT_RUN)
    execution = execution_of(call)
    return Effect(execution, call.error.reason if call.error and execution is Execution.NOT_RUN else None)


def history_of(call: Call, requests: Sequence[InputRequest]) -> list[HistoryEntry]:
    """Return the entries of a call, in their order; `requests` are its questions, oldest first."""
    found = [entry for request in requests if _is_of(call, request) for entry in _entries_of(request)]
    for key in (EXECUTED, RETURNED):
        if happened := (call.approval or {}).get(key):
            at = datetime.fromisoformat(happened["at"])
            found.append(HistoryEntry(step=Step(key), at=at, digest=happened["digest"]))
    return found


def executed(call: Call) -> Json:
    """Return the approval of a call that is sent now, with its digest."""
    digest = written_digest(digest_of(call.name, call.arguments or {}))
    return {**(call.approval or {}), EXECUTED: _now(digest)}


def not_executed(call: Call) -> Json:
    """Return the approval of a call of which its server has certainly got nothing."""
    return {key: value for key, value in (call.approval or {}).items() if key not in (EXECUTED, RETURNED)}


def returned(call: Call, answer: Any) -> Json:
    """Return the approval of a call whose server has answered."""
    return {**(call.approval or {}), RETURNED: _now(written_digest(digest_of_json(answer)))}


def _now(digest: str) -> Json:
    return {"at": now().isoformat(), "digest": digest}


def _is_of(call: Call, request: InputRequest) -> bool:
    return request.kind == APPROVAL and request.call_id == call.id


def _entries_of(request: InputRequest) -> Iterator[HistoryEntry]:
    digest = written_digest(request.digest)
    yield HistoryEntry(step=Step.PROPOSED, at=request.created_at, digest=digest, request_id=request.id)
    decision = decision_of(request)
    if decision and decision.at:
        yield HistoryEntry(
            step=Step.DECIDED,
            at=decision.at,
            digest=written_digest(decision.digest),
            request_id=request.id,
            verb=decision.verb,
            edited=_edited(request, decision.arguments) if decision.verb is Verb.EDIT else (),
        )


def _edited(request: InputRequest, arguments: Json | None) -> tuple[str, ...]:
    """Return the names of the arguments that were changed, added or left out."""
    before, after = proposed(request)[1], arguments or {}
    names = dict.fromkeys([*before, *after])
    return tuple(name for name in names if not _is_same(name, before, after))


def _is_same(name: str, before: Json, after: Json) -> bool:
    return name in before and name in after and json_equal(before[name], after[name])
