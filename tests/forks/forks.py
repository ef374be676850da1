"""Starts a module of ours as a process, as `python -m MODULE ARGUMENTS` does, without the time for its imports.

The fork server that does it is of one process (`server.py`), which all workers of a run share: they have its address
in the environment. Its imports are loaded once.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.forks import server

ADDRESS = "FORK_SERVER"
"""The variable of the environment that has the address."""

LAUNCHER = Path(__file__).with_name("launcher.py")


@dataclass(frozen=True, slots=True)
class Forked:
    """A process that the fork server started; it is killed when its connection is closed."""

    pid: int
    connection: socket.socket

    @property
    def sentinel(self) -> int:
        """A descriptor that can be read once the process has ended."""
        return self.connection.fileno()

    def close(self) -> None:
        """Wait until it ends, and release what watched it."""
        self.connection.recv(1)
        self.connection.close()


def module_of(command: Sequence[str]) -> tuple[str, Sequence[str]] | None:
    """Return the module and arguments of a command that runs our Python module, else None."""
    match command:
        case [sys.executable, "-m", str(module), *arguments] if module.split(".")[0] in ("tests", "webclient"):
            return module, arguments
        case _:
            return None


def fork(
    module: str, arguments: Sequence[str], files: tuple[int, int, int], *, cwd: str | Path, env: Mapping[str, str]
) -> Forked:
    """Start `module` with these standard input, output and error; the descriptors stay the caller's."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address())
    wanted = {"module": module, "arguments": list(arguments), "cwd": str(cwd), "env": dict(env)}
    socket.send_fds(connection, [json.dumps(wanted).encode()], files)
    return Forked(int.from_bytes(connection.recv(4), "little"), connection)


def launched(module: str, *arguments: str) -> list[str]:
    """Return the command line that starts `module` as `python -m` does, in milliseconds.

    For a program that knows only command lines, as the SDK's stdio transport: `launcher.py` needs no imports.
    """
    # While tests are collected, commands are made that may never be started.
    if "PYTEST_CURRENT_TEST" in os.environ:
        ready()
    return [sys.executable, "-I", "-S", str(LAUNCHER), address(), module, *arguments]


@cache
def ready() -> None:
    """Wait until processes are forked at once: on a busy machine, the fork server takes a minute for all its imports.

    A program under test that starts a server has 30 seconds for it, which would be over by then.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    fork("", [], (nothing, nothing, nothing), cwd=Path.cwd(), env={}).close()
    os.close(nothing)


def address() -> str:
    """Return where the fork server listens: that of the run, or one of this process."""
    return os.environ.get(ADDRESS) or server.listening()
