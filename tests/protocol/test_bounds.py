"""What a server sends is bounded, whatever it is sent over: each limit is a setting, and is named where it was met."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.house import House, config, house
from tests.mcp_servers import running, stdio
from webclient.model import Call, CallState, Era, ServerState
from webclient.protocol.completions import Completions
from webclient.protocol.json_meter import EventMeter, Meter
from webclient.protocol.limits import TooLargeError
from webclient.protocol.read_rate import Pace
from webclient.reasons import sentence

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
    """Return the setting that the call's error names, in its reason or its message."""
    assert call.error
    said = sentence(call.error.reason) if call.error.reason else call.error.message or ""
    return next(iter(re.findall(r"setting (\w+)", said)), "")


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
            assert (await rooms.ended(await rooms.call("it", "ask"))).state is CallState.DONE


async def test_states_and_questions_of_a_round_are_bounded(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("attacker"), Era.ROUNDS)], **SMALL) as rooms:
        await rooms.connected("it")
        limits = {"state": (0.01, "max_state_bytes"), "questions": (0.01, "max_pending")}
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


async def test_too_many_unanswered_requests_end_the_connection_with_the_reason(tmp_path: Path) -> None:
    limits = {"max_server_requests": 50, "max_pending": 5, "max_messages_per_second": 100_000}
    async with house(tmp_path, [config("it", stdio("attacker"), Era.PUSH)], **limits) as rooms:
        await rooms.connected("it")
        await rooms.call("it", "deaf")
        await _given_up(rooms, "max_server_requests")


async def test_a_server_that_takes_its_answers_may_ask_as_much_as_it_likes(tmp_path: Path) -> None:
    limits = {"max_server_requests": 50, "max_messages_per_second": 100_000}
    async with house(tmp_path, [config("it", stdio("attacker"), Era.PUSH)], **limits) as rooms:
        await rooms.connected("it")
        flood = await rooms.ended(await rooms.call("it", "ping", {"n": 500, "rate": 1000}))
        assert flood.state is CallState.DONE


async def test_a_thousand_completions_are_looked_up_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webclient.protocol.completions.PAUSE", 0)
    looked: list[set[str]] = []

    async def look_up(told: Mapping[str, datetime]) -> None:
        looked.append(set(told))
        await anyio.sleep(0.01)

    completions = Completions(look_up)
    assert [completions.tell(str(n)) for n in range(1000)].count(True) == 1
    async with anyio.create_task_group() as group:
        group.start_soon(completions.work)
        await anyio.lowlevel.checkpoint()
        assert not completions.tell("late"), "it is looked up after those that are looked up now"
    assert looked == [{str(n) for n in range(1000)}, {"late"}]
    assert completions.tell("again"), "whoever comes later begins anew"


async def test_a_server_is_read_at_its_pace_after_a_burst(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(anyio, "sleep", sleep)
    monkeypatch.setattr("webclient.protocol.read_rate.monotonic", lambda: 100.0)
    pace = Pace(per_second=10)
    for _message in range(10):
        await pace.messages(1)
    assert slept == [0] * 10, "a second's worth passes without a wait, but lets others run"
    await pace.messages(1)
    await pace.bytes(65_536)
    await pace.bytes(1)
    await pace.bytes(32_768, lines=200)
    assert slept[10:] == pytest.approx([0.1, 0.3, 0.31, 0.61], rel=1e-3)


def _values(*pieces: bytes, most: int = 10**6) -> int:
    meter = Meter("max_message_bytes", 10**9, most)
    for piece in pieces:
        meter.feed(piece)
    return meter._values


def test_values_are_counted_outside_of_strings_however_they_are_cut() -> None:
    text = rb'{"a, b": [1, "x\",[[[\\", {"c": "\\\""}], "d": "{,"}'
    assert _values(text) == 6
    for cut in range(len(text)):
        assert _values(text[:cut], text[cut:]) == 6, text[:cut]
    assert _values(*(text[n : n + 1] for n in range(len(text)))) == 6
    with pytest.raises(TooLargeError, match="max_message_values"):
        _values(b"[],", b"[]," * 10, most=20)


def test_a_quote_in_a_comment_hides_nothing_from_the_count() -> None:
    """In a stream of events a line of another kind may hold one quote, and JSON has no line break in a string."""
    with pytest.raises(TooLargeError, match="max_message_values"):
        _values(b': "\ndata: ' + b"[]," * 100, most=20)


@pytest.mark.parametrize("line", [b"id: 7\n", b":\r\n", b"data:\r"])
def test_each_line_of_an_event_counts_as_a_value(line: bytes) -> None:
    meter = EventMeter(lambda: Meter("max_message_bytes", 10**9, 1000))
    meter.feed(line * 900)
    with pytest.raises(TooLargeError, match="max_message_values"):
        meter.feed(line * 200)


@pytest.mark.parametrize("blank", [b"\n\n", b"\r\n\r\n", b"\r\r"])
def test_each_event_is_counted_by_itself(blank: bytes) -> None:
    meter = EventMeter(lambda: Meter("max_message_bytes", 100, 10))
    for _event in range(20):
        meter.feed(b"data: " + b"x" * 80 + blank[:1])
        meter.feed(blank[1:])
    meter.feed(b"x" * 60)
    with pytest.raises(TooLargeError, match="max_message_bytes"):
        meter.feed(b"x" * 60)
