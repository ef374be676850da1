"""What makes two questions the same: everything that could be told apart on the wire, or that a person sees."""

from __future__ import annotations

from webclient.json_equality import digest, json_equal

QUESTION = {"mode": "form", "message": "Your name?", "requestedSchema": {"type": "object", "properties": {}}}


def test_values_that_python_takes_for_equal_differ() -> None:
    assert json_equal({"a": [1, "x"], "b": None}, {"b": None, "a": [1, "x"]})
    for one, other in ((1, True), (0, False), (1, 1.0), ("1", 1), ([], {}), (None, {})):
        assert not json_equal({"a": one}, {"a": other}), (one, other)


def test_values_nested_too_deep_are_not_the_same() -> None:
    deep: list[object] = []
    for _level in range(100_000):
        deep = [deep]
    assert not json_equal(deep, deep)


def test_a_digest_leaves_out_only_invisible_parameters() -> None:
    mine = digest("form", QUESTION)
    for name in ("_meta", "elicitationId", "task"):
        assert digest("form", QUESTION | {name: "anything"}) == mine
    assert digest("form", {name: value for name, value in QUESTION.items() if name != "mode"}) == mine
    for name, value in (("message", "Your PIN?"), ("requestedSchema", {}), ("x-note", "hm")):
        assert digest("form", QUESTION | {name: value}) != mine, name
    assert digest("url", QUESTION) != mine
