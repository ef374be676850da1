"""The bounds of the wire log: number, bytes, one huge message, and all servers together."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.wire_log.made import KEY, Made, call, said
from webclient.domain.errors import TooManyError
from webclient.protocol.wire_log import Direction, MessageKind, ServerLog, WireLogs, WireMessage
from webclient.protocol.wire_log.logs import BEGINNING, LONGEST, MOST_BYTES, MOST_MESSAGES, WATCHED


def flood(logs: WireLogs, key: tuple[str, str], count: int, text: str) -> None:
    for _each in range(count):
        message = WireMessage(direction=Direction.RECEIVED, kind=MessageKind.NOTIFICATION, method="n")
        logs.add(key, message, text, ())


def stored(log: ServerLog) -> int:
    return sum(len(message.text or "") for message in log.messages)


def test_a_flood_leaves_the_newest_messages() -> None:
    made = Made()
    flood(made.logs, KEY, 3 * MOST_MESSAGES, "{}")
    assert len(made.log.messages) == MOST_MESSAGES
    assert (made.log.newest, made.log.dropped) == (3 * MOST_MESSAGES, 2 * MOST_MESSAGES)
    assert [message.number for message in made.log.messages][-1] == made.log.newest
    snapshot = made.log.snapshot()
    assert snapshot.get(made.log.dropped) is None
    assert snapshot.after(made.log.newest - 2) == list(made.log.messages)[-2:]
    assert snapshot.get(made.log.newest) is made.log.messages[-1]


def test_large_messages_are_bounded_in_bytes() -> None:
    made = Made()
    flood(made.logs, KEY, 200, "x" * (LONGEST - 1))
    assert stored(made.log) <= made.log.size <= MOST_BYTES
    assert len(made.log.messages) > 10


@pytest.mark.parametrize("text", ["x" * (LONGEST * 20), "é" * (LONGEST * 20), b"x" * (LONGEST * 20)])
def test_a_huge_message_is_cut_and_its_size_is_said(text: str | bytes) -> None:
    made = Made()
    message = made.add("received", text)
    assert (message.abridged, len(message.text or "")) == (True, BEGINNING)
    assert message.size == len(text.encode() if isinstance(text, str) else text)


def test_all_servers_together_are_bounded() -> None:
    logs = WireLogs(1_000_000)
    flood(logs, ("local", "quiet"), 3, "{}")
    for number in range(30):
        flood(logs, ("local", f"server {number % 3}"), 20, "x" * 10_000)
        assert logs.size <= 1_000_000
    # A server that floods loses its own messages, and not those of others.
    assert len(logs.of(("local", "quiet")).messages) == 3
    assert logs.size == sum(logs.of(("local", name)).size for name in ("quiet", "server 0", "server 1", "server 2"))


def test_a_bound_below_one_message_stores_nothing() -> None:
    made = Made(most_bytes=10)
    made.add("received", said("hello"))
    assert (len(made.log.messages), made.logs.size) == (0, 0)


def test_a_text_that_comes_later_counts() -> None:
    made = Made()
    message = made.add("sent", None)
    before = made.logs.size
    made.logs.set_text(KEY, message, b"x" * 1000)
    assert made.logs.size > before + 1000
    made.logs.clear(KEY)
    made.logs.set_text(KEY, message, b"x" * 1000)
    assert (made.logs.size, message.text) == (0, None)


def test_a_message_without_its_text_yet_is_not_complete() -> None:
    made = Made()
    made.add("sent", call({}))
    waiting = made.add("sent", None)
    made.add("received", said("hello"))
    assert made.log.complete == 1
    made.logs.set_text(KEY, waiting, json.dumps(call({})))
    assert made.log.complete == 3


def test_a_message_that_is_never_sent_holds_up_nothing() -> None:
    made = Made()
    made.add("sent", None).clock -= 5
    assert made.log.complete == 1


def test_a_removed_server_leaves_nothing() -> None:
    made = Made()
    made.add("sent", call({}))
    log = made.log
    made.logs.forget(KEY)
    assert (made.logs.size, made.log.newest, log.is_closed) == (0, 0, True)


@pytest.mark.anyio
async def test_a_log_has_a_bounded_number_of_watchers() -> None:
    log = ServerLog()
    stack = [log.watched() for _each in range(WATCHED)]
    for each in stack:
        each.__enter__()
    with pytest.raises(TooManyError), log.watched():
        pass
    stack[0].__exit__(None, None, None)
    with log.watched() as changed:
        log.add(WireMessage(direction=Direction.SENT, kind=MessageKind.REQUEST, method="m"), "{}", ())
        async with asyncio.timeout(1):
            await changed.wait()


@pytest.mark.parametrize("asks", ["sent", "received"])
def test_equal_polls_of_a_task_are_merged(asks: str) -> None:
    made = Made()
    answers = "received" if asks == "sent" else "sent"
    states = [("a", "working")] * 50 + [("b", "working")] * 3 + [("b", "completed")]
    for number, (task, status) in enumerate(states):
        made.add(asks, {"jsonrpc": "2.0", "id": number, "method": "tasks/get", "params": {"taskId": task}})
        made.add(answers, {"jsonrpc": "2.0", "id": number, "result": {"status": status}}, method="tasks/get")
    polls = [entry for entry in made.entries() if entry.kind == "request"]
    assert [entry.repeats for entry in polls] == [0, 48, 0, 1, 0]
    assert made.log.snapshot().get(polls[1].number) is made.log.messages[2]
    assert made.log.dropped == 0


def test_pings_of_an_idle_server_are_merged() -> None:
    made = Made()
    made.add("sent", call({}))
    for number in range(50):
        made.add("sent", {"jsonrpc": "2.0", "id": number, "method": "ping"})
        made.add("received", {"jsonrpc": "2.0", "id": number, "result": {}}, method="ping")
    numbers = [(entry.number, entry.repeats) for entry in made.entries()]
    assert numbers == [(1, 0), (2, 0), (3, 0), (100, 48), (101, 0)]
    assert made.log.snapshot().get(100) is made.log.messages[-2]
    assert made.log.snapshot().get(50) is None
    assert made.log.dropped == 0
    made.logs.clear(KEY)
    assert made.logs.size == 0
