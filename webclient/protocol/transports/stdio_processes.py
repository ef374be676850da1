"""How child processes end: within the time that this program promises, and together with their own children.

The SDK closes a child's stdin, waits, sends SIGTERM to its process group, waits, and kills the group.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

from anyio.abc import Process
from mcp.os.win32.utilities import ServerProcess  # what the SDK calls a child on any system

from webclient.protocol.transports.sdk_patches import CHILD, read_by
from webclient.protocol.transports.stdout_lines import WholeLines
from webclient.protocol.transports.transport_state import TransportState


class ChildProcess:
    """The child process of one session, if any: the process that the SDK starts in the task that made this object.

    Its output is measured with the limits of `transport_state`.
    """

    def __init__(self, transport_state: TransportState) -> None:
        self._transport_state = transport_state
        self._process: ServerProcess | None = None
        CHILD.set(self)

    def started(self, process: ServerProcess) -> None:
        """Note the process, and read its output in whole lines from now on."""
        self._process = process
        if isinstance(process, Process) and process.stdout is not None:
            read_by(process, WholeLines(process.stdout, self._transport_state))

    def ended(self) -> None:
        """Note that the process and all its children have ended."""
        self._process = None

    def kill(self) -> None:
        """Kill the process with its children at once; do nothing if it has ended."""
        if self._process is not None and sys.platform != "win32":
            with suppress(ProcessLookupError):
                # The SDK starts each child as the leader of a process group.
                os.killpg(self._process.pid, signal.SIGKILL)
