"""Keeps the first and the last words that a child process wrote to standard error, to tell why it ended.

Python writes the error at the end of a traceback, Node.js above it: so both ends are kept.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Self, TextIO

FIRST = 1000
"""Bytes kept of the beginning; with `LAST`, a chatty server costs no more."""

LAST = 2000
"""Bytes kept of the end."""

OMITTED = "[…]"
"""Stands on a line of its own for what is left out between both."""


class StderrTail:
    """Both ends of what one child writes to the file that `open` gives; it is read along while the block runs.

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
        """Give the file for the child; a server that is no child needs none, and a thousand of them no pipes."""
        self._reader, writer = os.pipe()
        file = self._open.enter_context(os.fdopen(writer, "w"))
        self._open.callback(os.close, self._reader)
        self._open.callback(self._read)
        os.set_blocking(self._reader, False)
        loop = asyncio.get_running_loop()
        loop.add_reader(self._reader, self._read)
        self._open.callback(loop.remove_reader, self._reader)
        return file

    @property
    def text(self) -> str:
        """What is kept, as text; a line `OMITTED` stands for what is not."""
        between = f"\n{OMITTED}\n".encode() if self._omitted else b""
        return (self._first + between + self._last).decode(errors="replace").strip()

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


def brief(text: str, most: int) -> str:
    """Return `text` in about `most` characters: whole lines from both ends, and `OMITTED` between them."""
    if len(text) <= most:
        return text
    first, last = text[: most // 2], text[-most // 2 :]
    return "\n".join([first.rpartition("\n")[0] or first, OMITTED, last.partition("\n")[2] or last])
