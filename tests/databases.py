"""The databases of tests: each begins as a copy of one that was made once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from webclient.store.database.sqlite import FILE
from webclient.store.database.upgrade import prepare_file


def prepare(folder: Path) -> None:
    """Put an empty database into the folder, unless there is one."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = folder / FILE
    if not database.exists():
        database.touch(0o600)
        database.write_bytes(_empty())


@cache
def _empty() -> bytes:
    with TemporaryDirectory() as folder:
        prepare_file(Path(folder))
        return (Path(folder) / FILE).read_bytes()
