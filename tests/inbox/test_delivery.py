"""How an answer gets to its server, or does not: each is shown, and nothing is lost."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.house import config, house
from tests.line import BEAT, at_the_end_of_a_line, both_eras, delivered, newest_child, silent
from tests.mcp_servers import stdio
from tests.tables import each_row
from webclient.calls.driving import Sending
from webclient.domain.model import Action, CallState, Delivery, Era, InputRequest, RequestState
from webclient.inbox.pushed_requests import PushedRequests
from webclient.protocol import MalformedResultError, ServerError, Trouble
from webclient.protocol.transports import http

pytestmark = pytest.mark.anyio


@both_eras
@pytest.mark.parametrize("action", list(Action))
async def test_an_answer_is_delivered_when_the_server_took_it(tmp_path: Path, era: Era, action: Action) -> None:
    async with at_the_end_of_a_line(tmp_path, era) as (rooms, _):
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(call)
        assert request.delivery is None
        answered = await rooms.answer(request, action, {"name": "Ada"} if action is Action.ACCEPT else None)
        assert answered.delivery is Delivery.SENDING
        await delivered(rooms, request, Delivery.DELIVERED)
        await rooms.ended(call)


async def test_an_answer_lost_by_a_broken_connection_is_sent_again(tmp_path: Path) -> None:
    async with at_the_end_of_a_line(tmp_path, Era.PUSH) as (rooms, proxy):
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(call)
        proxy.deny(b'"action"')
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        await proxy.has_denied(1)
        proxy.deny(b"")
        await delivered(rooms, request, Delivery.DELIVERED)
        done = await rooms.ended(call)
        assert (done.result or {})["structuredContent"]["content"] == {"name": "Ada"}


@pytest.mark.parametrize("action", list(Action))
async def test_an_answer_lost_on_its_way_is_shown_as_unknown(
    tmp_path: Path, action: Action, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It left, and nothing tells from here whether the server read it before the connection broke."""
    monkeypatch.setattr(http, "ANSWER_PAUSES", (0.01, 0.01))
    async with at_the_end_of_a_line(tmp_path, Era.PUSH) as (rooms, proxy):
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(call)
        proxy.deny(b'"action"')
        content = {"name": "Ada"} if action is Action.ACCEPT else None
        answered = await rooms.answer(request, action, content)
        lost = await delivered(rooms, request, Delivery.UNKNOWN, Delivery.FAILED)
        assert (lost.delivery, lost.state, lost.content) == (Delivery.UNKNOWN, answered.state, content)


@pytest.mark.slow
async def test_an_answer_that_cannot_be_sent_is_shown_as_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "ANSWER_PAUSES", (0.01, 0.01))
    monkeypatch.setattr(http, "LIMITS", httpx2.Limits(max_keepalive_connections=0))
    async with at_the_end_of_a_line(tmp_path, Era.PUSH) as (rooms, proxy):
        [request] = await rooms.pending_requests(await rooms.call("it", "ask_form"))
        await proxy.refuse()
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        lost = await delivered(rooms, request, Delivery.UNKNOWN, Delivery.FAILED)
        assert lost.delivery is Delivery.FAILED


async def test_a_round_answer_lost_on_its_way_is_unknown(tmp_path: Path) -> None:
    async with at_the_end_of_a_line(tmp_path, Era.ROUNDS) as (rooms, proxy):
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(call)
        proxy.deny(b"inputResponses")
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        lost = await delivered(rooms, request, Delivery.UNKNOWN, Delivery.FAILED)
        assert (lost.delivery, lost.state, lost.content) == (
            Delivery.UNKNOWN,
            RequestState.ACCEPTED,
            {"name": "Ada"},
        )
        assert (await rooms.ended(call)).state is CallState.INTERRUPTED


def failing(trouble: Trouble | None, **details: int) -> ServerError:
    return ServerError(-32603, "It went wrong.", trouble=trouble, details=dict(details))


