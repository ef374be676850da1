"""How child processes end: within the time that this program has promised, and with all that they started themselves.

The SDK closes a child's stdin, waits, sends SIGTERM to its process group, waits, and kills the group. But a child that
ends in time, or by itself, leaves behind what it has started: its group is not looked at any more.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

from anyio.abc import Process
from mcp.client import stdio
from mcp.os.posix.utilities import terminate_posix_process_tree
from mcp.os.win32.utilities import ServerProcess  # what the SDK calls a child on any system

from webclient.protocol.decoding import Lines
from webclient.protocol.transport_state import TransportState

# Together with the half second that the SDK gives to what is left to write, 2.5 of the five seconds in which this
# program has promised to end, children included. What else is to be done takes 0.3 seconds, and several times as long
# on a machine that is busy: with three seconds for a child that will not stop, it came to more than five.
stdio.PROCESS_TERMINATION_TIMEOUT = 1.2
stdio.FORCE_KILL_TIMEOUT = 0.8

STOP_TIMEOUT = 2.7
"""Seconds that a session has to end in good order; a child that will not stop is killed before they are over."""

ABANDON_TIMEOUT = 0.8
"""Seconds that a session which did not end in good order has to be torn down; then its child is killed."""


class Child:
    """The child process of one session, if it has one; what the SDK starts in the task that made this is it.

    What it writes is counted for `wire`.
    """

    def __init__(self, wire: TransportState) -> None:
        self._wire = wire
        self._process: ServerProcess | None = None
        _CHILD.set(self)

    def started(self, process: ServerProcess) -> None:
        """Note that it runs, and read its output in lines from now on."""
        self._process = process
        if isinstance(process, Process) and process.stdout is not None:
            process._stdout = Lines(process.stdout, self._wire)  # type: ignore[attr-defined]

    def ended(self) -> None:
        """Note that it and all that it started is gone."""
        self._process = None

    def kill(self) -> None:
        """Kill it at once, with all that it started; nothing where it has ended."""
        if self._process is not None and sys.platform != "win32":
            with suppress(ProcessLookupError):
                # A child of the SDK's leads a process group of its own.
                os.killpg(self._process.pid, signal.SIGKILL)


_CHILD: ContextVar[Child | None] = ContextVar("child", default=None)

_start = stdio._create_platform_compatible_process
_stop = stdio._stop_server_process


async def _start_known(*args: Any, **options: Any) -> ServerProcess:
    process = await _start(*args, **options)
    if child := _CHILD.get():
        child.started(process)
    return process


async def _stop_whole(process: ServerProcess) -> None:
    await _stop(process)
    if sys.platform != "win32" and isinstance(process, Process):
        await terminate_posix_process_tree(process, stdio.FORCE_KILL_TIMEOUT)
    if child := _CHILD.get():
        child.ended()


stdio._create_platform_compatible_process = _start_known
stdio._stop_server_process = _stop_whole
