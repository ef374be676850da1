"""Shows what a child writes to standard error while it is being connected: that it works, and on what.

`npx` and `uvx` may load for minutes before a server is there to answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

PAUSE = 0.3
"""Seconds between two times that something is shown, at least."""

SHOWN = 600
"""Characters of the end that are shown."""


class Startup:
    """Passes the end of `read()` on to `show` while a server starts, soon after `wrote` was called."""

    def __init__(self, read: Callable[[], str], show: Callable[[str | None], None]) -> None:
        self._read = read
        self._show = show
        self._timer: asyncio.TimerHandle | None = None
        self._is_over = False

    def wrote(self) -> None:
        """Note that there is more to read."""
        if self._timer is None and not self._is_over:
            self._timer = asyncio.get_running_loop().call_later(PAUSE, self._pass_on)

    def end(self) -> None:
        """Show nothing any more: it is connected, or will not be."""
        if self._timer is not None:
            self._timer.cancel()
        if not self._is_over:
            self._is_over = True
            self._show(None)

    def _pass_on(self) -> None:
        self._timer = None
        self._show(self._read()[-SHOWN:])
