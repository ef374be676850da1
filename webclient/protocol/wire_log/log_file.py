"""A file of JSON Lines that is bounded by its size: when it is full, it becomes the one older file.

Only its owner can read it. A line is in it whole or not at all, also when the disk is full.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from webclient.domain.errors import WebclientError

OWNER_ONLY = 0o600

# A link to another file is not followed: in a folder like /tmp, anybody may put one there.
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_FLAGS_OF_CHANGE = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

ERASED = b'{"erased":true}'
"""A line that was erased, without the spaces in it that keep its length."""


class LogFileError(WebclientError):
    """The file cannot be written; the message says why."""


class LogFile:
    """The file at `path`, of at most `most_bytes`; what was in it before stays, and comes first."""

    def __init__(self, path: Path, most_bytes: int) -> None:
        self.path = path
        self.older = path.with_name(f"{path.name}.1")
        self._most_bytes = most_bytes
        self._fd: int | None = None

    def check(self) -> None:
        """Make the file if it is not there. Raises LogFileError if it cannot be written."""
        try:
            self._open()
        except OSError as error:
            raise LogFileError(f"The wire log {self.path} cannot be written: {error.strerror or error}.") from None
        self.close()

    def append(self, lines: Sequence[bytes]) -> int:
        """Append lines, and return how many were written. Raises OSError if none was."""
        for written, line in enumerate(lines):
            try:
                self._append(line)
            except OSError:
                if written == 0:
                    raise
                return written
        return len(lines)

    def erase(self, is_wanted: Callable[[bytes], bool]) -> int:
        """Overwrite the lines that are not wanted, in both files; return how many. Raises OSError."""
        return sum(_erase(path, is_wanted) for path in (self.older, self.path))

    def close(self) -> None:
        """Close the file; the next line opens it again."""
        if self._fd is not None:
            fd, self._fd = self._fd, None
            with suppress(OSError):
                os.close(fd)

    def _append(self, line: bytes) -> None:
        fd = self._open()
        size = os.fstat(fd).st_size
        if size and size + len(line) > self._most_bytes:
            self.close()
            self.path.replace(self.older)
            fd, size = self._open(), 0
        try:
            left = memoryview(line)
            while left:
                left = left[os.write(fd, left) :]
        except OSError:
            # The part of the line that was written goes; that needs no room on the disk.
            with suppress(OSError):
                os.ftruncate(fd, size)
            raise

    def _open(self) -> int:
        """Return the open file; it is made again if it was moved away or deleted."""
        if self._fd is not None and not self._is_there(self._fd):
            self.close()
        if self._fd is None:
            fd = os.open(self.path, _FLAGS, OWNER_ONLY)
            try:
                _make_private(fd)
            except OSError:
                os.close(fd)
                raise
            self._fd = fd
        return self._fd

    def _is_there(self, fd: int) -> bool:
        try:
            return os.path.samestat(os.fstat(fd), self.path.lstat())
        except OSError:
            return False


def _erase(path: Path, is_wanted: Callable[[bytes], bool]) -> int:
    try:
        fd = os.open(path, _FLAGS_OF_CHANGE)
    except FileNotFoundError:
        return 0
    erased = place = 0
    with os.fdopen(fd, "rb", closefd=True) as file:
        _make_private(fd)
        for line in file:
            if not is_wanted(line):
                # In place, at the same length: it needs no room on the disk, what comes after stays where it is, and a
                # crash leaves whole lines, of which the next try finds the rest.
                os.pwrite(fd, _blank(len(line.removesuffix(b"\n"))), place)
                erased += 1
            place += len(line)
        os.fsync(fd)
    return erased


def _blank(length: int) -> bytes:
    return ERASED[:-1] + b" " * (length - len(ERASED)) + ERASED[-1:] if length >= len(ERASED) else b" " * length


def _make_private(fd: int) -> None:
    found = os.fstat(fd)
    if not S_ISREG(found.st_mode):
        raise OSError("it is not a file")
    if os.name == "posix":
        if found.st_uid != os.geteuid():
            raise OSError("it belongs to another user")
        os.fchmod(fd, OWNER_ONLY)
