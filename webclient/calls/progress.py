"""The progress of one call, as far as its server reports it by the rules: the newest step, and the last messages.

A server may report thousands of steps, of any size; some are published, and a few messages are kept.
"""

from __future__ import annotations

from math import inf, isfinite
from time import monotonic

from webclient.content.visible_text import shortened
from webclient.domain.model import Json, now

PAUSE = 0.2
"""Seconds between two steps that are published (MCP 2025-11-25, Progress: SHOULD limit the rate)."""

MOST_MESSAGES = 20
"""Messages that are kept, the newest."""

LONGEST = 200
"""Characters of one message."""


class CallProgress:
    """The progress of one call; `newest` is `{progress, total?, message?, messages?, omitted?}`, None before any step.

    `messages` are the last ones, each `{at, text}`, `omitted` is the number of earlier ones.
    """

    def __init__(self) -> None:
        self.newest: Json | None = None
        self._least = -inf
        self._messages: list[Json] = []
        self._omitted = 0
        self._published_at = -inf

    def begin(self) -> None:
        """Begin again from any value: the call is sent again, with a progress token of its own."""
        self._least = -inf

    def note(self, progress: float, total: float | None, message: str | None) -> bool:
        """Note a step; return whether it is to be published now.

        A value that is less than the one before is ignored (MCP 2025-11-25, Progress: it MUST increase).
        """
        if not isfinite(progress) or progress < self._least:
            return False
        self._least = progress
        step: Json = {"progress": progress}
        if total is not None and isfinite(total):
            step["total"] = total
        if message:
            step["message"] = shortened(message, LONGEST)
            self._keep(step["message"])
        if len(self._messages) > 1:
            step["messages"] = list(self._messages)
        if self._omitted:
            step["omitted"] = self._omitted
        self.newest = step
        return self._is_due()

    def _keep(self, message: str) -> None:
        if self._messages and self._messages[-1]["text"] == message:
            return
        self._messages.append({"at": now().isoformat(), "text": message})
        if len(self._messages) > MOST_MESSAGES:
            del self._messages[0]
            self._omitted += 1

    def _is_due(self) -> bool:
        if monotonic() - self._published_at < PAUSE:
            return False
        self._published_at = monotonic()
        return True
