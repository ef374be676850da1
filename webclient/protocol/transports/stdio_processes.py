"""How child processes end: within the time that this program promises, and together with their own children.

The SDK closes a child's stdin, waits, sends SIGTERM to its process group, waits, and kills the group. But if the child
ends in time, or by itself, the SDK leaves the rest of its group running.
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

from webclient.protocol.transports.stdout_lines import WholeLines
from webclient.protocol.transports.transport_state import TransportState

# Together with the half second in which the SDK writes the last messages, these are 2.5 of the five seconds in which
# this program promises to end, children included. The rest takes 0.3 seconds, and several times as long on a busy
# machine: with three seconds for a child that does not stop, the whole took more than five.
stdio.PROCESS_TERMINATION_TIMEOUT = 1.2
stdio.FORCE_KILL_TIMEOUT = 0.8  # both within `STOP_TIMEOUT`


class ChildProcess:
    """The child process of one session, if any: the process that the SDK starts in the task that made this object.

    Its output is measured with the limits of `transport_state`.
    """

    def __init__(self, transport_state: TransportState) -> None:
        self._transport_state = transport_state
        self._process: ServerProcess | None = None
        _CHILD.set(self)

    def started(self, process: ServerProcess) -> None:
        """Note the process, and read its output in whole lines from now on."""
        self._process = process
        if isinstance(process, Process) and process.stdout is not None:
            process._stdout = WholeLines(process.stdout, self._transport_state)  # type: ignore[attr-defined]

    def ended(self) -> None:
        """Note that the process and all its children have ended."""
        self._process = None

    def kill(self) -> None:
        """Kill the process with its children at once; do nothing if it has ended."""
        if self._process is not None and sys.platform != "win32":
            with suppress(ProcessLookupError):
                # The SDK starts each child as the leader of a process group.
                os.killpg(self._process.pid, signal.SIGKILL)


_CHILD: ContextVar[ChildProcess | None] = ContextVar("child", default=None)

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
