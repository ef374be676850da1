"""Event streams that continue in the next response."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.protocol.scripted import DONE, Server, Stream, plain, scripted
from tests.sign_in import SignInByHand
from webclient.domain.model import Action, CallState, Era, Json, ReasonCode, ServerState
from webclient.protocol.transports import http, resumption
from webclient.protocol.transports.resumption import WholeEvents

pytestmark = pytest.mark.anyio

ELICITATION: Json = {
    "jsonrpc": "2.0",
    "id": "q1",
    "method": "elicitation/create",
    "params": {"mode": "form", "message": "Go on?", "requestedSchema": {"type": "object", "properties": {}}},
}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["line feed", "both", "carriage return"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_events_are_whole_however_the_stream_is_cut(end: str, size: int) -> None:
    stream = "id: 1\ndata: one\n\nid: 2\nretry: 250\ndata: two\ndata: id: 9\n\ndata: thr".replace("\n", end).encode()
    events = WholeEvents()
    pieces = [events.feed(stream[start : start + size]) for start in range(0, len(stream), size)]
    whole = b"".join(pieces)
    assert whole.rstrip(b"\n").endswith(b"data: id: 9"), "the third event is not whole"
    assert all(not piece or piece.endswith(b"\n") for piece in pieces)
    assert (events.last_id, events.pause) == ("2", 0.25)
    assert events.rest.strip() == b"data: thr"


def test_an_event_is_whole_with_its_last_carriage_return() -> None:
    """HTML, section 9.2.6: a line feed may follow; until it comes, the server may wait for an answer."""
    events = WholeEvents()
    assert events.feed(b"id: 1\r\rid: 2\r\n\r") == b"id: 1\n\nid: 2\n\n"
    assert events.feed(b"\nid: 3\n\n") == b"id: 3\n\n"


@pytest.mark.parametrize(
    ("retry", "pause"),
    [("0", resumption.SHORTEST_PAUSE), ("-5", 1.0), ("soon", 1.0), ("9" * 14, 3600.0), ("9" * 5000, 1.0), ("40", 0.05)],
    ids=["zero", "negative", "a word", "absurd", "huge", "short"],
)
def test_any_retry_time_gives_a_pause_within_bounds(retry: str, pause: float) -> None:
    """HTML, section 9.2.6: a value that is not only digits is ignored."""
    events = WholeEvents()
    events.feed(f"retry: {retry}\n\n".encode())
    assert events.pause == pause


def test_an_id_with_a_zero_character_is_ignored() -> None:
    """HTML, section 9.2.6."""
    events = WholeEvents()
    events.feed(b"id: 1\n\nid: 2\x003\n\n")
    assert events.last_id == "1"


@pytest.mark.slow
async def test_a_call_survives_two_thousand_polls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may end its stream as often as it likes; the SDK ends the session after about 940 times."""
    monkeypatch.setattr(resumption, "SHORTEST_PAUSE", 0.0)
    most = 2000

    async def on_call(stream: Stream) -> None:
        await stream.begin()
        await stream.event(id="0", retry="0")
        await stream.end()

    async def on_resume(stream: Stream) -> None:
        await stream.begin()
        number = int(stream.headers["last-event-id"]) + 1
        if number == most:
            await stream.done(server.calls[0])
        else:
            await stream.event(id=str(number))
        await stream.end()

    async with scripted(tmp_path, on_call) as (server, rooms):
        server.on_resume = on_resume
        call = await rooms.call("it", "work")
        assert (await rooms.ended(call)).state is CallState.DONE
        resumed = [headers for headers in server.gets if "last-event-id" in headers]
        assert len(resumed) == most
        assert {headers["mcp-session-id"] for headers in resumed} == {"s1"}


async def test_the_named_time_passes_before_a_stream_is_resumed(tmp_path: Path) -> None:
    """MCP 2025-11-25, Transports, Sending Messages to the Server: the client MUST respect the retry field."""
    times: list[float] = []
    clock = asyncio.get_running_loop().time

    async def on_call(stream: Stream) -> None:
        await stream.begin()
        await stream.event(id="0", retry="300")
        await stream.end()
        times.append(clock())

    async def on_resume(stream: Stream) -> None:
        times.append(clock())
        await stream.begin()
        await stream.done(server.calls[0])
        await stream.end()

    async with scripted(tmp_path, on_call) as (server, rooms):
        server.on_resume = on_resume
        assert (await rooms.ended(await rooms.call("it", "work"))).state is CallState.DONE
    assert times[1] - times[0] >= 0.29


