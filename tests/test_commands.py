"""The files that `make quick` and the order of the tests name exist."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import LONGEST_FIRST, ROOT
from tests.tables import each_row

_, _, _REST = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", " ").partition("\nQUICK = ")
QUICK = _REST.partition("\n")[0].split()


@each_row("path", [*QUICK, *LONGEST_FIRST])
def test_named_path_exists(path: str) -> None:
    path, _, test = path.partition("::")
    # The order of the tests names beginnings of paths.
    found = list(ROOT.glob(f"{path}*"))
    assert found
    assert f"def {test}" in found[0].read_text("utf-8") if test else True


def test_quick_names_tests_of_each_kind() -> None:
    rooms = {Path(path).parts[1] for path in QUICK}
    assert {"forms", "consent", "calls", "browser", "test_house.py"} <= rooms
