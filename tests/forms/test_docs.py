"""docs/forms.md names every point, and for each the files that hold it."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs" / "forms.md"


def test_every_point_is_documented_with_the_files_that_hold_it() -> None:
    rows = re.findall(r"^\| (\d+)(?: ✦)? \| [^|]+ \| ([^|]+) \|", DOCS.read_text("utf-8"), re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 49))
    for number, files in rows:
        for name in files.strip().split(", "):
            named = rf"def test_points?_(?:\d\d_and_)*{int(number):02d}_"
            assert re.search(named, (HERE / name).read_text("utf-8")), f"{number}: {name}"
