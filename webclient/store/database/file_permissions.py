"""The files of the data folder are for their owner alone, also where the folder or the files existed before."""

from __future__ import annotations

import os
from pathlib import Path

_OURS = "webclient.*"
"""The database, what SQLite puts beside it, and the lock; a folder that the user chose may contain other files."""


def make_private(data_dir: Path, database: str) -> None:
    """Let only the owner read the files of this program in `data_dir`; raises OSError."""
    # SQLite gives the files that it makes beside the database the permissions of the database.
    os.close(os.open(data_dir / database, os.O_RDWR | os.O_CREAT, 0o600))
    for path in data_dir.glob(_OURS):
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
