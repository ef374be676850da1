"""The wire log of real servers, over every transport in both eras."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.house import ALL_SERVERS, House, config, house
from tests.mcp_servers import stdio
from webclient.domain.model import Action, Call, CallState, Json, Server
from webclient.protocol.wire_log import Direction, LogFilter, MessageKind, WireLogEntry

pytestmark = pytest.mark.anyio

every_server = pytest.mark.parametrize("server", ALL_SERVERS)

SECRET = "correct horse battery"
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "password": {"type": "string", "title": "Password"}},
}


async def entries(on: House, server: Server, **wanted: Any) -> list[WireLogEntry]:
    return [each async for each in on.services.log_reader.all(server.key, LogFilter(**wanted))]


async def of_call(on: House, call: Call) -> list[WireLogEntry]:
    found = await entries(on, await _server_of(on, call), call_id=call.id)
    return [each for each in found if each.method != "notifications/message"]


async def _server_of(on: House, call: Call) -> Server:
    return await on.services.store.of("local").servers.get(call.server_id)


def exported(found: list[WireLogEntry]) -> str:
    return "\n".join(json.dumps(each.as_json) for each in found)


async def answered(on: House, server: str, content: Json, schema: Json = SCHEMA) -> Call:
    call = await on.call(server, "ask_form", {"schema": schema, "message": "Who are you?"})
    [request] = await on.pending_requests(call)
    await on.answer(request, Action.ACCEPT, content)
    return await on.ended(call)


@every_server
async def test_a_call_has_its_messages_in_order_and_in_pairs(shared: House, server: str) -> None:
    call = await answered(shared, server, {"name": "Ada"})
    found = await of_call(shared, call)
    # A new session of 2026-07-28 lists the tools once, to know their HTTP headers.
    kinds = [(each.direction, each.kind, each.method) for each in found if each.method != "tools/list"]
    sent, received = Direction.SENT, Direction.RECEIVED
    request, result = MessageKind.REQUEST, MessageKind.RESULT
    if "push" in server:
        assert kinds == [
            (sent, request, "tools/call"),
            (received, request, "elicitation/create"),
            (sent, result, "elicitation/create"),
            (received, result, "tools/call"),
        ]
        first, pushed, answer, last = found
        assert (answer.answers, pushed.answered_by) == (pushed.number, answer.number)
        assert (last.answers, first.answered_by) == (first.number, last.number)
        assert answer.content == {"jsonrpc": "2.0", "id": pushed.id, "result": _answer()}
    else:
        assert kinds == [(sent, request, "tools/call"), (received, result, "tools/call")] * 2
        *_, again, last = found
        assert again.content
        assert last.answers == again.number
        assert again.content["params"]["inputResponses"] == {"answer": _answer()}
    assert all(each.era == ("2025-11-25" if "push" in server else "2026-07-28") for each in found)
    assert all(each.size > 0 and each.content for each in found)
    assert last.took is not None
    assert 0 <= last.took < 120


def _answer() -> Json:
    return {"action": "accept", "content": {"name": "Ada"}}


@every_server
async def test_the_answer_to_a_secret_field_is_masked_everywhere(shared: House, server: str) -> None:
    # The tool returns what it got, so the server repeats the password, too.
    call = await answered(shared, server, {"name": "Ada", "password": SECRET})
    assert SECRET in json.dumps(call.result)
    text = exported(await of_call(shared, call))
    assert SECRET not in text
    assert "Ada" in text


@every_server
async def test_a_secret_argument_is_masked(shared: House, server: str) -> None:
    call = await shared.ended(await shared.call(server, "log_in", {"user": "ada", "password": SECRET}))
    assert call.state is CallState.DONE
    found = await of_call(shared, call)
    # A new session of 2026-07-28 lists the tools first.
    sent = next(each for each in found if each.method == "tools/call")
    assert sent.content
    assert sent.content["params"]["arguments"]["user"] == "ada"
    assert SECRET not in exported(found)


@every_server
async def test_how_a_session_began_is_in_the_log(shared: House, server: str) -> None:
    first, *_ = found = await entries(shared, await shared.connected(server))
    assert (first.number, first.direction) == (1, Direction.SENT)
    begins = "initialize" if "push" in server else "server/discover"
    assert ("2025-11-25" if "push" in server else "2026-07-28") in [each.era for each in found if each.method == begins]


@every_server
async def test_a_link_is_shown_without_its_token(shared: House, server: str) -> None:
    url = "https://bank.example/confirm?token=b1946ac92492d2347c62"
    call = await shared.call(server, "ask_url", {"url": url})
    [request] = await shared.pending_requests(call)
    await shared.answer(request, Action.DECLINE)
    await shared.ended(call)
    text = exported(await of_call(shared, call))
    assert '"mode": "url"' in text
    assert "b1946ac92492d2347c62" not in text


@pytest.mark.parametrize("server", ["http-push", "stdio-rounds"])
async def test_two_calls_at_once_have_their_own_messages(shared: House, server: str) -> None:
    calls = {message: await shared.call(server, "ask_form", {"message": message}) for message in ("One?", "Two?")}
    for call in calls.values():
        [request] = await shared.pending_requests(call)
        await shared.answer(request, Action.DECLINE)
    for message, call in calls.items():
        text = exported(await of_call(shared, await shared.ended(call)))
        assert [each for each in calls if each in text] == [message]


async def test_progress_and_a_cancellation_belong_to_their_call(shared: House) -> None:
    call = await shared.ended(await shared.call("http-push", "progress", {"steps": 2}))
    methods = [each.method for each in await of_call(shared, call)]
    assert methods[0] == "tools/call"
    assert methods.count("notifications/progress") == 2
    call = await shared.call("stdio-push", "sleep_until_cancelled", {"name": "for the log"})
    await shared.services.calls.cancel(call)
    *_, last = await of_call(shared, await shared.ended(call))
    assert (last.method, last.direction) == ("notifications/cancelled", Direction.SENT)


async def test_a_completed_link_belongs_to_the_calls_that_may_wait(shared: House) -> None:
    call = await shared.call("stdio-push", "ask_url", {"url": "https://bank.example/", "elicitation_id": "id-log"})
    [request] = await shared.pending_requests(call)
    await shared.ended(await shared.call("stdio-push", "complete", {"elicitation_id": "id-log"}))
    assert "notifications/elicitation/complete" in [each.method for each in await of_call(shared, call)]
    await shared.answer(request, Action.DECLINE)
    await shared.ended(call)


async def test_a_setting_turns_the_log_off(tmp_path: Path) -> None:
    servers = [config("asker", stdio("asker"))]
    for values in ({"max_wire_log_bytes": 0}, {"keep_values_days": 0}):
        async with house(tmp_path, servers, **values) as quiet:
            server = await quiet.connected("asker")
            assert await entries(quiet, server) == []


async def test_the_log_of_a_removed_server_is_gone(tmp_path: Path) -> None:
    async with house(tmp_path, [config("asker", stdio("asker"))]) as here:
        server = await here.connected("asker")
        assert await entries(here, server)
        await here.services.servers.remove(server)
        assert await entries(here, server) == []
        assert here.services.wire_logs.size == 0
