"""Actions of people: they start calls, answer in every way, and look after servers."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from tests import answering
from tests.model.doing import LATE, Doing, tolerant
from tests.model.ledger import Given
from tests.model.world import Seat
from webclient.domain.errors import AlreadySettledError, InvalidAnswerError
from webclient.domain.model import LOCAL_USER, Action, Call, CallKind, InputRequest, Json, now
from webclient.store import StorageError


async def call(do: Doing) -> str:
    """Begin a call."""
    seat = do.seat()
    script = script_for(do, seat)
    server = await do.world.server(seat.name)
    with suppress(*LATE):
        begun = await do.world.services.calls.start(
            LOCAL_USER, server, kind=CallKind.TOOL, name="play", arguments=script
        )
        do.ledger.begin(begun.id, seat.name, script)
        return f"{begun.id} at {seat.name}: {script}"
    return f"nothing: {seat.name} is not connected"


async def retry(do: Doing) -> str:
    """Start over a call that a fault ended."""
    ended = [id_ for id_ in do.world.ids("calls WHERE state = 'interrupted'") if id_ in do.ledger.calls]
    if not ended:
        return "nothing"
    call = await do.world.services.store.of(LOCAL_USER).calls.get(do.random.choice(ended))
    old = do.ledger.calls[call.id]
    with suppress(*LATE):
        begun = await do.world.services.calls.retry(call)
        do.ledger.begin(begun.id, old.seat, old.script)
        return f"{call.id} as {begun.id}"
    return "nothing: it is not connected"


async def answer(do: Doing) -> str:
    """Answer a request in any way."""
    request = await do.pending()
    if request is None:
        return "nothing"
    action, content = _say(do, request)
    do.later(_answer(do, request, action, content))
    return f"{request.params['message']} {action}"


async def answer_twice(do: Doing) -> str:
    """Answer a request from two tabs at the same moment."""
    request = await do.pending()
    if request is None:
        return "nothing"
    said = _say(do, request), _say(do, request)
    for action, content in said:
        do.later(_answer(do, request, action, content))
    return f"{request.params['message']} {said[0][0]} and {said[1][0]}"


async def answer_wrongly(do: Doing) -> str:
    """Answer with what does not fit."""
    request = await do.pending()
    if request is None:
        return "nothing"
    wrong: Json = {"nobody": "asked for this"}
    with suppress(AlreadySettledError, StorageError):
        try:
            await answering.answer(do.world.services.inbox, LOCAL_USER, request.id, Action.ACCEPT, wrong)
        except InvalidAnswerError:
            return str(request.params["message"])
        raise AssertionError(f"{wrong} was taken for {request}")
    return f"{request.params['message']}, too late"


async def answer_late(do: Doing) -> str:
    """Answer what was settled before."""
    request = await do.one_of("state != 'pending'")
    if request is None:
        return "nothing"
    await _answer(do, request, *_say(do, request))
    return str(request.params.get("message"))


async def decline_all(do: Doing) -> str:
    """Decline all requests of a server."""
    seat = do.seat()
    server = await do.world.server(seat.name)

    async def decline() -> None:
        try:
            declined = await do.world.services.inbox.decline_all(LOCAL_USER, server.id)
        except LATE:
            do.ledger.declining[server.id] = now()
            return
        for request in declined:
            do.ledger.given[request.id].append(Given(Action.DECLINE, None))

    do.later(decline())
    return seat.name


async def finish(do: Doing) -> str:
    """Say of an opened link that one has finished."""
    return await _with_link(do, do.world.services.inbox.links.finished)


async def give_up(do: Doing) -> str:
    """Give an opened link up."""
    return await _with_link(do, do.world.services.inbox.links.give_up)


async def cancel(do: Doing) -> str:
    """Cancel a call."""
    ids = do.running_calls()
    if not ids:
        return "nothing"
    call = await do.world.services.store.of(LOCAL_USER).calls.get(do.random.choice(ids))
    do.later(_cancel(do, call))
    return call.id


async def more_time(do: Doing) -> str:
    """Give a request more time."""
    request = await do.pending()
    if request is None:
        return "nothing"
    with suppress(*LATE):
        await do.world.services.inbox.more_time(LOCAL_USER, request.id)
    return str(request.params["message"])


async def mute(do: Doing) -> str:
    """Mute a server."""
    seat = do.seat()
    do.ledger.troubles[seat.name] += 1
    do.ledger.ever_muted.add(seat.name)
    server = await do.world.server(seat.name)
    do.later(tolerant(do.world.services.servers.mute(server)))
    return seat.name


async def unmute(do: Doing) -> str:
    """Let those ask again that were muted."""
    for seat in do.world.seats:
        server = await do.world.server(seat)
        if server.muted_at:
            await do.quiet()
            await do.world.services.servers.unmute(await do.world.server(seat))
            do.ledger.troubles[seat] += 1
    return ""


async def disconnect(do: Doing) -> str:
    """Disconnect a server."""
    seat = do.troubled()
    server = await do.world.server(seat.name)
    do.later(tolerant(do.world.services.connections.disconnect(server)))
    return seat.name


async def connect(do: Doing) -> str:
    """Connect all servers that are not."""
    for seat in do.world.seats:
        do.world.services.connections.connect(await do.world.server(seat))
    return ""


def script_for(do: Doing, seat: Seat) -> Json:
    """Return what a new call at the seat has its server do."""
    waves = [
        [do.random.choice(("form", "form", "url")) for _request in range(do.random.randint(1, 3))]
        for _wave in range(do.random.choice((0, 1, 1, 1, 2)))
    ]
    ends = ["result"] * 7 + ["error", "silence"] + ["abandon"] * 2 * seat.name.endswith("push")
    return {
        "tag": f"t{next(do.tags)}",
        "waves": waves,
        "end": do.random.choice(ends),
        "again": do.random.choice((0, 0, 1, 2)),
        "needs": do.random.choice((0, 0, 0, 0, 0, 1, 1, 2)),
    }


def _say(do: Doing, request: InputRequest) -> tuple[Action, Json | None]:
    action = do.random.choices(tuple(Action), (6, 2, 1))[0]
    filled = action is Action.ACCEPT and request.kind == "form"
    return action, {"name": f"{do.random.randrange(10**6)}"} if filled else None


async def _answer(do: Doing, request: InputRequest, action: Action, content: Json | None) -> None:
    with suppress(*LATE):
        await answering.answer(do.world.services.inbox, LOCAL_USER, request.id, action, content)
        do.ledger.given[request.id].append(Given(action, content))


async def _with_link(do: Doing, act: Callable[[str, str], Coroutine[Any, Any, InputRequest]]) -> str:
    request = await do.one_of("state = 'waiting'")
    if request is None:
        return "nothing"

    async def go() -> None:
        with suppress(*LATE):
            await act(LOCAL_USER, request.id)

    do.later(go())
    return str(request.params["message"])


async def _cancel(do: Doing, call: Call) -> None:
    do.ledger.cancelled.add(call.id)
    with suppress(*LATE):
        await do.world.services.calls.cancel(call)
