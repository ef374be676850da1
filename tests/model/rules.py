"""Rules as pure functions that yield each violation: `always` at every moment, `at_rest` once all is quiet.

A rule that may be broken by a fault holds where there was none since: `Ledger.troubles` counts them for each seat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from itertools import chain

from tests.model.agent_rules import agents_are_served
from tests.model.answer_rules import answers_match
from tests.model.ledger import Given, Ledger
from tests.model.scene import Scene, holds, named
from webclient.domain.model import Action, Call, CallState, Delivery, InputRequest, Origin, ReasonCode, RequestState

_P, _W = RequestState.PENDING, RequestState.WAITING
_AFTER_OPENING = {_W, RequestState.COMPLETED, RequestState.CANCELLED, RequestState.WITHDRAWN, RequestState.INTERRUPTED}

_NEXT: dict[str, Collection[str]] = {
    _P: {state for state in RequestState if state not in (_P, RequestState.COMPLETED, RequestState.REFUSED)},
    # A link that the person opened: it ends there, is given up, or ends with its call.
    _W: _AFTER_OPENING - {_W},
    # A server of 2026-07-28 asks for it again, though the person had said that they had finished.
    RequestState.COMPLETED: {_W},
    CallState.RUNNING: {state for state in CallState if state is not CallState.RUNNING},
    CallState.INPUT_REQUIRED: {state for state in CallState if state is not CallState.INPUT_REQUIRED},
}
"""The states that may follow each state; the others are final."""

_BY_PERSON = {RequestState.ACCEPTED, RequestState.DECLINED, _W, RequestState.COMPLETED}
"""The states that only an answer of the person leads to."""

_AFTER = {
    Action.ACCEPT: RequestState.ACCEPTED,
    Action.DECLINE: RequestState.DECLINED,
    Action.CANCEL: RequestState.CANCELLED,
}


MOST_PENDING = 8
"""Questions of one server that may wait, few enough to be reached."""


def always(scene: Scene) -> Iterator[str]:
    """Yield what is wrong now, at any moment."""
    for rule in _ALWAYS:
        yield from rule(scene)


def at_rest(scene: Scene) -> Iterator[str]:
    """Yield what is wrong if nothing is going on any more; before that it may yet come right."""
    for rule in _AT_REST:
        yield from rule(scene)


def at_the_end(scene: Scene) -> Iterator[str]:
    """Yield what is wrong when all calls were cancelled and all servers disconnected."""
    for request in scene.requests:
        if holds(request):
            yield f"{named(request)} is left without an end"
    for call in scene.calls:
        if not call.state.ended:
            yield f"call {call.id} is left {call.state}"


def _lost(scene: Scene) -> Iterator[str]:
    yield from scene.ledger.lost


def _moves(scene: Scene) -> Iterator[str]:
    for what, id_, old, new in scene.moves:
        if new not in _NEXT.get(old, ()):
            yield f"{what} {id_} moved from {old} to {new}"


def _one_answer(scene: Scene) -> Iterator[str]:
    for request_id, given in scene.ledger.given.items():
        if len(given) > 1:
            yield f"request {request_id} was answered {len(given)} times, and each was accepted as the first: {given}"


def _capped(scene: Scene) -> Iterator[str]:
    pending = Counter(scene.seat(request) for request in scene.requests if request.pending)
    for seat, number in pending.items():
        if number > MOST_PENDING:
            yield f"{number} questions of {seat} are pending, and {MOST_PENDING} may be"


def _states(scene: Scene) -> Iterator[str]:
    for request in scene.requests:
        given = scene.ledger.given.get(request.id)
        if not _fits(request, given[0] if given else None, scene):
            yield f"{named(request)} ({request.reason}) does not fit the person's answer {given}"


def _fits(request: InputRequest, given: Given | None, scene: Scene) -> bool:
    ledger = scene.ledger
    if given is None:
        mine = request.state not in _BY_PERSON or _perhaps_declined(request, ledger)
        if request.state is RequestState.CANCELLED:
            mine = scene.seat(request) in ledger.ever_muted or not ledger.cancelled.isdisjoint(
                {request.call_id, *request.possible_calls}
            )
        return mine and (request.state is not RequestState.EXPIRED or request.id in ledger.expired)
    if request.kind == "url" and given.action is Action.ACCEPT:
        return request.state in _AFTER_OPENING
    return request.state is _AFTER[given.action] and request.content == given.content


def _perhaps_declined(request: InputRequest, ledger: Ledger) -> bool:
    killed_at = ledger.declining.get(request.server_id)
    return request.state is RequestState.DECLINED and killed_at is not None and request.created_at <= killed_at


def _results(scene: Scene) -> Iterator[str]:
    for call in scene.calls:
        if call.state is not CallState.DONE:
            continue
        content = (call.result or {}).get("structuredContent") or {}
        if not scene.testimony[scene.seat(call)].results[content["tag"]]:
            yield f"call {call.id} is done, and its server never ended it"
        for message in content["said"]:
            request = scene.by_message.get(message)
            if request and request.call_id not in (None, call.id):
                yield f"call {call.id} holds the answer to a question of call {request.call_id}"


def _executed_once(scene: Scene) -> Iterator[str]:
    for tag, calls in scene.of_tag.items():
        last_wave = (calls[0].arguments or {})["waves"][-1:]
        executed = scene.testimony[scene.seat(calls[0])].results[tag]
        # A server is asked again about a link that was opened, also if it was about to end the call.
        if executed > len(calls) and "url" not in chain(*last_wave):
            yield f"{tag} was executed {executed} times for {len(calls)} calls"


def _ends(scene: Scene) -> Iterator[str]:
    for call in scene.calls:
        begun = scene.ledger.calls.get(call.id)
        if begun is None:
            continue
        expected = {CallState.RUNNING, CallState.INPUT_REQUIRED}
        if begun.script["end"] in ("result", "abandon"):
            expected |= {CallState.DONE}
        if begun.script["end"] == "error" or begun.script["needs"] or _was_refused(call):
            expected |= {CallState.FAILED}
        if call.id in scene.ledger.cancelled:
            expected |= {CallState.CANCELLED}
        # That a session was forgotten is found by the next call on it, however late that comes.
        if not scene.calm(call) or (begun.seat in scene.ledger.forgotten and call.error and call.error.code == -32600):
            expected |= {CallState.FAILED, CallState.INTERRUPTED}
        if call.state not in expected:
            yield f"call {call.id} at {begun.seat} is {call.state} ({call.error}) by {begun.script}"


def _was_refused(call: Call) -> bool:
    return call.reason_code in (ReasonCode.RATE_LIMIT, ReasonCode.TOO_MANY_PENDING)


def _open_ends(scene: Scene) -> Iterator[str]:
    calls = {call.id: call for call in scene.calls}
    for request in scene.requests:
        call = calls.get(request.call_id or "")
        possible = [call] if call else [calls[call_id] for call_id in request.possible_calls if call_id in calls]
        if possible and holds(request) and all(each.state.ended for each in possible):
            if not _may_outlive(request, possible):
                yield f"{named(request)} is open, and its calls are {[each.state for each in possible]}"
            elif not request.reason:
                yield f"{named(request)} does not say that its call has ended"
        elif request.pending and request.origin is Origin.PUSHED and request.reason:
            yield f"{named(request)} says that its call has ended: {request.reason}"
        if request.delivery is Delivery.SENDING and (request.origin is Origin.PUSHED or not call or call.state.ended):
            yield f"the answer to {named(request)} is on its way for ever"


def _may_outlive(request: InputRequest, calls: Collection[Call]) -> bool:
    """Whether its server may still wait for it, as it has ended one of its calls without waiting."""
    returned = any(call.state in (CallState.DONE, CallState.FAILED) for call in calls)
    return returned and request.pending and request.origin is Origin.PUSHED


def _waiting(scene: Scene) -> Iterator[str]:
    for call in scene.calls:
        holding = [request for request in scene.of_call[call.id] if holds(request)]
        maybe = [request for request in scene.requests if holds(request) and call.id in request.possible_calls]
        if call.state is CallState.INPUT_REQUIRED and not (maybe if call.may_wait else holding):
            yield f"call {call.id} says that it waits, and nothing is open"
        if call.state is CallState.RUNNING and any(request.pending for request in holding):
            yield f"call {call.id} says that it runs, and {named(holding[0])} is pending"


def _stuck(scene: Scene) -> Iterator[str]:
    for call in scene.calls:
        begun = scene.ledger.calls.get(call.id)
        if begun is None or call.state.ended or begun.script["end"] == "silence":
            continue
        without_call = [request for request in scene.of_call[None] if request.server_id == call.server_id]
        if not any(holds(request) for request in [*scene.of_call[call.id], *without_call]):
            yield f"call {call.id} at {begun.seat} does not end, and waits for nothing: {begun.script}"


Rule = Callable[[Scene], Iterator[str]]
_ALWAYS: tuple[Rule, ...] = (_lost, _moves, _one_answer, _capped, _states, _ends)
_AT_REST: tuple[Rule, ...] = (answers_match, agents_are_served, _results, _executed_once, _open_ends, _waiting, _stuck)
