"""Rules of a run of approvals: what the servers ran was approved, ran once, and is what the cards say.

The runs of a tag are read before its rows, so what ran was approved in them.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tests.model.ledger import Ledger
from webclient.domain.approvals import Verb, decision_of
from webclient.domain.executions import Execution, effect_of, execution_of
from webclient.domain.model import Call, InputRequest, Json

MAY_HAVE_RUN = (Execution.RUNS, Execution.FAILED, Execution.UNKNOWN)
"""The words of cards for a call that was sent, and of which they do not say that it ran."""


@dataclass(slots=True)
class ApprovalScene:
    """One moment: the `runs` of all servers by tag, and the calls and questions of each tag."""

    ledger: Ledger
    runs: Mapping[str, Sequence[Json]]
    calls: defaultdict[str, list[Call]] = field(default_factory=lambda: defaultdict(list))
    requests: defaultdict[str, list[InputRequest]] = field(default_factory=lambda: defaultdict(list))

    def add(self, calls: Sequence[Call], requests: Sequence[InputRequest]) -> None:
        """Take in the rows."""
        for call in calls:
            self.calls[(call.arguments or {})["tag"]].append(call)
        for request in requests:
            self.requests[request.params["arguments"]["tag"]].append(request)


def always(scene: ApprovalScene) -> Iterator[str]:
    """Yield what is wrong at any moment: a run that was not approved, with exactly these arguments."""
    for tag, runs in scene.runs.items():
        decisions = [decision_of(request) for request in scene.requests[tag]]
        approved = Counter(
            _written(each.arguments) for each in decisions if each and each.verb in (Verb.APPROVE, Verb.EDIT)
        )
        if beyond := Counter(_written(run["arguments"]) for run in runs) - approved:
            yield f"{tag} ran without an approval: {beyond}, approved {approved}"
    yield from scene.ledger.lost


def at_rest(scene: ApprovalScene) -> Iterator[str]:
    """Yield each tag whose cards, or the result of whose agent, contradict its server."""
    for tag, calls in scene.calls.items():
        runs = Counter(_written(run["arguments"]) for run in scene.runs.get(tag, ()))
        said = Counter(_written(call.arguments) for call in calls if execution_of(call) is Execution.RAN)
        maybe = sum(execution_of(call) in MAY_HAVE_RUN for call in calls)
        if said - runs or (runs - said).total() > maybe:
            shown = [(call.id, execution_of(call), call.arguments) for call in calls]
            yield f"{tag} ran {runs}, and its calls say {shown}"
        yield from _cards(scene, tag, calls)
    for errand in scene.ledger.errands:
        did = ((errand.answer or {}).get("result") or {}).get("structuredContent")
        if did and did["did"] not in [run["arguments"] for run in scene.runs.get(errand.tag, ())]:
            yield f"the agent of {errand.tag} got {did}, which did not run"


def _cards(scene: ApprovalScene, tag: str, calls: Sequence[Call]) -> Iterator[str]:
    """Yield each call whose cards say something else than that one of them let it run, or none."""
    for call in calls:
        own = [request for request in scene.requests[tag] if request.call_id == call.id]
        effects = [effect.execution for request in own if (effect := effect_of(call, request))]
        if execution_of(call) is Execution.RAN and effects.count(Execution.RAN) != 1:
            yield f"call {call.id} of {tag} ran once, and its cards say {effects}"
        if execution_of(call) is Execution.NOT_RUN and any(each is not Execution.NOT_RUN for each in effects):
            yield f"call {call.id} of {tag} did not run, and its cards say {effects}"


def tally(scene: ApprovalScene) -> Mapping[str, int]:
    """Return how often each end was reached, for the report."""
    calls = [call for group in scene.calls.values() for call in group]
    approved = [call for call in calls if call.approval]
    ends: Counter[str] = Counter(f"approved: {execution_of(call)}" for call in approved)
    ends["calls"] = len(calls)
    ends["runs"] = sum(len(runs) for runs in scene.runs.values())
    ends["questions"] = sum(len(group) for group in scene.requests.values())
    for runs in scene.runs.values():
        for run in runs:
            if not _was_shown(scene, run):
                listed = "listed" if run["listed"] == run["version"] else "not listed"
                ends[f"met another version than was shown, which was {listed} before"] += 1
    return ends


def _was_shown(scene: ApprovalScene, run: Json) -> bool:
    """Return whether a card shows the description that the run met; it may change while the call is sent."""
    decided = [request for request in scene.requests[run["arguments"]["tag"]] if decision_of(request)]
    return f"Act, version {run['version']}." in {request.params["tool"].get("description") for request in decided}


def _written(arguments: Json | None) -> str:
    return json.dumps(arguments, sort_keys=True)
