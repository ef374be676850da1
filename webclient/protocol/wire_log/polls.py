"""Recognises polls: requests that are repeated for hours, mostly with the same response."""

from __future__ import annotations

import json
from collections.abc import Sequence

from webclient.domain.model import Json
from webclient.protocol.wire_log.messages import Direction, MessageKind, WireMessage

_OF_TASKS = "tasks/get"
"""The request for the state of a task, ours or the server's."""


def is_ping(message: WireMessage) -> bool:
    """Return whether a message asks only if the server is there; its response says nothing."""
    is_sent = message.kind is MessageKind.REQUEST and message.direction is Direction.SENT
    return is_sent and message.method in ("ping", "server/discover")


def is_poll(message: WireMessage) -> bool:
    """Return whether a message asks for the state of a task."""
    return message.kind is MessageKind.REQUEST and message.method == _OF_TASKS


def are_equal_polls(messages: Sequence[WireMessage]) -> bool:
    """Return whether messages are polls and their responses, equal but for the ids."""
    polls, responses = messages[::2], messages[1::2]
    if not all(map(is_poll, polls)) or not all(each.is_response and each.method == _OF_TASKS for each in responses):
        return False
    return _are_same(polls) and _are_same(responses)


def _are_same(messages: Sequence[WireMessage]) -> bool:
    first = _content(messages[0])
    same = (each.direction is messages[0].direction and _content(each) == first for each in messages)
    return first is not None and all(same)


def _content(message: WireMessage) -> Json | None:
    """Return a message without its id; None if its text is not whole, or not JSON."""
    if message.text is None or message.abridged:
        return None
    try:
        content = json.loads(message.text)
    except (ValueError, RecursionError):
        return None
    return {name: value for name, value in content.items() if name != "id"} if isinstance(content, dict) else None