async def end_early(stream: Stream) -> None:
    """End the response to a call before its result."""
    await stream.begin()
    await stream.event(id="0", retry="1")
    await stream.end()


async def test_a_refused_resumption_says_its_status(tmp_path: Path) -> None:
    async def on_resume(stream: Stream) -> None:
        await plain(stream.writer, 401)

    async with scripted(tmp_path, end_early) as (server, rooms):
        server.on_resume = on_resume
        ended = await rooms.ended(await rooms.call("it", "work"))
        assert (ended.state, ended.reason_code) == (CallState.INTERRUPTED, ReasonCode.STREAM_REFUSED)
        assert (await rooms.status("it", ServerState.CONNECTED)).state is ServerState.CONNECTED


@pytest.mark.parametrize("signs_in", [True, False])
async def test_a_stream_is_resumed_after_the_sign_in(tmp_path: Path, signs_in: bool) -> None:
    """The server goes on working for the call meanwhile."""
    sign_in = SignInByHand()

    async def on_resume(stream: Stream) -> None:
        if "authorization" not in stream.headers:
            await plain(stream.writer, 401)
        else:
            await stream.begin()
            await stream.done(server.calls[0])
            await stream.end()

    async with scripted(tmp_path, end_early, sign_in=sign_in) as (server, rooms):
        server.on_resume = on_resume
        call = await rooms.call("it", "work")
        await sign_in.wanted.wait()
        if signs_in:
            sign_in.sign_in("the-token")
            assert (await rooms.ended(call)).state is CallState.DONE
        else:
            sign_in.deny()
            assert (await rooms.ended(call)).reason_code is ReasonCode.STREAM_REFUSED
        assert len(server.calls) == 1


async def test_a_resumption_that_never_succeeds_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "RESUME_PAUSES", (0.01, 0.01))

    async def on_resume(stream: Stream) -> None:
        await plain(stream.writer, 503)

    async with scripted(tmp_path, end_early) as (server, rooms):
        server.on_resume = on_resume
        ended = await rooms.ended(await rooms.call("it", "work"))
        assert (ended.state, ended.reason_code) == (CallState.INTERRUPTED, ReasonCode.STREAM_NOT_RESUMED)
        assert len([headers for headers in server.gets if "last-event-id" in headers]) == 3


async def test_an_event_that_was_cut_is_read_from_the_resumed_stream(tmp_path: Path) -> None:
    async def on_call(stream: Stream) -> None:
        await stream.begin()
        await stream.event(id="0", retry="1")
        await stream.write('id: 1\ndata: {"jsonrpc": "2.0", "id"')
        await stream.end()

    async def on_resume(stream: Stream) -> None:
        if stream.headers["last-event-id"] != "0":
            await plain(stream.writer, 405)
            return
        await stream.begin()
        await stream.done(server.calls[0])
        await stream.end()

    async with scripted(tmp_path, on_call) as (server, rooms):
        server.on_resume = on_resume
        assert (await rooms.ended(await rooms.call("it", "work"))).state is CallState.DONE


async def test_a_question_that_is_sent_again_makes_no_second_card(tmp_path: Path) -> None:
    repeated, answered = asyncio.Event(), asyncio.Event()

    async def on_call(stream: Stream) -> None:
        await stream.begin()
        await stream.event(id="0", retry="1")
        await stream.event(ELICITATION)
        await stream.end()

    async def on_resume(stream: Stream) -> None:
        await stream.begin()
        await stream.event(ELICITATION)
        repeated.set()
        await answered.wait()
        await stream.event(ELICITATION)
        await stream.done(server.calls[0])
        await stream.end()

    async with scripted(tmp_path, on_call) as (server, rooms):
        server.on_resume = on_resume
        call = await rooms.call("it", "work")
        [request] = await rooms.pending_requests(call)
        await repeated.wait()
        await rooms.answer(request, Action.ACCEPT, {})
        await until_answered(server)
        answered.set()
        assert (await rooms.ended(call)).state is CallState.DONE
        assert len(await rooms.services.store.of("local").requests.find(call_id=call.id)) == 1
        assert [answer["id"] for answer in server.answers] == ["q1"]


