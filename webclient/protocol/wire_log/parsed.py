"""The parsed text of a message, and the part of it that is about elicitation, in both eras."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from webclient.domain.model import Json
from webclient.protocol.wire_log.logs import Snapshot
from webclient.protocol.wire_log.messages import Direction, MessageKind, WireMessage

ELICIT = "elicitation/create"


def parse(message: WireMessage | None) -> Json | None:
    """Return the whole message; None if it is not known, or only its beginning is."""
    # Once: the loop may drop the text while another thread is here.
    text = message.text if message else None
    if message is None or text is None or message.abridged:
        return None
    try:
        found = json.loads(text, parse_int=_integer)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def part(value: object, *names: str) -> Json:
    """Return the object at this path, or an empty one."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def answers_in(log: Snapshot, message: WireMessage, content: Json) -> Iterator[tuple[Json, Json | None]]:
    """Yield each answer in a sent message, with the parameters of its request; None if they are not known any more."""
    if message.direction is not Direction.SENT:
        return
    if message.kind is MessageKind.RESULT and message.method in (ELICIT, ""):
        request = parse(log.get(message.answers))
        yield part(content, "result"), None if request is None else part(request, "params")
    responses = part(content, "params", "inputResponses")
    requests = _required(log, message) if responses else None
    for key, answer in responses.items():
        if isinstance(answer, dict):
            yield answer, None if requests is None else part(requests, key, "params")


def _required(log: Snapshot, message: WireMessage) -> Json | None:
    """Return the requests of the round that the message answers: those of the newest result of its call before it."""
    for earlier in reversed(log.messages):
        if earlier.number >= message.number or earlier.direction is Direction.SENT:
            continue
        if earlier.kind is MessageKind.RESULT and set(earlier.call_ids) & set(message.call_ids):
            content = parse(earlier)
            return None if content is None else part(content, "result", "inputRequests")
    return None


def _integer(text: str) -> Any:
    # Python refuses to read a number of more than 4,300 digits.
    return int(text) if len(text) < 400 else float(text)
