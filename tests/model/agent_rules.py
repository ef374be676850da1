"""Rules for agents: each call of theirs is made once, each question asked once, and each result is its own agent's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.model.ledger import Errand
from tests.model.scene import Scene
from webclient.domain.model import Call, CallState


def agents_are_served(scene: Scene) -> Iterator[str]:
    """Yield each errand that was done twice, is left undone, or got another result."""
    for errand in scene.ledger.errands:
        calls = [call for call in scene.of_tag.get(errand.tag, ()) if call.agent]
        if any(call.agent and call.agent.token_id != errand.agent.id for call in calls):
            yield f"{errand.tag} of {errand.agent.id} was called for another agent"
        if len(calls) > 1 + errand.doubled + _repeated(errand, calls, scene):
            shown = [(call.id, call.state, call.agent) for call in calls]
            yield f"{errand.tag} was called {len(calls)} times: {shown}"
        if errand.answer and not _is_of(errand, calls):
            yield f"{errand.tag} got {errand.answer}, and is {[(call.state, call.result) for call in calls]}"
        if errand.sent and calls and all(call.state.ended for call in calls):
            yield f"{errand.tag} has ended, and its agent waits for it"
        if errand.revoked and not all(call.state.ended for call in calls):
            yield f"{errand.tag} goes on, and its agent is revoked"


def _repeated(errand: Errand, calls: Sequence[Call], scene: Scene) -> int:
    """Return how many of the calls had to be made again: a restart ended them, or the server was away."""
    refused = min(errand.refused, sum(call.state is CallState.FAILED for call in calls))
    if errand.restarts == scene.ledger.restarts:
        return refused
    return refused + sum(call.state is CallState.INTERRUPTED or not scene.of_call.get(call.id) for call in calls)


def _is_of(errand: Errand, calls: Sequence[Call]) -> bool:
    """Whether an agent got what has become of its call."""
    answer = errand.answer or {}
    result = answer.get("result", {})
    if "error" in answer or result.get("isError"):
        return any(call.state is not CallState.DONE for call in calls) or not calls
    said = result.get("structuredContent")
    return any(call.state is CallState.DONE and (call.result or {}).get("structuredContent") == said for call in calls)
