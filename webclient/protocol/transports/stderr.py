"""Standard error of a child: its beginning and end are kept to say why the child ended, and shown while it starts.

Python writes the error at the end of a traceback, Node.js above it: so both ends are kept. `npx` and `uvx` may download
for minutes before the server answers.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import ExitStack
from locale import getencoding
from types import TracebackType
from typing import Self, TextIO

FIRST = 1000
"""Bytes that are kept of the beginning."""

LAST = 2000
"""Bytes that are kept of the end."""

_GAP = "\N{REPLACEMENT CHARACTER}"

OMITTED = "[…]"
"""A line in place of the text that is left out between both."""

PAUSE = 0.3
"""Seconds between two updates of the output that is shown."""

SHOWN = 600
"""Characters of the end that are shown while the server starts."""


class StderrTail:
    """Both ends of the text that one child writes to the file from `open`; it is read while the block runs.

    `wrote` is called when there is more.
    """

    def __init__(self, wrote: Callable[[], None] = lambda: None) -> None:
        self._wrote = wrote
        self._first = b""
        self._last = b""
        self._omitted = False
        self._reader = -1
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def open(self) -> TextIO:
        """Open a pipe, and return its file for the child; only servers that are children need one."""
        self._reader, writer = os.pipe()
        file = self._open.enter_context(os.fdopen(writer, "w", encoding="utf-8"))
        self._open.callback(os.close, self._reader)
        self._open.callback(self._read)
        os.set_blocking(self._reader, False)
        loop = asyncio.get_running_loop()
        loop.add_reader(self._reader, self._read)
        self._open.callback(loop.remove_reader, self._reader)
        return file

    @property
    def text(self) -> str:
        """The kept text; a line `OMITTED` stands for the rest."""
        between = f"\n{OMITTED}\n" if self._omitted else ""
        return (_decoded(self._first) + between + _decoded(self._last)).strip()

    def _read(self) -> None:
        try:
            read = os.read(self._reader, 65536)
        except BlockingIOError:
            return
        room = FIRST - len(self._first)
        self._first += read[:room]
        rest = self._last + read[room:]
        self._omitted = self._omitted or len(rest) > LAST
        self._last = rest[-LAST:]
        if read:
            self._wrote()


def _decoded(output: bytes) -> str:
    """Return output as text: in UTF-8, or in the encoding of the system if that leaves fewer gaps."""
    readings = (output.decode(encoding, "replace") for encoding in ("utf-8", getencoding()))
    return min(readings, key=lambda text: text.count(_GAP))


def shorten(text: str, most: int) -> str:
    """Return `text` in about `most` characters: whole lines from both ends, and `OMITTED` between them."""
    if len(text) <= most:
        return text
    first, last = text[: most // 2], text[-most // 2 :]
    return "\n".join([first.rpartition("\n")[0] or first, OMITTED, last.partition("\n")[2] or last])


class StartupOutput:
    """Passes the end of `read()` to `show` while a server starts, shortly after each call of `wrote`."""

    def __init__(self, read: Callable[[], str], show: Callable[[str | None], None]) -> None:
        self._read = read
        self._show = show
        self._timer: asyncio.TimerHandle | None = None
        self._is_over = False

    def wrote(self) -> None:
        """Note that there is more to read."""
        if self._timer is None and not self._is_over:
            self._timer = asyncio.get_running_loop().call_later(PAUSE, self._show_end)

    def end(self) -> None:
        """Stop showing the output: the server is connected, or will not be."""
        if self._timer is not None:
            self._timer.cancel()
        if not self._is_over:
            self._is_over = True
            self._show(None)

    def _show_end(self) -> None:
        self._timer = None
        self._show(self._read()[-SHOWN:])
