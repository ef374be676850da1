"""The values of a server's messages that are secret because of the field into which they were typed.

They are masked in every message, since a server may repeat them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from threading import Lock
from typing import Any

from webclient.content.forms import DOTS, concealed, read_form
from webclient.content.masking import SHORTEST
from webclient.domain.model import Json
from webclient.protocol.wire_log.logs import Snapshot
from webclient.protocol.wire_log.messages import Direction, WireMessage
from webclient.protocol.wire_log.parsed import answers_in, parse, part

Withheld = Mapping[str, Collection[str]]
"""The names of the arguments of calls that may be secrets, by the call's id; all arguments of other calls may be."""


class KnownSecrets:
    """Finds the secret values of one log as messages come; `values` are those found until now."""

    def __init__(self) -> None:
        self.values: set[str] = set()
        self._read = 0
        self._lock = Lock()

    def read(self, log: Snapshot, withheld: Withheld) -> None:
        """Read the messages that have come since."""
        with self._lock:
            self._read_on(log, withheld)

    def _read_on(self, log: Snapshot, withheld: Withheld) -> None:
        for message in log.after(self._read):
            if message.number > log.complete:
                break
            self._read = message.number
            if message.direction is Direction.SENT and (content := parse(message)):
                self.values |= {text for text in _secrets(log, message, content, withheld) if len(text) >= SHORTEST}


def conceal(log: Snapshot, message: WireMessage, content: Json, withheld: Withheld) -> None:
    """Replace the secret values in what was sent of a person: answers and arguments."""
    for answer, request in answers_in(log, message, content):
        if isinstance(answer.get("content"), dict):
            answer["content"] = _concealed(answer["content"], request)
    arguments = part(content, "params", "arguments")
    for name in _withheld(message, arguments, withheld):
        arguments[name] = DOTS


def _secrets(log: Snapshot, message: WireMessage, content: Json, withheld: Withheld) -> Iterator[str]:
    for answer, request in answers_in(log, message, content):
        values = part(answer, "content")
        shown = _concealed(values, request)
        yield from _texts([value for name, value in values.items() if shown[name] == DOTS])
    arguments = part(content, "params", "arguments")
    yield from _texts([arguments[name] for name in _withheld(message, arguments, withheld)])


def _concealed(values: Json, request: Json | None) -> Json:
    """Mask the values of an answer that may be secret; all of them if its form is unknown."""
    schema = request.get("requestedSchema") if request else None
    if not isinstance(schema, dict):
        return dict.fromkeys(values, DOTS)
    message = request.get("message") if request else None
    return concealed(read_form(schema), values, message if isinstance(message, str) else "")


def _withheld(message: WireMessage, arguments: Json, withheld: Withheld) -> set[str]:
    return {name for call_id in message.call_ids for name in withheld.get(call_id, arguments) if name in arguments}


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case bool() | None:
            return
        case int() | float():
            yield str(value)
        case list():
            for each in value:
                yield from _texts(each)
        case dict():
            for each in value.values():
                yield from _texts(each)
