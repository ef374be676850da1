"""One message as it passed between this program and a server."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from time import monotonic

from webclient.domain.model import now

UNTIL_POSTED = 1.0
"""Seconds after which a message without a text was not sent."""


class Direction(StrEnum):
    """Which way a message went."""

    SENT = "sent"
    RECEIVED = "received"


class MessageKind(StrEnum):
    """The four messages of JSON-RPC 2.0."""

    REQUEST = "request"
    RESULT = "result"
    ERROR = "error"
    NOTIFICATION = "notification"


@dataclass(slots=True, eq=False, kw_only=True)
class WireMessage:
    """A message with its `text` as it passed, and None while it has none.

    `method` and `era` of a response are those of its request. `number` counts the messages of a server. A response has
    the number of the request that it `answers`, and the seconds that it `took`; a request that was answered has the
    number of the response in `answered_by`. `call_ids` are the calls that it belongs to, or may belong to.

    `repeats` counts the polls, each with its response, that this one stands for besides itself. `made_here`: an error
    in place of a response that never came. `size` is that of the whole text in bytes; `abridged`: the text is only its
    beginning.
    """

    direction: Direction
    kind: MessageKind
    method: str
    id: str | int | None = None
    era: str = ""
    call_ids: tuple[str, ...] = ()
    text: str | bytes | None = None
    made_here: bool = False
    number: int = 0
    answers: int = 0
    answered_by: int = 0
    repeats: int = 0
    took: float | None = None
    size: int = 0
    abridged: bool = False
    at: datetime = field(default_factory=now)
    clock: float = field(default_factory=monotonic)

    @property
    def awaits_text(self) -> bool:
        """Whether it was sent a moment ago, and its text is still to come."""
        is_sent = self.direction is Direction.SENT and self.text is None
        return is_sent and monotonic() - self.clock < UNTIL_POSTED

    @property
    def is_response(self) -> bool:
        """Whether it is a result or an error."""
        return self.kind in (MessageKind.RESULT, MessageKind.ERROR)
