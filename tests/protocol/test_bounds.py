"""Limits for a server over each transport: each is a setting, and the reason for a failure names it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.house import House, config, house
from tests.mcp_servers import running, stdio
from webclient.domain.model import Call, CallState, Era, ServerState
from webclient.domain.reasons import sentence

pytestmark = pytest.mark.anyio

SMALL: dict[str, Any] = {
    "max_message_bytes": 2**20,
    "max_error_bytes": 2**16,
    "max_state_bytes": 1000,
    "max_message_values": 50_000,
    "max_pending": 5,
}
NAMED = {
    "json-bomb": "max_message_bytes",
    "event-bomb": "max_message_bytes",
    "error-bomb": "max_error_bytes",
    "json": "max_message_bytes",
    "event": "max_message_bytes",
    "error": "max_error_bytes",
    "values": "max_message_values",
}
"""The tool that attacks with a body, and the setting that bounds it."""


def _setting(call: Call) -> str:
    """Return the setting that the reason of the call's error names."""
    assert call.error
    assert call.error.reason
    return next(iter(re.findall(r"setting (\w+)", sentence(call.error.reason))), "")


async def test_every_kind_of_body_is_cut_at_its_limit_which_is_named(tmp_path: Path) -> None:
    """Compressed or not, whole or as events, with success or an error status; the session goes on after each."""
    async with running("attacker") as server:
        http = {"type": "http", "url": server.address}
        async with house(tmp_path, [config("it", http, Era.PUSH)], **SMALL) as rooms:
            await rooms.connected("it")
            for tool, setting in NAMED.items():
                ended = await rooms.ended(await rooms.call("it", tool, {"mebibytes": 3}))
                assert ended.state is CallState.FAILED, (tool, ended)
                assert _setting(ended) == setting, (tool, ended.error)
                assert ended.error
                if setting == "max_error_bytes":
                    assert ended.error.message is None, "the server said nothing of this"
            assert (await rooms.ended(await rooms.call("it", "ask"))).state is CallState.DONE


async def test_states_and_questions_of_a_round_are_bounded(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("attacker"), Era.ROUNDS)], **SMALL) as rooms:
        await rooms.connected("it")
        limits = {"state": (0.01, "max_state_bytes"), "requests": (0.01, "max_pending")}
        for tool, (mebibytes, setting) in limits.items():
            ended = await rooms.ended(await rooms.call("it", tool, {"mebibytes": mebibytes}))
            assert ended.state is CallState.FAILED, ended
            assert _setting(ended) == setting, (tool, ended.error)
            assert ended.checkpoint is None


@pytest.mark.parametrize("case", ["bomb", "long"])
async def test_less_is_taken_before_a_server_is_connected(tmp_path: Path, case: str) -> None:
    async with running("attacker", arguments=["--greets", case]) as server:
        http = {"type": "http", "url": server.address}
        async with house(tmp_path, [config("it", http, Era.PUSH)]) as rooms:
            await _given_up(rooms, "max_greeting_bytes")


async def _given_up(rooms: House, setting: str) -> None:
    status = await rooms.status("it", ServerState.ERROR)
    assert status.error
    assert setting in sentence(status.error.reason)


async def test_a_line_without_end_ends_the_connection_with_the_reason(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("attacker"), Era.PUSH)], **SMALL) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "line", {"mebibytes": 10_000})
        await _given_up(rooms, "max_message_bytes")
        assert (await rooms.ended(call)).state is CallState.INTERRUPTED


async def test_long_lines_within_the_limit_all_pass(tmp_path: Path) -> None:
    limits = {"max_messages_per_second": 100_000}
    async with house(tmp_path, [config("it", stdio("attacker"), Era.PUSH)], **limits) as rooms:
        await rooms.connected("it")
        assert (await rooms.ended(await rooms.call("it", "lines", {"mebibytes": 20}))).state is CallState.DONE


async def test_too_many_unanswered_requests_end_the_connection(tmp_path: Path) -> None:
    limits = {"max_server_requests": 50, "max_pending": 5, "max_messages_per_second": 100_000}
    async with house(tmp_path, [config("it", stdio("attacker"), Era.PUSH)], **limits) as rooms:
        await rooms.connected("it")
        await rooms.call("it", "deaf")
        await _given_up(rooms, "max_server_requests")


async def test_a_server_that_reads_its_answers_may_ask_without_limit(tmp_path: Path) -> None:
    """MCP 2025-11-25, Ping: the receiver MUST respond promptly."""
    limits = {"max_server_requests": 50, "max_messages_per_second": 100_000}
    async with house(tmp_path, [config("it", stdio("attacker"), Era.PUSH)], **limits) as rooms:
        await rooms.connected("it")
        flood = await rooms.ended(await rooms.call("it", "ping", {"n": 500, "rate": 1000}))
        assert flood.state is CallState.DONE
