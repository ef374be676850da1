"""The fork server starts processes for all workers of a run, and reports their exit codes.

A client connects to its socket and sends the module, with descriptors of three standard streams (`forks.py`,
`launcher.py`). It gets the process id, and at the end the exit code. If it disconnects before, the process is killed.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import shutil
import signal
import socket
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from threading import Lock, Thread

CONTEXT = get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.forks.preloaded"])

_lock = Lock()
"""Processes are started and looked at one at a time: `multiprocessing` reads each exit code once, from any thread."""

_LARGEST = 2**20
"""Bytes of a message: its environment, most of all."""


@cache
def listening() -> str:
    """Listen until this process ends; returns the address."""
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
        client, _ = listener.accept()
        Thread(target=_serve, args=(client,), name="fork", daemon=True).start()


def _serve(client: socket.socket) -> None:
    # One that was killed meanwhile can be sent nothing.
    with client, suppress(BrokenPipeError, ConnectionResetError):
        message, files, _, _ = socket.recv_fds(client, _LARGEST, 3)
        if not message:
            return
        process = _forked(json.loads(message), files)
        for file in files:
            os.close(file)
        assert process.pid is not None
        try:
            client.sendall(process.pid.to_bytes(4, "little"))
            client.sendall((_exit_code(process, client) & 0xFF).to_bytes(1, "little"))
        finally:
            _end(process, process.pid)


def _forked(wanted: Mapping[str, object], files: Sequence[int]) -> ForkServerProcess:
    mine = [Connection(os.dup(file), writable=True) for file in files]
    process = CONTEXT.Process(target=_run, args=(mine,), kwargs=wanted)
    with _lock:
        process.start()
    for file in mine:
        file.close()
    return process


def _exit_code(process: ForkServerProcess, client: socket.socket) -> int:
    wait([process.sentinel, client.fileno()])
    with _lock:
        code = process.exitcode
    if code is None:
        raise BrokenPipeError("the client has disconnected")
    return code


def _end(process: ForkServerProcess, pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    wait([process.sentinel])
    with _lock:
        process.join()
        process.close()


def _run(files: Sequence[Connection], module: str, arguments: Sequence[str], cwd: str, env: Mapping[str, str]) -> None:
    for number, file in enumerate(files):
        os.dup2(file.fileno(), number)
        file.close()
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115  (for good)
        for number, mode in enumerate(("r", "w", "w"))
    )
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = [module, *arguments]
    # The warning is about what is the point here: that the module is loaded already.
    warnings.filterwarnings("ignore", message=".*found in sys.modules after import of package", category=RuntimeWarning)
    # Without a module it was only asked whether processes are forked at once.
    if module:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
