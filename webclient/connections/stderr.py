"""Keeps the last words that a child process wrote to standard error, for the sentence that tells why it ended."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

KEPT = 2000
"""Bytes kept; a chatty server costs no more."""


class LastWords:
    """The end of what was written to `file`."""

    def __init__(self) -> None:
        self._bytes = b""
        self._reader, writer = os.pipe()
        os.set_blocking(self._reader, False)
        self.file: TextIO = os.fdopen(writer, "w")

    @property
    def text(self) -> str:
        """What is kept, as text."""
        return self._bytes.decode(errors="replace").strip()

    def read(self) -> None:
        """Take in what lies in the pipe."""
        try:
            self._bytes = (self._bytes + os.read(self._reader, 65536))[-KEPT:]
        except BlockingIOError:
            return

    def close(self) -> None:
        """Let go of the pipe."""
        self.read()
        os.close(self._reader)
        self.file.close()


@contextmanager
def last_words() -> Iterator[LastWords]:
    """Give the keeper for one child; it reads along until the block ends."""
    words = LastWords()
    loop = asyncio.get_running_loop()
    loop.add_reader(words._reader, words.read)
    try:
        yield words
    finally:
        loop.remove_reader(words._reader)
        words.close()
