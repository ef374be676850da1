"""Log messages of servers are stored with their call, bounded, and published to open pages."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.house import ALL_SERVERS, House, config, house
from tests.mcp_servers import stdio
from webclient.calls import logs
from webclient.calls.logs import LONGEST, _text
from webclient.domain.bounded_log import MOST_CHARACTERS, MOST_ENTRIES
from webclient.domain.model import Call, CallLog, LogLevel
from webclient.protocol.wire_log import Direction

pytestmark = pytest.mark.anyio


async def logged(rooms: House, call: Call, wanted: str) -> CallLog:
    """Wait until the log of the call has an entry with this text."""

    async def look() -> CallLog | None:
        log = await rooms.services.store.of("local").logs.get(call.id)
        return log if any(wanted in entry.text for entry in log.entries) else None

    return await rooms.until(look)


@pytest.mark.parametrize("server", ALL_SERVERS)
async def test_log_messages_are_stored_with_their_call(shared: House, server: str) -> None:
    """MCP 2025-11-25 and 2026-07-28, Logging: in the newer one only who asks for them with a request gets them."""
    call = await shared.call(server, "log", {"text": f"Looking at {server}"})
    log = await logged(shared, call, '{"what"')
    said = [(entry.level, entry.text, entry.shared) for entry in log.entries]
    assert said == [("debug", f"Looking at {server}", False), ("error", f'{{"what": "Looking at {server}"}}', False)]
    assert await shared.services.store.of("another user").logs.get(call.id) == CallLog()


async def test_messages_during_several_calls_are_marked_as_shared(tmp_path: Path) -> None:
    async with house(tmp_path, [config("pipe", stdio("asker", "--era", "2025-11-25"))]) as rooms:
        await rooms.connected("pipe")
        waiting = await rooms.call("pipe", "ask_form")
        await rooms.pending_requests(waiting)
        call = await rooms.call("pipe", "log", {"text": "Whose?"})
        for each in (waiting, call):
            assert {entry.shared for entry in (await logged(rooms, each, "Whose?")).entries} == {True}


async def test_a_flood_of_messages_is_bounded_and_counted(tmp_path: Path) -> None:
    messages = [{"level": "info", "data": f"message {n}"} for n in range(1000)]
    async with house(tmp_path, [config("plain", stdio("plain"))]) as rooms:
        await rooms.connected("plain")
        log = await logged(rooms, await rooms.call("plain", "say", {"messages": messages}), "message 999")
        assert (len(log.entries), log.omitted) == (MOST_ENTRIES, 1000 - MOST_ENTRIES)
        long = [{"level": "info", "data": "x" * 10_000}] * 199 + [{"level": "info", "data": "the last"}]
        log = await logged(rooms, await rooms.call("plain", "say", {"messages": long}), "the last")
        assert sum(len(entry.text) for entry in log.entries) <= MOST_CHARACTERS
        assert log.omitted == 200 - len(log.entries)


async def test_any_data_of_a_message_is_stored_as_text(tmp_path: Path) -> None:
    odd: list[Any] = [{}, {"level": 7, "logger": ["x"], "data": None}, {"level": "x" * 5000, "data": ["last"]}]
    async with house(tmp_path, [config("plain", stdio("plain"))]) as rooms:
        await rooms.connected("plain")
        log = await logged(rooms, await rooms.call("plain", "say", {"messages": odd}), "last")
        assert [(entry.level, entry.logger, entry.text) for entry in log.entries] == [
            ("", "", "null"),
            ("7", "", "null"),
            ("x" * 20, "", '["last"]'),
        ]


async def test_the_last_messages_are_written_when_the_program_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "PAUSE", 1000)
    servers = [config("plain", stdio("plain"))]
    async with house(tmp_path, servers) as rooms:
        await rooms.connected("plain")
        call = await rooms.call("plain", "say", {"messages": [{"level": "info", "data": "late"}]})
        await rooms.ended(call)
    async with house(tmp_path) as rooms:
        assert [entry.text for entry in (await rooms.services.store.of("local").logs.get(call.id)).entries] == ["late"]


async def test_the_log_is_erased_with_the_result(tmp_path: Path) -> None:
    async with house(tmp_path, [config("plain", stdio("plain"))]) as rooms:
        await rooms.connected("plain")
        call = await rooms.call("plain", "say", {"messages": [{"level": "info", "data": "secret"}]})
        await logged(rooms, call, "secret")
        ended = await rooms.ended(call)
        await asyncio.sleep(0)
        await rooms.services.store.system.erase_values(ended.updated_at.replace(year=9999))
        assert await rooms.services.store.of("local").logs.get(call.id) == CallLog()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("x" * 5000, "x" * LONGEST + "…"),
        ({"a": [1, None, "é"]}, '{"a": [1, null, "é"]}'),
        (list(range(100_000)), None),
        ({"a": "x" * 1_000_000}, None),
    ],
)
def test_a_message_is_cut_at_its_length(data: Any, text: str | None) -> None:
    assert _text(data) == text or len(_text(data)) == LONGEST + 1


async def test_all_messages_of_a_server_are_in_memory(tmp_path: Path) -> None:
    secret = "s3cret-of-the-environment"
    transport = stdio("plain") | {"env": {"API_KEY": secret}}
    async with house(tmp_path, [config("plain", transport)]) as rooms:
        server = await rooms.connected("plain")
        during, later = {"level": "info", "data": f"during {secret}"}, {"level": "warning", "data": "after the call"}
        await rooms.ended(await rooms.call("plain", "say", {"messages": [during], "later": [later]}))
        # What the server wrote before its next result has come by then.
        await rooms.ended(await rooms.call("plain", "say"))
        log = rooms.services.connections.messages(server)
        assert [(entry.level, entry.text[:6]) for entry in log.entries] == [("info", "during"), ("warning", "after ")]
        assert secret not in str(log)
        flood = [{"level": "info", "data": f"message {n}"} for n in range(300)]
        await rooms.ended(await rooms.call("plain", "say", {"messages": flood}))
        log = rooms.services.connections.messages(server)
        assert (len(log.entries), log.omitted) == (MOST_ENTRIES, 302 - MOST_ENTRIES)


async def _levels(rooms: House) -> list[str]:
    """Return the levels for which the server was asked: in 2025-11-25 once for each change, else with each call."""
    found = []
    for message in rooms.services.wire_logs.of((await rooms.server("it")).key).messages:
        params = (json.loads(message.text or "{}") if message.direction is Direction.SENT else {}).get("params") or {}
        if message.method == "logging/setLevel" and params:
            found.append(params["level"])
        elif message.method == "tools/call" and "_meta" in params and "name" in params:
            found.append(params["_meta"].get("io.modelcontextprotocol/logLevel", "off"))
    return found


@pytest.mark.parametrize(
    ("arguments", "levels"),
    [([], ["debug", "warning", "emergency"]), (["--ttl", "0"], ["debug", "warning", "off"])],
)
async def test_a_server_is_asked_for_the_level_of_its_user(
    tmp_path: Path, arguments: list[str], levels: list[str]
) -> None:
    """MCP 2025-11-25, Logging: `logging/setLevel`; MCP 2026-07-28: `logLevel` in each request, or no messages."""
    async with house(tmp_path, [config("it", stdio("plain", *arguments))]) as rooms:
        server = await rooms.connected("it")
        for n, level in enumerate((LogLevel.DEBUG, LogLevel.WARNING, LogLevel.OFF), start=1):
            server = replace(server, log_level=level)
            await rooms.services.servers.change(server)
            if arguments:
                await rooms.ended(await rooms.call("it", "say"))
            while not arguments and len(_only_levels(await _levels(rooms))) < n:
                # Each call gives the notification time; nothing else tells that it went out.
                await rooms.ended(await rooms.call("it", "say"))
        found = await _levels(rooms)
        assert (found if arguments else _only_levels(found)) == levels


def _only_levels(found: list[str]) -> list[str]:
    return [level for level in found if level != "off"]
