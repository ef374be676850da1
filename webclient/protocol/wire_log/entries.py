"""The messages of a log as readers get them: filtered, paired, and with what may be a secret masked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from webclient.domain.model import Json
from webclient.protocol.wire_log.known_secrets import KnownSecrets, Withheld, conceal
from webclient.protocol.wire_log.logs import BEGINNING, Snapshot
from webclient.protocol.wire_log.masking import masked, masked_beginning
from webclient.protocol.wire_log.messages import Direction, MessageKind, WireMessage
from webclient.protocol.wire_log.parsed import parse


@dataclass(frozen=True, slots=True, kw_only=True)
class WireLogEntry:
    """A message with masks.

    `content` is the whole message. If it is too large, or is not JSON that can be read, `beginning` is the first part
    of its text; both are empty for a message without text: one made here, or not sent. `is_stored`: the log has all of
    it.
    """

    number: int
    at: datetime
    direction: Direction
    kind: MessageKind
    method: str
    id: str | int | None
    era: str
    call_ids: tuple[str, ...]
    answers: int
    answered_by: int
    repeats: int
    took: float | None
    size: int
    made_here: bool
    content: Json | None
    beginning: str
    is_stored: bool

    @property
    def is_abridged(self) -> bool:
        """Whether it is not shown whole."""
        return self.content is None and self.size > 0

    @property
    def as_json(self) -> Json:
        """The entry as one line of an export."""
        took = None if self.took is None else round(self.took * 1000, 3)
        numbers: Json = {"answers": self.answers or None, "answered_by": self.answered_by or None, "took_ms": took}
        rest: Json = {"repeats": self.repeats or None, "message": self.content, "beginning": self.beginning or None}
        line: Json = {
            "number": self.number,
            "at": self.at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "direction": self.direction,
            "kind": self.kind,
            "method": self.method,
            "id": self.id,
            "protocol_version": self.era or None,
            "call_ids": list(self.call_ids) or None,
            "bytes": self.size,
            "made_here": self.made_here or None,
        }
        return {name: value for name, value in (line | numbers | rest).items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFilter:
    """The messages that a reader wants: of a call, between two numbers, of a method or direction, with a text."""

    call_id: str | None = None
    after: int = 0
    before: int | None = None
    method: str = ""
    direction: Direction | None = None
    text: str = ""

    def wants(self, message: WireMessage) -> bool:
        """Return whether a message matches, apart from the text."""
        return (
            (not self.method or message.method == self.method)
            and (self.direction is None or message.direction is self.direction)
            and (self.call_id is None or self.call_id in message.call_ids)
            and (self.before is None or message.number < self.before)
        )

    def finds(self, entry: WireLogEntry) -> bool:
        """Return whether an entry contains the text; what is masked is not found."""
        if not self.text:
            return True
        content = json.dumps(entry.content, ensure_ascii=False) if entry.content is not None else entry.beginning
        return self.text.lower() in f"{entry.method} {content}".lower()


class Masks:
    """Makes entries of the messages of one log; it may be used by several threads.

    Values that it has found to be secret stay secret while the log exists.
    """

    def __init__(self) -> None:
        self._known = KnownSecrets()

    def entries(
        self, log: Snapshot, messages: Sequence[WireMessage], withheld: Withheld, *, longest: int | None = None
    ) -> list[WireLogEntry]:
        """Return the entry of each of these messages of the log.

        `withheld` has the names of the arguments of calls that may be secrets, by the call's id. Of a text of more than
        `longest` characters, only the beginning is read.
        """
        self._known.read(log, withheld)
        secrets = log.secrets | self._known.values
        return [_entry(log, message, secrets, withheld, longest) for message in messages]


def _entry(
    log: Snapshot, message: WireMessage, secrets: frozenset[str], withheld: Withheld, longest: int | None
) -> WireLogEntry:
    text = message.text
    is_own = message.direction is Direction.SENT
    content = None
    if text is not None and (longest is None or len(text) <= longest):
        content = _content(log, message, secrets, withheld)
    # The beginning of a message from here is not shown: it may be an answer, and the end says of what.
    beginning = "" if content is not None or is_own else _text(text[:BEGINNING] if text else None)
    return WireLogEntry(
        number=message.number,
        at=message.at,
        direction=message.direction,
        kind=message.kind,
        method=_plain(masked(message.method, secrets, is_own=is_own)),
        id=masked(message.id, secrets, is_own=is_own),
        era=message.era,
        call_ids=message.call_ids,
        answers=message.answers,
        answered_by=message.answered_by,
        repeats=message.repeats,
        took=message.took,
        size=message.size,
        made_here=message.made_here,
        content=content,
        beginning=masked_beginning(beginning, secrets) if beginning else "",
        is_stored=not message.abridged,
    )


def _content(log: Snapshot, message: WireMessage, secrets: frozenset[str], withheld: Withheld) -> Json | None:
    content = parse(message)
    if content is None:
        return None
    try:
        conceal(log, message, content, withheld)
        shown = masked(content, secrets, is_own=message.direction is Direction.SENT)
    except RecursionError:
        return None
    return shown if isinstance(shown, dict) else None


def _plain(value: Any) -> str:
    return str(value)[:200]


def _text(text: str | bytes | None) -> str:
    return text.decode(errors="ignore") if isinstance(text, bytes) else text or ""
