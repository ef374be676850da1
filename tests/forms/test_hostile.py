"""Schemas and answers made to hurt: each ends in a form or a sentence, soon."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.forms.filling import pairs, render, schema_of
from tests.tables import each_row
from webclient.content.forms.fields import read_form
from webclient.content.forms.parse import parse
from webclient.content.forms.validation import check, check_arguments
from webclient.content.secrets.credentials import looks_secret, may_become_secret

SECONDS = 60.0
"""Each takes a second at most; without its guard, it would take minutes or end in an exception."""


def doubling(levels: int, last: Any) -> dict[str, Any]:
    """Return definitions in which each refers to the next ten times."""
    steps: dict[str, Any] = {
        f"d{level}": {"anyOf": [{"allOf": [{"$ref": f"#/$defs/d{level + 1}"}, {"not": {}}]}] * 10}
        for level in range(levels)
    }
    return {**steps, f"d{levels}": last}


def deep(levels: int) -> Any:
    """Return a schema that is nested so deep."""
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"allOf": [schema], "properties": {"a": schema}}
    return schema


HOSTILE: dict[str, tuple[Any, Any]] = {
    "doubling references": (
        {**schema_of(it={"$ref": "#/$defs/d0"}), "$defs": doubling(12, {"type": "number"})},
        {"it": "x"},
    ),
    "endless reference": ({**schema_of(it={"type": "string"}), "allOf": [{"$ref": "#"}]}, {"it": "x"}),
    "two endless references": ({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}, {}),
    "ten thousand properties": (
        schema_of(**{f"p{i}": {"type": "string", "minLength": 2} for i in range(10_000)}),
        {f"p{i}": "x" for i in range(10_000)},
    ),
    "heavy patterns": (
        schema_of(**{f"p{i}": {"type": "string", "pattern": f"(\\p{{L}}{{90}}){{90}}{i}"} for i in range(500)}),
        {f"p{i}": "x" for i in range(500)},
    ),
    "backtracking": (
        schema_of(**{f"p{i}": {"type": "string", "pattern": f"(x+x+)+(?<=y)y{i}"} for i in range(500)}),
        {f"p{i}": "x" * 3_000 for i in range(500)},
    ),
    "quadratic on a megabyte": (schema_of(it={"type": "string", "pattern": r"(?=(a+))\1*b"}), {"it": "a" * 900_000}),
    "deep schema": (schema_of(it=deep(300)), {"it": "x"}),
    "many options": (
        schema_of(it={"oneOf": [{"const": f"o{i}", "title": "same"} for i in range(20_000)]}),
        {"it": "o3"},
    ),
    "many branches for many items": (
        schema_of(it={"type": "array", "items": {"anyOf": [{"minLength": i} for i in range(1_000)]}}),
        {"it": ["x"] * 1_000},
    ),
    "prototype names": (
        schema_of("__proto__", __proto__={"type": "string"}, constructor={"type": "string"}),
        {"__proto__": "x", "constructor": "y"},
    ),
    "half a character": (
        {
            "properties": {
                "\ud800": {"type": "string"},
                "b": {"enum": ["\udfff"], "default": "\udfff", "title": "\udc00"},
            }
        },
        {"\ud800": "x", "b": "\udfff"},
    ),
    "no numbers": (
        schema_of(it={"type": "number", "minimum": float("nan"), "maximum": float("inf"), "default": float("nan")}),
        {"it": float("nan")},
    ),
    "wrong keywords": (
        {
            "type": 7,
            "properties": {"a": {"enum": "x", "oneOf": {}, "anyOf": 3, "allOf": "y", "items": 4, "format": []}},
        },
        {"a": "x"},
    ),
    "lists as names": ({"required": [["a"], {}], "properties": {"a": {"type": [[], {}], "title": 3}}}, {"a": "x"}),
    "a huge number": (schema_of(it={"type": "integer", "maximum": 10**400}), {"it": 10**4_000}),
}


@each_row("name", HOSTILE)
def test_a_hostile_schema_is_handled_in_bounded_time(name: str) -> None:
    schema, content = HOSTILE[name]
    start = time.monotonic()
    form = read_form(schema)
    parsed = parse(form, [*pairs(form.texts), ("f0", "x")])
    html = render(form, parsed.texts, parsed.errors)
    verdicts = [*check(schema, content).values(), *check_arguments(schema, content).values()]
    assert time.monotonic() - start < SECONDS
    html.encode()
    assert all(isinstance(verdict, str) and verdict.endswith(".") for verdict in verdicts)


def test_point_39_too_costly_references_get_a_sentence() -> None:
    schema, content = HOSTILE["doubling references"]
    assert check(schema, content) == {"": "The server's schema is too complex to be checked here."}
    schema, content = HOSTILE["endless reference"]
    assert "itself without end" in check(schema, content)[""]
    schema, content = HOSTILE["many branches for many items"]
    assert "too complex" in check(schema, content)[""]


def test_a_deep_answer_is_refused() -> None:
    nested: Any = "x"
    for _ in range(10_000):
        nested = [nested]
    assert check_arguments({}, {"it": nested}) != {}
    assert check({}, {"it": nested}) != {}


def test_point_15_a_linear_pattern_is_checked_at_any_length() -> None:
    schema = schema_of(it={"type": "string", "pattern": "^a*$"})
    assert check(schema, {"it": "a" * 500_000}) == {}
    assert check(schema, {"it": "a" * 500_000 + "b"}) != {}
    assert "too long to be sent" in check(schema, {"it": "a" * 1_000_001})[""]


def test_an_answer_that_is_not_an_object_is_refused() -> None:
    assert check({}, ["a"]) == {"": "Expected an object with a value for each field."}
    assert check({}, None) == {"": "Expected an object with a value for each field."}


@pytest.mark.parametrize("part", ["x", "sk-", "SG.", "-----BEGIN ", "eyJaaaaa.", "4111 ", "://a:", "a://b:c", "1//0"])
@pytest.mark.parametrize("end", ["", "!"])
def test_looking_for_credentials_takes_linear_time(part: str, end: str) -> None:
    text = part * (200_000 // len(part)) + end
    started = time.perf_counter()
    looks_secret(text)
    may_become_secret(text)
    assert time.perf_counter() - started < 10  # a tenth of a second where it is linear, minutes where it is not


def test_ten_thousand_unknown_names_get_a_bounded_error_list() -> None:
    schema = {**schema_of(), "additionalProperties": False}
    assert len(check(schema, {f"p{n}": n for n in range(10_000)})) == 1_000
