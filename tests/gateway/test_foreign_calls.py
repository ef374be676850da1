"""Messages that another gateway passes on: what two programs could read differently is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.tables import each_row
from webclient.gateway.foreign_calls import MOST_BESIDE, UnclearMessageError, read_message


def call(**params: Any) -> bytes:
    """Return a tool call with these parameters, beside its name."""
    return json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "pay", **params}}).encode()


def test_a_tool_call_is_read_with_all_that_is_sent_along() -> None:
    found = read_message(call(arguments={"amount": 1}, _meta={"progressToken": 1}, inputResponses={"a": {}}))
    assert found is not None
    assert (found.id, found.name, found.arguments) == (7, "pay", {"amount": 1})
    assert found.beside == {"inputResponses": {"a": {}}}


def test_the_state_of_a_round_is_not_shown_but_counts() -> None:
    found = read_message(call(requestState="sealed"))
    assert found is not None
    assert (found.shown_beside, found.beside) == ("", {"requestState": "sealed"})


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}',
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b'{"jsonrpc": "2.0", "id": 1, "result": {"action": "accept"}}',
    ],
)
def test_other_messages_need_no_decision(body: bytes) -> None:
    assert read_message(body) is None


@each_row(
    "body",
    [
        b"no JSON",
        b'\xef\xbb\xbf{"method": "tools/call"}',
        '{"method": "tools/call"}'.encode("utf-16"),
        b'[{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "pay"}}]',
        b'{"method": "ping", "method": "tools/call", "params": {"name": "pay"}}',
        b'{"method": "ping", "Method": "tools/call", "params": {"name": "pay"}}',
        b'{"method": ["tools/call"], "params": {"name": "pay"}}',
        b'{"method": "tools/call", "params": {"name": "look", "Name": "pay"}}',
        b'{"method": "tools/call", "params": {"name": "pay", "arguments": {"a": 1, "a": 1000}}}',
        b'{"method": "tools/call", "params": {"name": "pay", "arguments": {"a": 0.10000000000000000001}}}',
        b'{"method": "tools/call", "params": {"name": "pay", "arguments": [1]}}',
        b'{"method": "tools/call", "params": {"name": ["pay"]}}',
        b'{"method": "tools/call", "id": {}, "params": {"name": "pay"}}',
        b'{"method": "tools/call"}',
        b'{"method": "ping", "params": ' + b"[" * 100_000,
        call(inputResponses={"a": "x" * MOST_BESIDE}),
    ],
)
def test_ambiguous_messages_are_refused(body: bytes) -> None:
    with pytest.raises(UnclearMessageError):
        read_message(body)
