"""JSON of any size becomes short enough for a page."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webclient.web.http.abridged import MOST_CHARACTERS, abridged


def test_a_short_value_stays_as_it_is() -> None:
    value = {"a": [1, "x", None, True, {"b": 1.5}], "": {}}
    assert abridged(value) == value


def test_a_long_text_is_cut_and_says_how_much_is_left_out() -> None:
    short = abridged({"blob": "A" * 1_000_000})["blob"]
    assert short.startswith("A" * MOST_CHARACTERS)
    assert "998000" in short


@pytest.mark.parametrize(
    "value",
    [
        list(range(100_000)),
        {str(n): n for n in range(100_000)},
        [[0] * 1000] * 1000,
        ["x" * 3000] * 100_000,
        {"x" * 1_000_000: 1},
    ],
)
def test_any_value_is_shortened(value: Any) -> None:
    assert len(json.dumps(abridged(value))) < 6_000_000


def test_a_deep_value_is_cut() -> None:
    value: Any = 1
    for _ in range(500):
        value = [value]
    assert len(json.dumps(abridged(value), indent=2)) < 10_000
