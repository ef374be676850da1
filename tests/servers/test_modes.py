"""A mode that the user forbids a server is not announced, and requests in it are refused."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.house import House, config, house
from tests.mcp_servers import ROOT, stdio
from webclient.domain.model import Call, CallState, Era, Json, Mode, ReasonCode, RequestState, ServerState

pytestmark = pytest.mark.anyio

INVALID_PARAMS = -32602
MISSING_CAPABILITY = -32021
BOTH: Json = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}}
ERAS = [("no-fields", Era.PUSH), ("no-input-requests", Era.ROUNDS)]
"""For each era a case in which the raw server speaks it."""


async def _leave(rooms: House, name: str, *modes: Mode) -> None:
    server = await rooms.server(name)
    await rooms.services.servers.change(replace(server, modes=modes))
    await rooms.status(name, ServerState.CONNECTED)


async def _announced(rooms: House) -> Json:
    done = await rooms.ended(await rooms.call("raw", "announced"))
    announced: Json = json.loads((done.result or {})["content"][0]["text"])
    # Tasks have tests of their own.
    return {name: value for name, value in announced.items() if name not in ("tasks", "extensions")}


async def _refused(rooms: House, call: Call, count: int = 1) -> list[ReasonCode | None]:
    found = await rooms.services.store.of("local").requests.find(call_id=call.id)
    assert [each.state for each in found] == [RequestState.REFUSED] * count
    return [each.reason_code for each in found]


@pytest.mark.parametrize(("case", "era"), ERAS)
@pytest.mark.parametrize(
    ("modes", "announced"),
    [
        ((Mode.FORM,), {"elicitation": {"form": {}}}),
        ((Mode.URL,), {"elicitation": {"url": {}}}),
        ((Mode.SAMPLING,), {"sampling": {"tools": {}}}),
        ((), {}),
    ],
)
async def test_the_announced_modes_are_those_that_the_user_permits(
    tmp_path: Path, case: str, era: Era, modes: tuple[Mode, ...], announced: Json
) -> None:
    """MCP 2025-11-25 and 2026-07-28, Elicitation, Sampling (S1): clients MUST declare what they support."""
    async with house(tmp_path, [config("raw", stdio("raw", case))]) as rooms:
        await rooms.connected("raw")
        assert (await rooms.status("raw", ServerState.CONNECTED)).protocol_version == era
        assert await _announced(rooms) == BOTH
        await _leave(rooms, "raw", *modes)
        assert await _announced(rooms) == announced
        await _leave(rooms, "raw", *Mode)
        assert await _announced(rooms) == BOTH


@pytest.mark.parametrize(
    ("case", "left", "code"),
    [("misleading-url", Mode.FORM, ReasonCode.URL_MODE_OFF), ("no-fields", Mode.URL, ReasonCode.FORM_MODE_OFF)],
)
async def test_a_pushed_request_in_a_forbidden_mode_gets_an_error(
    tmp_path: Path, case: str, left: Mode, code: ReasonCode
) -> None:
    """MCP 2025-11-25, Elicitation, Error Handling: a mode that was not declared gets -32602."""
    async with house(tmp_path, [config("raw", stdio("raw", case))]) as rooms:
        await rooms.connected("raw")
        await _leave(rooms, "raw", left)
        call = await rooms.ended(await rooms.call("raw", "ask"))
        [reply] = json.loads((call.result or {})["content"][0]["text"])
        assert reply["error"]["code"] == INVALID_PARAMS
        assert "did not announce" in reply["error"]["message"]
        assert await _refused(rooms, call) == [code]


async def test_a_round_with_a_forbidden_mode_is_refused_as_a_whole(
    tmp_path: Path,
) -> None:
    async with house(tmp_path, [config("raw", stdio("raw", "form-and-link-round"))]) as rooms:
        await rooms.connected("raw")
        await _leave(rooms, "raw", Mode.FORM)
        call = await rooms.ended(await rooms.call("raw", "ask"))
        assert call.state is CallState.FAILED
        assert await _refused(rooms, call) == [ReasonCode.URL_MODE_OFF]


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
@pytest.mark.slow
async def test_a_server_on_the_sdk_sees_the_modes_and_does_not_ask(tmp_path: Path, era: Era) -> None:
    demo = {"type": "stdio", "command": sys.executable, "args": ["-m", "webclient.demo"], "cwd": str(ROOT)}
    async with house(tmp_path, [config("demo", demo, era)]) as rooms:
        await rooms.connected("demo")
        await _leave(rooms, "demo", Mode.URL)
        call = await rooms.ended(await rooms.call("demo", "book_trip", {"date": "2026-12-24"}))
        assert call.error
        assert call.error.code == MISSING_CAPABILITY
        await _refused(rooms, call, 0)
        await _leave(rooms, "demo", Mode.FORM)
        assert len(await rooms.pending_requests(await rooms.call("demo", "book_trip", {"date": "2026-12-24"}))) == 1


async def test_an_open_2025_11_25_connection_is_replaced_with_a_reason(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.PUSH)]) as rooms:
        await rooms.connected("it")
        [request] = await rooms.pending_requests(await rooms.call("it", "ask_form"))
        await _leave(rooms, "it", Mode.FORM)
        settled = await rooms.settled(request)
        assert settled.state is RequestState.INTERRUPTED
        assert settled.reason_code is ReasonCode.PERMISSIONS_CHANGED


async def test_an_open_2026_07_28_connection_keeps_its_requests(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.ROUNDS)]) as rooms:
        server = await rooms.connected("it")
        before = rooms.services.connections.connected(server)
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(call)
        await _leave(rooms, "it", Mode.FORM)
        assert rooms.services.connections.connected(server) is before
        assert (await rooms.services.store.of("local").requests.get(request.id)).pending


async def test_the_modes_of_a_config_server_survive_a_restart(tmp_path: Path) -> None:
    servers = [config("raw", stdio("raw", "no-fields"))]
    async with house(tmp_path, servers) as rooms:
        await rooms.connected("raw")
        await _leave(rooms, "raw", Mode.FORM)
    async with house(tmp_path, servers) as rooms:
        await rooms.connected("raw")
        assert await _announced(rooms) == {"elicitation": {"form": {}}}
