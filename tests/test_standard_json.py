"""JSON values are equal only if they are the same on the wire."""

from __future__ import annotations

from webclient.support.standard_json import json_equal


def test_values_that_python_takes_for_equal_differ() -> None:
    assert json_equal({"a": [1, "x"], "b": None}, {"b": None, "a": [1, "x"]})
    for one, other in ((1, True), (0, False), (1, 1.0), ("1", 1), ([], {}), (None, {})):
        assert not json_equal({"a": one}, {"a": other}), (one, other)


def test_values_nested_too_deep_are_not_the_same() -> None:
    deep: list[object] = []
    for _level in range(100_000):
        deep = [deep]
    assert not json_equal(deep, deep)
