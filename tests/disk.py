"""A disk that is full for the program and for nobody else, or read-only for one store, until it is mended."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import event

from webclient.store import Store

SIZE = 4 * 2**20
"""Bytes of the small file system."""


@dataclass(frozen=True, slots=True)
class Disk:
    """Where the program keeps its data; `quota` says that its files may not grow, instead of a small file system."""

    folder: Path
    quota: bool

    def fill(self, pid: int) -> None:
        """Leave no room."""
        if self.quota:
            # What is written beyond the limit fails with EFBIG, which SQLite treats as it does EDQUOT.
            _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, most))
            return
        with (self.folder / "ballast").open("wb", buffering=0) as ballast:
            try:
                while ballast.write(b"x" * 4096):
                    pass
            except OSError:
                return

    def free(self, pid: int) -> None:
        """Give room again."""
        if self.quota:
            _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
        else:
            (self.folder / "ballast").unlink()


@contextmanager
def small_disk(folder: Path, *, quota: bool) -> Iterator[Disk]:
    """Give a disk: with a quota for any user; a file system of its own where one may be mounted, else with a quota."""
    if quota or not _mounted(folder):
        yield Disk(folder, quota=True)
        return
    try:
        yield Disk(folder, quota=False)
    finally:
        subprocess.run(["umount", folder], check=True)


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
