"""Forks one module as a process: `python -m MODULE ARGUMENTS`, without the time for its imports."""

from __future__ import annotations

import os
import runpy
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from threading import Lock

CONTEXT = get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.forks.preloaded"])

_lock = Lock()
"""Processes are started and looked at one at a time: `multiprocessing` reads each exit code once, from any thread."""


@dataclass(frozen=True, slots=True)
class Forked:
    """A process that the fork server started; `sentinel` is a descriptor that can be read once it has ended."""

    process: ForkServerProcess
    pid: int
    sentinel: int

    def exit_code(self, *also: int) -> int | None:
        """Wait until it ends, or until one of the descriptors `also` can be read; return its exit code if it ended."""
        wait([self.sentinel, *also])
        with _lock:
            return self.process.exitcode

    def close(self) -> None:
        """Wait until it ends, and release what watched it."""
        wait([self.sentinel])
        with _lock:
            self.process.join()
            self.process.close()


@cache
def start() -> None:
    """Start the fork server, and wait until it has forked a process that does nothing."""
    with _lock:
        nothing = CONTEXT.Process(target=int)
        nothing.start()
        nothing.join()
        nothing.close()


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
    mine = tuple(Connection(os.dup(file), writable=True) for file in files)
    process = CONTEXT.Process(target=_run, args=(module, list(arguments), mine, str(cwd), dict(env)))
    with _lock:
        process.start()
    for file in mine:
        file.close()
    assert process.pid is not None
    return Forked(process, process.pid, process.sentinel)


def _run(module: str, arguments: Sequence[str], files: Sequence[Connection], cwd: str, env: Mapping[str, str]) -> None:
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
    runpy.run_module(module, run_name="__main__", alter_sys=True)
