"""One program at a time in a data folder: a second would mistake the first one's open rows for those of a crash."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webclient.store.database.storage_errors import FolderInUseError

FILE = "webclient.lock"


@contextmanager
def lock_data_dir(data_dir: Path) -> Iterator[None]:
    """Lock the folder, which must exist, while the block runs.

    Raises FolderInUseError while another program has locked it.

    The system unlocks it however this process ends (flock(2)). File systems without locks are not locked.
    """
    try:
        file = os.open(data_dir / FILE, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        # Opening the database, which comes next, says better what is wrong with the folder.
        yield
        return
    try:
        _lock(file, data_dir)
        yield
    finally:
        os.close(file)


def _lock(file: int, data_dir: Path) -> None:
    if sys.platform == "win32":
        return
    import fcntl  # noqa: PLC0415  (there is none on Windows)

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FolderInUseError(
            f"The data folder {data_dir} is in use by another mcp-webclient that is running. Stop that one first, or "
            "choose another folder with --data-dir."
        ) from None
    except OSError:
        return  # some network file systems have no locks
