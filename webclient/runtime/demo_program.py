"""The demo as a child of `serve`: started when a person asks for it in the page, and ended with this program.

It is the command `demo` in a process, with a data folder, a port and a token of its own. Nothing that a browser sends
is in its command line.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from asyncio.subprocess import Process
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import cast

from webclient.content.visible_text import visible
from webclient.domain.errors import ConflictError
from webclient.domain.i18n import gettext as _
from webclient.runtime.demo_servers import FOLDER

LONGEST_START = 60
"""Seconds that a busy machine may need until the demo is ready."""

LONGEST_END = 4
"""Seconds that the demo may take to end, within the five that this program promises."""

LOG = "demo.log"
"""The file in its data folder with what it says, for the reason if it does not start."""

_FOLLOWS = "MCP_DEMO_ENDS_WITH_INPUT"
_READY = "Ready: "


class DemoProgram:
    """The demo beside this program, whose data folder is `data_dir`; there is one at most."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / FOLDER
        self._turn = asyncio.Lock()
        self._process: Process | None = None
        self._link = ""

    async def link(self) -> str:
        """Return the link that signs a browser in to the demo; start it first if needed.

        Raises ConflictError with the reason if it does not start.
        """
        async with self._turn:
            if self._process is None or self._process.returncode is not None:
                self._process, self._link = None, ""
                self._process = await self._start()
                try:
                    self._link = await self._announced(self._process)
                finally:
                    if not self._link:
                        await self.close()
            return self._link

    async def close(self) -> None:
        """End the demo with its servers, if it runs."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.terminate()
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_END):
                await process.wait()
        if process.returncode is None:
            process.kill()

    async def _start(self) -> Process:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with (self._folder / LOG).open("wb") as log:
                return await asyncio.create_subprocess_exec(
                    *[sys.executable, "-m", "webclient", "demo", "--port", "0", "--no-open"],
                    *["--data-dir", str(self._folder)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    env=_environment(),
                    # A signal to the whole group, such as Ctrl-C, is for this program, which ends the demo.
                    start_new_session=True,
                )
        except OSError as error:
            raise _failed(str(error.strerror or error)) from error

    async def _announced(self, process: Process) -> str:
        """Wait for the ready line, and return its link."""
        output = cast("asyncio.StreamReader", process.stdout)
        try:
            async with asyncio.timeout(LONGEST_START):
                line = (await output.readline()).decode().strip()
        except TimeoutError:
            raise _failed(_("It was not ready after {n} seconds.").format(n=LONGEST_START)) from None
        if not line.startswith(_READY):
            await process.wait()
            raise _failed(self._last_words() or _("It ended with status {n}.").format(n=process.returncode))
        return line.removeprefix(_READY)

    def _last_words(self) -> str:
        with suppress(OSError):
            lines = (self._folder / LOG).read_text("utf-8", "replace").strip().splitlines()
            return lines[-1] if lines else ""
        return ""


def end_with_parent() -> None:
    """End this demo in order as soon as its parent has ended, however that happened."""
    if os.environ.pop(_FOLLOWS, ""):
        Thread(target=_end_with_input, name="parent", daemon=True).start()


def _end_with_input() -> None:
    # Not through `sys.stdin`, whose lock a thread must not hold when the interpreter ends.
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _environment() -> dict[str, str]:
    # The settings in it are those of this program. A demo in a terminal may never end, so nothing waits for its folder.
    others = {name: value for name, value in os.environ.items() if not name.startswith("WEBCLIENT_")}
    return others | {_FOLLOWS: "1", "WEBCLIENT_DATABASE_WAIT_SECONDS": "0"}


def _failed(reason: str) -> ConflictError:
    message = _("The demo could not be started. {reason}")
    return ConflictError(message.format(reason=visible(reason, 400)))
