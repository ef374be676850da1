"""The program as a process whose output, signals and exit code are looked at; `tests/program.py` is for its API."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.forks import launched

PROGRAM = [sys.executable, "-m", "webclient"]
HANGS = 60
"""Seconds after which something that should have ended is taken to hang."""


PROMISED = 5
"""Seconds in which the program promises to end."""

SAMPLE = 0.03
"""Seconds of processor time from which the load of the machine is known."""


@dataclass
class Running:
    """A process that is ready, and what it said so far."""

    process: subprocess.Popen[str]
    ready: str
    errors: Path

    @property
    def url(self) -> str:
        """Where it serves."""
        parts = urlsplit(self.ready.removeprefix("Ready: "))
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def token(self) -> str:
        """The token of the ready line."""
        return parse_qs(urlsplit(self.ready).query)["token"][0]

    @property
    def bearer(self) -> dict[str, str]:
        """What a script sends."""
        return {"Authorization": f"Bearer {self.token}"}

    def ended(self) -> int:
        """Wait until it has ended, within the promised time; return its exit code.

        A second on a busy machine counts for as much of it as one process gets.
        """
        left = float(PROMISED)
        while self.process.poll() is None:
            assert left > 0, "it has not ended"
            begun, used = time.monotonic(), time.process_time()
            while time.process_time() - used < SAMPLE:
                pass
            share = SAMPLE / max(time.monotonic() - begun, SAMPLE)
            time.sleep(4 * SAMPLE)
            left -= (time.monotonic() - begun) * share
        return self.process.returncode

    def end(self, signal_number: int = signal.SIGTERM) -> str:
        """Tell it to end; return what else it wrote to standard output."""
        self.process.send_signal(signal_number)
        output, _ = self.process.communicate(timeout=HANGS)
        return output


def environment(**more: str) -> dict[str, str]:
    """Return our environment without settings of the program."""
    return {name: value for name, value in os.environ.items() if not name.startswith("WEBCLIENT_")} | more


@contextmanager
def running(folder: Path, *arguments: str, command: str = "serve", **env: str) -> Iterator[Running]:
    """Run the program on a free port until the block ends; its process passes signals on to one that was forked."""
    with _run(launched("webclient"), folder, [command, *arguments], env) as program:
        yield program


@contextmanager
def in_locale(folder: Path, *arguments: str, command: str = "serve", **env: str) -> Iterator[Running]:
    """Run the program with an interpreter of its own, in the locale of `env`."""
    with _run(PROGRAM, folder, [command, *arguments], env) as program:
        yield program


@contextmanager
def at_home(home: Path, command: str) -> Iterator[Running]:
    """Run a command on a free port, with its default data folder in this home."""
    folder = home / command
    folder.mkdir()
    variables = {"XDG_DATA_HOME": str(home / "data")}
    with _run(launched("webclient"), folder, [command], variables, data_dir=False) as program:
        yield program


@contextmanager
def leading(folder: Path, *arguments: str, command: str = "serve") -> Iterator[Running]:
    """Run the program as the leader of a group of processes, as a terminal does."""
    with _run(PROGRAM, folder, [command, *arguments], {}, leads=True) as program:
        yield program


@contextmanager
def _run(
    line: Sequence[str],
    folder: Path,
    arguments: Sequence[str],
    env: Mapping[str, str],
    *,
    leads: bool = False,
    data_dir: bool = True,
) -> Iterator[Running]:
    errors = folder / "stderr"
    command, *more = arguments
    program = [*line, command, "--port", "0", *(["--data-dir", str(folder / "data")] if data_dir else []), *more]
    with (
        errors.open("w", encoding="utf-8") as stderr,
        subprocess.Popen(
            program,
            stdout=subprocess.PIPE,
            stderr=stderr,
            encoding="utf-8",
            env=environment(**env),
            start_new_session=leads,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            ready = process.stdout.readline().rstrip("\n")
            assert ready, errors.read_text("utf-8", errors="replace")
            yield Running(process, ready, errors)
        finally:
            if process.poll() is None:
                process.kill()
            if process.stdout and not process.stdout.closed:
                # The forked process has it as well: its data folder is free when the end of its output is read.
                process.stdout.read()
