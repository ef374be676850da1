"""SIGHUP: the request to reload the configuration, or the news that the terminal of this program is gone."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import FrameType


class Hangups:
    """Catches SIGHUP from the start on, and remembers one until the program is ready to act on it."""

    def __init__(self) -> None:
        self._came = False
        self._reload: Callable[[], object] | None = None
        self._stop: Callable[[], object] | None = None
        self._has_terminal = False
        number = getattr(signal, "SIGHUP", None)
        if number is not None:  # there is none on Windows
            # It is ignored under nohup(1), so then this program is to outlive its terminal.
            self._has_terminal = signal.getsignal(number) is not signal.SIG_IGN and _has_terminal()
            signal.signal(number, self._act)

    def then(self, *, reload: Callable[[], object], stop: Callable[[], object]) -> None:
        """Call `reload` at each signal from now on, also for one that came before; `stop` if the terminal is gone."""
        self._reload, self._stop = reload, stop
        if self._came:
            reload()

    def _act(self, number: int, _frame: FrameType | None) -> None:
        if self._has_terminal and not _has_terminal():
            if self._stop is None:
                signal.signal(number, signal.SIG_DFL)
                os.kill(os.getpid(), number)
            else:
                self._stop()
        elif self._reload is None:
            self._came = True
        else:
            self._reload()


def _has_terminal() -> bool:
    """Return whether this process has a controlling terminal, which it loses when that is closed (tty(4))."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True
