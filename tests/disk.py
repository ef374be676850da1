"""A disk that is full, or read-only, for the program or for one store, until it is mended."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import event

from webclient.store import Store

SIZE = 4 * 2**20
"""Bytes of the small file system."""


Kind = Literal["file system", "quota", "read-only"]


@dataclass(frozen=True, slots=True)
class Disk:
    """Where the program keeps its data, and how that comes to be unwritable.

    A small file system is filled. Of a quota the files of the program may not grow. What is read-only can be read,
    also by what had it open to write; the program finds it so as after an error of the file system.
    """

    folder: Path
    kind: Kind

    def fill(self, pid: int) -> None:
        """Let nothing be written."""
        match self.kind:
            case "quota":
                # What is written beyond the limit fails with EFBIG, which SQLite treats as it does EDQUOT.
                _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, most))
            case "read-only":
                _fix(self.folder)
            case _:
                self._fill_up()

    def _fill_up(self) -> None:
        with (self.folder / "ballast").open("wb", buffering=0) as ballast:
            try:
                while ballast.write(b"x" * 4096):
                    pass
            except OSError:
                return

    def free(self, pid: int) -> None:
        """Let it be written again."""
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
    """Give a disk of this kind; where a system does not let us have it, one with a quota, which any user may."""
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
    """Have the database of a store refuse whatever would be written while the block runs."""
    refuse = "ON"

    def tell(connection: Any, *_more: object) -> None:
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA query_only = {refuse}")
        cursor.close()

    event.listen(store._engine.sync_engine, "checkout", tell)
    try:
        yield
    finally:
        # Whoever has a connection when the block ends may have been told before, so the listener stays.
        refuse = "OFF"


def _mounted(folder: Path) -> bool:
    line = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    return os.geteuid() == 0 and subprocess.run(line, check=False, capture_output=True).returncode == 0


def _can_be_fixed(folder: Path) -> bool:
    possible = _fix(folder)
    _fix(folder, fixed=False)
    return possible


def _fix(folder: Path, *, fixed: bool = True) -> bool:
    """Let nobody, not even root, write the folder and what is in it, or let them again; False where that cannot be.

    Not so SQLite's shared memory: it is mapped, and a file system that became read-only lets it be written still.
    """
    files = [path for path in folder.iterdir() if not path.name.endswith("-shm")]
    line = ["chattr", "+i" if fixed else "-i", folder, *files]
    return shutil.which("chattr") is not None and subprocess.run(line, check=False, capture_output=True).returncode == 0
