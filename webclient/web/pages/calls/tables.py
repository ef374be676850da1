"""Reads comma-separated values (RFC 4180) as a table of bounded size."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import islice

TYPES = {"text/csv": ",", "text/tab-separated-values": "\t", "application/csv": ","}
"""Media types of tables, each with its usual separator."""

MOST_ROWS = 200
MOST_COLUMNS = 40
READ = 200_000
"""Characters that are read; the whole file can be downloaded."""


@dataclass(frozen=True, slots=True)
class Table:
    """The `heading` and the first `rows`, all of one width; `cut` if there are more."""

    heading: Sequence[str]
    rows: Sequence[Sequence[str]]
    cut: bool


def read_table(text: str, media_type: str) -> Table | None:
    """Return the text as a table, or None for one column or another type."""
    if media_type not in TYPES:
        return None
    part = text[:READ].lstrip("\ufeff")
    try:
        found = list(
            islice(csv.reader(StringIO(part, newline=""), delimiter=_separator(part, media_type)), MOST_ROWS + 2)
        )
    except csv.Error:
        return None
    if len(text) > READ and len(found) < MOST_ROWS + 2:
        # The last line was cut in the middle.
        found = found[:-1]
    found = [row for row in found if row]
    width = max(map(len, found), default=0)
    if width < 2:
        return None
    cut = len(text) > READ or len(found) > MOST_ROWS + 1 or width > MOST_COLUMNS
    rows = [(row + [""] * width)[: min(width, MOST_COLUMNS)] for row in found[: MOST_ROWS + 1]]
    return Table(rows[0], rows[1:], cut)


def _separator(text: str, media_type: str) -> str:
    """Return the separator: in many countries, spreadsheets write semicolons in CSV."""
    first = text.partition("\n")[0]
    usual = TYPES[media_type]
    return max((usual, ";", "\t", ","), key=lambda each: (first.count(each), each == usual))
