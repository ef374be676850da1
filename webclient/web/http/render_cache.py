"""Parts of pages that were rendered a moment ago, so that all pages that show the same share one rendering."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

LIFETIME = 20.0
"""Seconds that a part is shared; an open page updates its relative times ("5 minutes ago") as often."""

MOST = 4_000_000
"""Characters of all parts together; the least recently used go first."""


@dataclass(frozen=True, slots=True)
class _Part:
    shown: object
    text: str
    at: float


class RenderCache:
    """Keeps what was rendered, by key, for as long as it shows the same."""

    def __init__(self) -> None:
        self._parts: OrderedDict[Hashable, _Part] = OrderedDict()
        self._size = 0

    def get(self, key: Hashable, shown: object, render: Callable[[], str]) -> str:
        """Return the part of `key`; it is rendered unless the last one showed an equal object."""
        part = self._parts.get(key)
        if part is None or time.monotonic() - part.at > LIFETIME or part.shown != shown:
            part = _Part(shown, render(), time.monotonic())
            self._put(key, part)
        self._parts.move_to_end(key)
        return part.text

    def _put(self, key: Hashable, part: _Part) -> None:
        before = self._parts.get(key)
        self._size += len(part.text) - (len(before.text) if before else 0)
        self._parts[key] = part
        while self._size > MOST and len(self._parts) > 1:
            _key, oldest = self._parts.popitem(last=False)
            self._size -= len(oldest.text)
