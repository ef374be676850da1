"""One round of a call, with its requests as they stand: when it is over, and with what the call is sent again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from webclient.calls.checkpoint import LinksCheckpoint, RoundCheckpoint
from webclient.domain.model import Era, InputRequest, Json, Reason, ReasonCode, RequestState
from webclient.inbox import result_of
from webclient.support.standard_json import json_equal

MAX_UNANSWERED_ROUNDS = 10
"""Rounds of one call in a row in which the person answered nothing; a server that goes on is in a loop.

Rounds that a person answers have no limit: the person ends them.
"""


class TooManyRoundsError(Exception):
    """The server required another round after `MAX_UNANSWERED_ROUNDS`."""

    reason = Reason.of(ReasonCode.TOO_MANY_ROUNDS, n=MAX_UNANSWERED_ROUNDS)


class OtherEraError(Exception):
    """The server came back in an era that has no rounds: sent again, the call would run from its beginning."""

    def __init__(self, version: str) -> None:
        self.reason = Reason.of(ReasonCode.ROUND_OTHER_ERA, created=Era.ROUNDS, now=version)
        super().__init__(version)


class UnansweredError(Exception):
    """The answer to a request has no form in the protocol, so the call cannot go on (MCP 2026-07-28, Sampling)."""

    def __init__(self, request: InputRequest) -> None:
        declined = request.state is RequestState.DECLINED
        code = ReasonCode.SAMPLING_DECLINED if declined else ReasonCode.SAMPLING_UNANSWERED
        self.reason = Reason.of(code, version=Era.ROUNDS)
        super().__init__(code)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The answers of a round and its `requestState`, with which a call is sent again; both are empty the first time.

    A confidential one may contain secrets, so a checkpoint leaves it out: after a restart the call is sent without it.
    """

    answers: Json | None = None
    state: str | None = None
    confidential: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Round(ABC):
    """A round that the server requires: its requests by the server's keys; `number` counts from 1.

    `unanswered_before` is how many rounds in a row went before it in which the person answered nothing.
    """

    number: int
    requests: Mapping[str, InputRequest]
    unanswered_before: int = 0

    @property
    @abstractmethod
    def reply(self) -> Reply:
        """What the call is sent again with, once the round is over."""

    @property
    @abstractmethod
    def repeatable(self) -> bool:
        """Whether the reply may be sent twice."""

    @property
    @abstractmethod
    def checkpoint(self) -> RoundCheckpoint | LinksCheckpoint:
        """The data from which the call can resume."""

    @property
    def open(self) -> list[InputRequest]:
        """The requests that may still change: pending ones, and opened links."""
        return [request for request in self.requests.values() if request.pending or request.is_opened]

    @property
    def unanswered_rounds(self) -> int:
        """How many rounds in a row, up to this one, the person has not answered."""
        # A link that was opened in an earlier round is not an answer in this one.
        answered = any(each.round == self.number and each.via is not None for each in self.requests.values())
        return 0 if answered else self.unanswered_before + 1

    def updated(self, newest: Sequence[InputRequest]) -> Self:
        """Return the round with these of its requests in their newest state."""
        by_id = {request.id: request for request in newest}
        return replace(self, requests={key: by_id.get(each.id, each) for key, each in self.requests.items()})

    @property
    def _ids(self) -> dict[str, str]:
        return {key: request.id for key, request in self.requests.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRound(Round):
    """The requests of an `input_required` result (MCP 2026-07-28), with its `requestState` as `state`."""

    state: str | None = None

    @property
    def reply(self) -> Reply:
        """All answers of the round, together with its state."""
        return Reply(
            answers={key: result_of(request) for key, request in self.requests.items()},
            state=self.state,
            confidential=any(request.withheld for request in self.requests.values()),
        )

    @property
    def repeatable(self) -> bool:
        """Whether the reply says that links were opened, and nothing else."""
        return all(request.is_opened for request in self.requests.values())

    @property
    def checkpoint(self) -> RoundCheckpoint:
        """The ids of the requests, and the state."""
        return RoundCheckpoint(
            round=self.number, requests=self._ids, state=self.state, unanswered_before=self.unanswered_before
        )

    @property
    def opened(self) -> list[InputRequest]:
        """The links that the person opened."""
        return [request for request in self.requests.values() if request.is_opened]

    def opened_again(self, entries: Json) -> dict[str, InputRequest]:
        """Return the opened links that `entries`, by the server's keys, ask for again unchanged.

        They are answered without a card. So any difference from what the person saw and agreed to makes a new request:
        its key, its link, its message, any other parameter.
        """
        return {
            key: request
            for key, entry in entries.items()
            if (request := self.requests.get(key)) and request.is_opened and _asks_for(entry, request)
        }

    def again(self, entries: Json, state: str | None) -> InputRound | None:
        """Return the round to poll with if `entries` are opened links again and nothing else."""
        requests = self.opened_again(entries)
        if not requests or len(requests) < len(entries):
            return None
        return replace(self, requests=requests, state=state)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksRound(Round):
    """The links that an error -32042 required; nothing is answered to it, so `reply` is what failed, sent again."""

    error: Json
    sent: Reply = field(default_factory=Reply)

    @property
    def reply(self) -> Reply:
        """What the failed request carried."""
        return self.sent

    @property
    def repeatable(self) -> bool:
        """False: the server may run the call as soon as the links are finished."""
        return False

    @property
    def checkpoint(self) -> LinksCheckpoint:
        """The ids of the links, the error, and what failed unless that is confidential."""
        sent = Reply() if self.sent.confidential else self.sent
        return LinksCheckpoint(
            round=self.number,
            requests=self._ids,
            error=self.error,
            answers=sent.answers,
            state=sent.state,
            unanswered_before=self.unanswered_before,
        )


def unanswerable(requests: Iterable[InputRequest]) -> InputRequest | None:
    """Return a settled request of a round whose answer has no form in the protocol; None if all have one."""
    return next((each for each in requests if not each.pending and result_of(each) is None), None)


def check_answers(requests: Iterable[InputRequest]) -> None:
    """Raise UnansweredError if the call cannot go on, also while other requests are pending."""
    if found := unanswerable(requests):
        raise UnansweredError(found)


def check_era(current: Round | None, version: str | None) -> None:
    """Raise OtherEraError if the answers of the round have no form in this version."""
    if isinstance(current, InputRound) and version and version < Era.ROUNDS:
        raise OtherEraError(version)


def check_rounds(current: Round | None) -> int:
    """Return how many rounds in a row were unanswered, up to the current one. Raises TooManyRoundsError."""
    unanswered = current.unanswered_rounds if current else 0
    if unanswered >= MAX_UNANSWERED_ROUNDS:
        raise TooManyRoundsError
    return unanswered


def round_at(checkpoint: RoundCheckpoint | LinksCheckpoint, found: Sequence[InputRequest]) -> Round | None:
    """Return the round of a checkpoint; `found` are the requests of its call.

    None if not all of its requests are among them: the process was stopped before all were stored.
    """
    by_id = {request.id: request for request in found}
    if not all(request_id in by_id for request_id in checkpoint.requests.values()):
        return None
    requests = {key: by_id[request_id] for key, request_id in checkpoint.requests.items()}
    number, unanswered_before = checkpoint.round, checkpoint.unanswered_before
    match checkpoint:
        case RoundCheckpoint(state=state):
            return InputRound(number=number, requests=requests, state=state, unanswered_before=unanswered_before)
        case LinksCheckpoint(error=error, answers=answers, state=state):
            sent = Reply(answers=answers, state=state)
            return LinksRound(
                number=number, requests=requests, error=error, sent=sent, unanswered_before=unanswered_before
            )


def _asks_for(entry: Json, request: InputRequest) -> bool:
    return entry.get("method") == "elicitation/create" and json_equal(entry.get("params"), request.params)
