"""Lets a program that knows only command lines, as the SDK's stdio transport, start what the fork server forks.

The command line is that of `launcher.py`, which needs no imports: it hands its standard streams over a socket to this
process and stays, so that its parent can signal and await it.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import socket
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Thread

from tests.forks.forks import Forked, fork, start

LAUNCHER = Path(__file__).with_name("launcher.py")
_LARGEST = 2**20
"""Bytes of a launcher's message: its environment, most of all."""


def launched(module: str, *arguments: str) -> list[str]:
    """Return the command line that starts `module` as `python -m` does, in milliseconds."""
    # While tests are collected, commands are made that may never be started.
    if "PYTEST_CURRENT_TEST" in os.environ:
        ready()
    return [sys.executable, "-I", "-S", str(LAUNCHER), _listening(), module, *arguments]


def ready() -> None:
    """Wait until processes are forked at once: on a busy machine, the fork server takes a minute for all its imports.

    A program under test that starts a server has 30 seconds for it, which would be over by then.
    """
    start()
    _listening()


@cache
def _listening() -> str:
    """Listen for launchers until this process ends; returns the address."""
    folder = tempfile.mkdtemp(prefix="forks-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    address = str(Path(folder) / "socket")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(128)
    Thread(target=_listen, args=(listener,), name="forks", daemon=True).start()
    return address


def _listen(listener: socket.socket) -> None:
    while True:
        launcher, _ = listener.accept()
        Thread(target=_serve, args=(launcher,), name="fork", daemon=True).start()


def _serve(launcher: socket.socket) -> None:
    # A launcher that was killed meanwhile can be sent nothing.
    with launcher, suppress(BrokenPipeError, ConnectionResetError):
        message, files, _, _ = socket.recv_fds(launcher, _LARGEST, 3)
        if not message:
            return
        wanted = json.loads(message)
        forked = fork(wanted["module"], wanted["arguments"], _three(files), cwd=wanted["cwd"], env=wanted["env"])
        for file in files:
            os.close(file)
        try:
            launcher.sendall(forked.pid.to_bytes(4, "little"))
            code = _ended(forked, launcher)
            launcher.sendall((code & 0xFF).to_bytes(1, "little"))
        finally:
            with suppress(ProcessLookupError):
                os.kill(forked.pid, signal.SIGKILL)
            forked.close()


def _ended(forked: Forked, launcher: socket.socket) -> int:
    code = forked.exit_code(launcher.fileno())
    if code is None:
        raise BrokenPipeError("the launcher was killed")
    return code


def _three(files: list[int]) -> tuple[int, int, int]:
    read, written, errors = files
    return read, written, errors
