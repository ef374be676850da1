"""YAML is read as text, mappings and lists; a text that could cost more than its length is refused."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.tables import each_row
from webclient.support import yaml_text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: [x, 'y', \"z\"]\nc:\n  d: {}\n", {"a": "1", "b": ["x", "y", "z"], "c": {"d": {}}}),
        ("[true, FALSE, 'true', null, ~]", [True, False, "true", None, None]),
        ("[on, 1.10, 8080:22, 0o17, 2026-11-24]", ["on", "1.10", "8080:22", "0o17", "2026-11-24"]),
        ("a:\nb: |\n  x\n  y\n", {"a": None, "b": "x\ny\n"}),
        ("true: 1\nnull: 2\n<<: {c: 3}\n", {"true": "1", "null": "2", "<<": {"c": "3"}}),
        ("", None),
        ("a: 1\n---\nb: 2\n", {"a": "1"}),
    ],
)
def test_values_are_read_as_they_are_written(text: str, value: Any) -> None:
    assert yaml_text.parse(text) == value


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("a: &x 1\nb: *x", 2, 4), ("a: !!int 1", 1, 4), ("? [a]\n: 1", 1, 5), ("a: b: c", 1, 5), ("a\0", 1, 1)],
)
def test_a_refused_text_says_where(text: str, line: int, column: int) -> None:
    with pytest.raises(yaml_text.YamlError) as refused:
        yaml_text.parse(text)
    assert (refused.value.line, refused.value.column) == (line, column)


@each_row(
    "text",
    [
        *("[" * 10**6, "a: {" * 250_000, "- " * 10**6, "? " * 10**6, "- a\n" * 250_000, "[" + "a," * 500_000 + "]"),
        *("a: &a [x]\nb: &b [*a,*a]\nc: &c [*b,*b]", "!" * 10**6, '"' + "\\x41" * 250_000),
    ],
)
def test_a_hostile_text_is_refused_at_a_bounded_cost(text: str) -> None:
    begun = time.process_time()
    with pytest.raises(yaml_text.YamlError):
        yaml_text.parse(text)
    assert time.process_time() - begun < 5
