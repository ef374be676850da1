"""Keeps the last words that a child process wrote to standard error, for the sentence that tells why it ended."""

from __future__ import annotations

import asyncio
import os
from contextlib import ExitStack
from types import TracebackType
from typing import Self, TextIO

KEPT = 2000
"""Bytes kept; a chatty server costs no more."""


class LastWords:
    """The end of what one child writes to the file that `open` gives; it is read along while the block runs."""

    def __init__(self) -> None:
        self._bytes = b""
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
        """What is kept, as text."""
        return self._bytes.decode(errors="replace").strip()

    def _read(self) -> None:
        try:
            self._bytes = (self._bytes + os.read(self._reader, 65536))[-KEPT:]
        except BlockingIOError:
            return
