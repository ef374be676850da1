"""Starts the drawing process when needed, and kills it when it takes too long."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress

from webclient.content.pictures.worker import ANSWER, REQUEST
from webclient.support import background

SECONDS = 3.0
"""Seconds that one picture may take, with waiting for a busy machine."""

MOST_ANSWERED = 64 * 2**20
"""The most bytes of a drawn picture; one of 1600 pixels is far smaller."""

_NEEDED = ("PATH", "SYSTEMROOT", "HOME", "LANG")
"""The environment variables that the process gets; others may be secrets."""


class TooCostlyError(Exception):
    """Drawing took too long, or the process died of it."""


class DrawingProcess:
    """One process at most; it takes one picture at a time."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None

    async def draw(self, data: bytes, box: int, *, vector: bool) -> tuple[bool, bytes]:
        """Return True and the drawn picture, or False and a refusal code. Raises TooCostlyError."""
        process = await self._started()
        try:
            async with asyncio.timeout(SECONDS):
                return await self._exchanged(process, REQUEST.pack(vector, box, len(data)) + data)
        except (TimeoutError, OSError, asyncio.IncompleteReadError) as error:
            await self.end()
            raise TooCostlyError from error
        except asyncio.CancelledError:
            # The process would send its answer to the next request.
            await background.shared(background.start(self.end(), name="end of drawing", awaited=True))
            raise

    async def end(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                "-m",
                "webclient.content.pictures.worker",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env={name: os.environ[name] for name in _NEEDED if name in os.environ},
                # Ctrl-C in a terminal is for this program, which ends the other.
                start_new_session=True,
            )
        return self._process

    async def _exchanged(self, process: asyncio.subprocess.Process, request: bytes) -> tuple[bool, bytes]:
        if process.stdin is None or process.stdout is None:
            raise OSError("The process has no pipes.")
        process.stdin.write(request)
        await process.stdin.drain()
        drawn, length = ANSWER.unpack(await process.stdout.readexactly(ANSWER.size))
        if length > MOST_ANSWERED:
            raise OSError("The answer is too long.")
        return drawn, await process.stdout.readexactly(length)
