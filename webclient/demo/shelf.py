"""A shelf for what is needed for a while: sign-ins, links, codes. Nothing stays, and it cannot grow without end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from secrets import token_urlsafe
from typing import Generic, TypeVar

Value = TypeVar("Value")
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class _Place(Generic[Value]):
    value: Value
    until: float


class Shelf(Generic[Value]):
    """Values under names that cannot be guessed, for so many `seconds`; of more than `room`, the oldest leaves.

    `clock` counts seconds. A database with an expiry column does the same for several processes.
    """

    def __init__(self, *, seconds: float, room: int, clock: Clock = time.monotonic) -> None:
        self.seconds = seconds
        self._room = room
        self._clock = clock
        self._places: dict[str, _Place[Value]] = {}

    def put(self, value: Value) -> str:
        """Keep `value` and return its name: 256 random bits."""
        self._drop_what_is_over()
        while len(self._places) >= self._room:
            del self._places[next(iter(self._places))]
        name = token_urlsafe(32)
        self._places[name] = _Place(value, self._clock() + self.seconds)
        return name

    def get(self, name: str | None) -> Value | None:
        """Return what was put under `name`; None when it never was, or no longer is."""
        self._drop_what_is_over()
        place = self._places.get(name or "")
        return place.value if place else None

    def take(self, name: str | None) -> Value | None:
        """Return what was put under `name` and remove it, so that it works once."""
        value = self.get(name)
        self._places.pop(name or "", None)
        return value

    def values(self) -> list[Value]:
        """Return everything on the shelf, the oldest first."""
        self._drop_what_is_over()
        return [place.value for place in self._places.values()]

    def _drop_what_is_over(self) -> None:
        # Put in order of time, so what is over stands at the front.
        while self._places and next(iter(self._places.values())).until <= self._clock():
            del self._places[next(iter(self._places))]