@each_row(
    ("errors", "delivery"),
    [
        ([failing(None)], Delivery.DELIVERED),
        ([failing(Trouble.STATE_UNKNOWN)], Delivery.DELIVERED),
        ([failing(Trouble.TOO_LARGE)], Delivery.DELIVERED),
        ([MalformedResultError()], Delivery.DELIVERED),
        # A proxy may say these in place of the server.
        ([failing(Trouble.HTTP_ERROR, status=502)], Delivery.UNKNOWN),
        ([failing(Trouble.NOT_MCP)], Delivery.UNKNOWN),
        ([failing(Trouble.HTTP_ERROR, status=413)], Delivery.FAILED),
        ([failing(Trouble.NOT_SENT)], Delivery.FAILED),
        ([failing(Trouble.CLOSED)], Delivery.UNKNOWN),
        # What may have arrived once is not failed for what happened later.
        ([failing(Trouble.CLOSED), failing(Trouble.NOT_SENT)], Delivery.UNKNOWN),
        ([failing(Trouble.CLOSED), failing(Trouble.HTTP_ERROR, status=404)], Delivery.UNKNOWN),
    ],
)
def test_the_answers_of_a_round_got_as_far_as_the_errors_show(errors: list[Exception], delivery: Delivery) -> None:
    sending = Sending()
    for error in errors:
        with pytest.raises(type(error)), sending.attempt():
            raise error
    assert sending.delivery is delivery


async def test_half_a_round_is_undelivered_when_its_call_ends(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.ROUNDS)]) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_many", {"n": 2})
        [answered, _] = await rooms.pending_requests(call, 2)
        await rooms.answer(answered, Action.ACCEPT, {"name": "Ada"})
        await rooms.services.calls.cancel(await rooms.services.store.of("local").calls.get(call.id))
        await delivered(rooms, answered, Delivery.FAILED)


async def test_an_answer_given_while_its_call_ends_is_undelivered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.ROUNDS)]) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(call)
        end = PushedRequests.end

        async def end_after_an_answer(self: PushedRequests, *values: Any, **named: Any) -> bool:
            await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
            return await end(self, *values, **named)

        monkeypatch.setattr(PushedRequests, "end", end_after_an_answer)
        await rooms.services.calls.cancel(await rooms.services.store.of("local").calls.get(call.id))
        await delivered(rooms, request, Delivery.FAILED)


async def test_a_child_that_writes_without_reading_has_no_answer(tmp_path: Path) -> None:
    """A server that is busy can report progress while the answer still lies in its pipe."""
    written = tmp_path / "written"
    child = stdio("deaf", str(written), forked=False)
    async with house(tmp_path, [config("it", child, Era.PUSH)], beat_seconds=BEAT) as rooms:
        await rooms.connected("it")
        [request] = await rooms.pending_requests(await rooms.call("it", "ask"))
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        before = written.stat().st_size

        async def judged() -> InputRequest | None:
            newest = await rooms.services.store.of("local").requests.get(request.id)
            is_heard = written.stat().st_size > before + 30
            return newest if is_heard or newest.delivery is not Delivery.SENDING else None

        assert (await rooms.until(judged)).delivery is Delivery.SENDING
        os.kill(newest_child(), signal.SIGKILL)
        lost = await delivered(rooms, request, Delivery.DELIVERED, Delivery.FAILED, Delivery.UNKNOWN)
        assert lost.delivery is Delivery.UNKNOWN


@pytest.mark.parametrize("wakes", [True, False])
@pytest.mark.slow
async def test_an_answer_to_a_child_is_delivered_once_it_is_read(tmp_path: Path, wakes: bool) -> None:
    async with house(tmp_path, [config("it", stdio("asker", forked=False), Era.PUSH)], beat_seconds=BEAT) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(call)
        child = newest_child()
        os.kill(child, signal.SIGSTOP)
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        await silent(rooms)
        os.kill(child, signal.SIGCONT if wakes else signal.SIGKILL)
        request = await delivered(rooms, request, Delivery.DELIVERED, Delivery.FAILED, Delivery.UNKNOWN)
        assert (request.delivery, request.content) == (
            Delivery.DELIVERED if wakes else Delivery.UNKNOWN,
            {"name": "Ada"},
        )
        assert (await rooms.ended(call)).state is (CallState.DONE if wakes else CallState.INTERRUPTED)
