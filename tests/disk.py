"""A disk that is full, or read-only, for the program or for one store, until it is mended."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sqlalchemy import Connection, event

from webclient.store import Store
from webclient.store.database.sqlite import FILE

SIZE = 4 * 2**20
"""Bytes of the small file system."""


Kind = Literal["file system", "quota", "read-only"]


@dataclass(frozen=True, slots=True)
class Disk:
    """Where the program keeps its data, and how that becomes unwritable.

    A small file system is filled. Under a quota, the files of the program may not grow. A read-only folder can be
    read, also through files that were open for writing, as after an error of the file system.
    """

    folder: Path
    kind: Kind

    def fill(self, pid: int) -> None:
        """Make every write fail."""
        match self.kind:
            case "quota":
                # A write beyond the limit fails with EFBIG, which SQLite treats as it does EDQUOT.
                _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, most))
            case "read-only":
                _fix(self.folder)
            case _:
                # Otherwise the program may empty the log later, and write into the room that it took.
                self._empty_log()
                self._fill_up()

    def _empty_log(self) -> None:
        with closing(sqlite3.connect(self.folder / FILE)) as database:
            while database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                pass

    def _fill_up(self) -> None:
        with (self.folder / "ballast").open("wb", buffering=0) as ballast:
            try:
                while ballast.write(b"x" * 4096):
                    pass
            except OSError:
                return

    def free(self, pid: int) -> None:
        """Make it writable again."""
        match self.kind:
            case "quota":
                _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
            case "read-only":
                _fix(self.folder, fixed=False)
            case _:
                (self.folder / "ballast").unlink()


@contextmanager
def small_disk(folder: Path, kind: Kind) -> Iterator[Disk]:
    """Give a disk of this kind; where the system forbids that, one with a quota, which any user may have."""
    if kind == "file system" and _mounted(folder):
        try:
            yield Disk(folder, kind)
        finally:
            subprocess.run(["umount", folder], check=True)
    elif kind == "read-only" and _can_be_fixed(folder):
        try:
            yield Disk(folder, kind)
        finally:
            _fix(folder, fixed=False)
    else:
        yield Disk(folder, "quota")


@contextmanager
def unwritable(store: Store) -> Iterator[None]:
    """Have the database of a store refuse all writes while the block runs."""
    refuse = "ON"

    def set_mode(connection: Connection) -> None:
        connection.exec_driver_sql(f"PRAGMA query_only = {refuse}")

    event.listen(store._database.engine, "begin", set_mode, insert=True)
    try:
        yield
    finally:
        # A connection that is open when the block ends may refuse writes, so the listener stays.
        refuse = "OFF"


def _mounted(folder: Path) -> bool:
    line = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    return os.geteuid() == 0 and subprocess.run(line, check=False, capture_output=True).returncode == 0


def _can_be_fixed(folder: Path) -> bool:
    possible = _fix(folder)
    _fix(folder, fixed=False)
    return possible


def _fix(folder: Path, *, fixed: bool = True) -> bool:
    """Forbid all users, also root, to write the folder and its files, or permit it; False if that is impossible.

    Except SQLite's shared memory: it is mapped, and stays writable on a file system that became read-only.
    """
    files = [path for path in folder.iterdir() if not path.name.endswith("-shm")]
    line = ["chattr", "+i" if fixed else "-i", folder, *files]
    return shutil.which("chattr") is not None and subprocess.run(line, check=False, capture_output=True).returncode == 0