async def until_answered(server: Server) -> None:
    async with asyncio.timeout(30):
        while not server.answers:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_stream_of_2026_is_never_resumed(tmp_path: Path) -> None:
    """MCP 2026-07-28, Transports: a stream that ended is not resumed; the call ends at once."""

    async def on_call(stream: Stream) -> None:
        await stream.begin()
        await stream.event({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}, id="0", retry="1")
        await stream.end()

    async with scripted(tmp_path, on_call, Era.ROUNDS) as (server, rooms):
        ended = await rooms.ended(await rooms.call("it", "work"))
        assert (ended.state, ended.reason_code) == (CallState.INTERRUPTED, ReasonCode.CONNECTION_LOST)
        assert server.gets == []


async def test_a_question_pushed_in_2026_gets_no_answer(tmp_path: Path) -> None:
    """MCP 2026-07-28 has no requests of servers over streamable HTTP, and no POST for their answers."""

    async def on_call(stream: Stream) -> None:
        await stream.begin()
        await stream.event(ELICITATION)
        await stream.event({"jsonrpc": "2.0", "id": stream.message["id"], "result": DONE | {"resultType": "complete"}})
        await stream.end()

    async with scripted(tmp_path, on_call, Era.ROUNDS) as (server, rooms):
        call = await rooms.ended(await rooms.call("it", "work"))
        assert call.state is CallState.DONE
        await rooms.ended(await rooms.call("it", "work"))
        assert server.answers == []
        log = rooms.services.wire_logs.of((await rooms.server("it")).key)
        assert "elicitation/create" in [message.method for message in log.messages], "the log has all that passed"


async def test_an_undeclared_method_is_an_unknown_method(tmp_path: Path) -> None:
    """MCP 2025-11-25, Roots, Error Handling: -32601 if the client does not support roots."""

    async def on_call(stream: Stream) -> None:
        await stream.begin()
        await stream.event({"jsonrpc": "2.0", "id": "r1", "method": "roots/list", "params": {}})
        await until_answered(server)
        await stream.done()
        await stream.end()

    async with scripted(tmp_path, on_call) as (server, rooms):
        assert (await rooms.ended(await rooms.call("it", "work"))).state is CallState.DONE
        assert [answer["error"]["code"] for answer in server.answers] == [-32601]


async def test_a_listening_stream_that_closes_costs_no_ping(tmp_path: Path) -> None:
    opened = asyncio.Event()

    async def on_call(stream: Stream) -> None:
        await plain(stream.writer, 200, {"jsonrpc": "2.0", "id": stream.message["id"], "result": DONE})

    async def on_get(stream: Stream) -> None:
        await stream.begin()
        # The last id that came holds for all streams after it (HTML, section 9.2.6).
        await stream.event(**({"id": str(len(server.gets))} if len(server.gets) <= 3 else {}), retry="1")
        if len(server.gets) > 20:
            opened.set()
            await asyncio.sleep(3600)
        await stream.end()

    async with scripted(tmp_path, on_call) as (server, rooms):
        server.on_get = on_get
        await rooms.services.connections.disconnect(await rooms.connected("it"))
        server.gets.clear()
        server.pings = 0
        rooms.services.connections.connect(await rooms.server("it"))
        await opened.wait()
        assert server.pings == 0
        assert [headers.get("last-event-id") for headers in server.gets[1:]] == ["1", "2", *["3"] * 18]


async def test_a_listening_stream_that_failed_is_opened_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "LISTEN_PAUSES", (0.01,))
    opened = asyncio.Event()

    async def on_call(stream: Stream) -> None:
        await plain(stream.writer, 200, {"jsonrpc": "2.0", "id": stream.message["id"], "result": DONE})

    async def on_get(stream: Stream) -> None:
        if len(server.gets) < 5:
            await plain(stream.writer, 500)
            return
        await stream.begin()
        opened.set()
        await asyncio.sleep(3600)

    async with scripted(tmp_path, on_call) as (server, rooms):
        server.on_get = on_get
        await rooms.services.connections.disconnect(await rooms.connected("it"))
        server.gets.clear()
        rooms.services.connections.connect(await rooms.server("it"))
        await opened.wait()
