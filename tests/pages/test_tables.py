"""Comma-separated values become a table of bounded size, also malformed ones."""

from __future__ import annotations

import pytest

from webclient.web.pages.calls.tables import MOST_COLUMNS, MOST_ROWS, READ, read_table


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b\n1,2\n", [["1", "2"]]),
        ("a;b\r\n1,5;2\r\n", [["1,5", "2"]]),
        ("a\tb\n1\t2", [["1", "2"]]),
        ('a,b\n"x, ""y""","two\nlines"\n', [['x, "y"', "two\nlines"]]),
        ("\ufeffa,b\n\n1\n", [["1", ""]]),
    ],
)
def test_values_are_separated_as_in_spreadsheets(text: str, rows: list[list[str]]) -> None:
    table = read_table(text, "text/csv")
    assert table
    assert (table.heading, table.rows, table.cut) == (["a", "b"], rows, False)


@pytest.mark.parametrize("text", ["", "one\ntwo", "\n\n", '"' + "x" * 190_000])
def test_text_without_columns_is_not_a_table(text: str) -> None:
    assert read_table(text, "text/csv") is None


def test_text_of_another_type_is_not_a_table() -> None:
    assert read_table("a,b\n1,2", "text/plain") is None


@pytest.mark.parametrize("text", ["a,b\n" * 10_000, "a,b\n" + "x" * READ + ",y\n", ",".join("x" * 5000) + "\n1"])
def test_a_large_table_is_cut_and_says_so(text: str) -> None:
    table = read_table(text, "text/csv")
    assert table is None or (table.cut and len(table.rows) <= MOST_ROWS and len(table.heading) <= MOST_COLUMNS)
