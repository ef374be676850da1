"""Any form that is filled in with valid content yields that content, and garbage never gets through."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.forms.filling import Page, pairs, render
from webclient.content.forms import controls
from webclient.content.forms.fields import read_form
from webclient.content.forms.parse import parse
from webclient.content.forms.validation import check, prefilled

STEADY = settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
"""The same examples every time, however slow the machine is."""

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), min_size=1, max_size=12)
NUMBERS = st.one_of(st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False))
DATES = st.dates().map(str)
OFFSETS = st.sampled_from(["Z", "+02:00", "-05:30", "+00:00"])
MOMENTS = st.builds(
    lambda moment, fraction, offset: moment.isoformat(timespec="seconds") + fraction + offset,
    st.datetimes(),
    st.sampled_from(["", ".5", ".05", ".50", ".000", ".123456"]),
    OFFSETS,
)
VALUES = st.lists(st.one_of(st.text(max_size=6), st.integers(-9, 9), st.booleans()), min_size=1, max_size=25)
LINES = TEXT.filter(lambda text: "\n" not in text)

Case = tuple[dict[str, Any], Any]
"""The schema of a property, and a value that it allows."""


@st.composite
def bounded_texts(draw: st.DrawFn) -> Case:
    """Draw a text, and demands that it just meets."""
    value = draw(TEXT)
    demands = {"minLength": len(value), "maxLength": len(value), "pattern": "", "format": "of-its-own"}
    chosen = draw(st.sets(st.sampled_from(sorted(demands))))
    return {"type": "string", **{key: demands[key] for key in chosen}}, value


@st.composite
def bounded_numbers(draw: st.DrawFn) -> Case:
    """Draw a number on a step, and bounds around it in both dialects."""
    step, kind = draw(st.sampled_from([(1, "integer"), (7, "integer"), (0.25, "number"), (1, "number")]))
    value = draw(st.integers(-(10**6), 10**6)) * step
    below: dict[str, Any] = draw(
        st.sampled_from([{}, {"minimum": value}, {"exclusiveMinimum": value - 1}, {"minimum": value - step}])
    )
    above: dict[str, Any] = draw(
        st.sampled_from([{}, {"maximum": value}, {"maximum": value + 1, "exclusiveMaximum": True}])
    )
    return {"type": kind, "multipleOf": step, **below, **above}, value


@st.composite
def choices(draw: st.DrawFn) -> Case:
    """Draw a choice in one of its spellings, and one of its values."""
    values = [value for value in draw(VALUES) if not isinstance(value, str) or "\0" not in value] or ["a"]
    names = [draw(st.sampled_from(["Same", "Other", ""])) for _ in values]
    titled = [{"const": value, "title": name} for value, name in zip(values, names, strict=True)]
    split = len(values) // 2 or 1
    parts = [{"enum": part} for part in (values[:split], values[split:]) if part]
    schema: dict[str, Any] = draw(
        st.sampled_from(
            [
                {"enum": values},
                {"enum": [*values, None]},
                {"enum": values, "enumNames": names},
                {"enum": values, "enumNames": [*names, "too many"]},
                {"oneOf": titled},
                {"anyOf": titled},
                {"anyOf": [*titled, {"type": "null"}]},
                {"anyOf": parts},
            ]
        )
    )
    return schema, draw(st.sampled_from(values))


@st.composite
def lists(draw: st.DrawFn) -> Case:
    """Draw a list of options, and a selection in the order of the schema."""
    values = draw(st.lists(TEXT, min_size=1, max_size=25, unique=True))
    chosen = [value for value in values if draw(st.booleans())] or values[:1]
    constants = [{"const": value} for value in values]
    items = draw(
        st.sampled_from(
            [{"enum": values}, {"type": "string", "enum": values}, {"anyOf": constants}, {"oneOf": constants}]
        )
    )
    return {"type": "array", "items": items, **draw(counts(chosen))}, chosen


@st.composite
def lines(draw: st.DrawFn) -> Case:
    """Draw a list of free controls."""
    values = draw(st.lists(LINES, min_size=1, max_size=5, unique=True))
    return {"type": "array", "items": {"type": "string"}, **draw(counts(values))}, values


def counts(values: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Return demands that a list of different texts just meets."""
    return st.sampled_from(
        [{}, {"uniqueItems": True}, {"minItems": len(values), "maxItems": len(values), "uniqueItems": True}]
    )


FORMATTED: dict[str, st.SearchStrategy[str]] = {
    "email": st.just("a@example.com"),
    "uri": st.just("https://example.com/?q=1"),
    "date": DATES,
    "date-time": MOMENTS,
}
PROPERTIES: st.SearchStrategy[Case] = st.one_of(
    st.tuples(st.sampled_from([{"type": "string"}, {"type": "string", "maxLength": 999}]), TEXT),
    *(st.tuples(st.just({"type": "string", "format": name}), values) for name, values in FORMATTED.items()),
    st.tuples(st.just({"type": "integer"}), st.integers(-(10**20), 10**20)),
    st.tuples(st.just({"type": "number"}), NUMBERS),
    st.tuples(st.just({"type": "boolean"}), st.booleans()),
    bounded_texts(),
    bounded_numbers(),
    choices(),
    lists(),
    lines(),
)
CONSTANTS = st.one_of(TEXT, st.just(""), NUMBERS, st.booleans(), st.lists(TEXT, max_size=2))


def spellings(schema: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the spellings of `schema`, with and without null.

    It is also defined as `name`, and has an anchor of that name.
    """
    referred = {"$ref": f"#/$defs/{name}"}
    plain = [schema, referred, {"$ref": f"#{name}"}, {"allOf": [schema]}, {"allOf": [referred]}, {"anyOf": [referred]}]
    nullable = [{key: [each, {"type": "null"}]} for each in (schema, referred) for key in ("anyOf", "oneOf")]
    listed = [{**schema, "type": [schema["type"], "null"]}] if isinstance(schema.get("type"), str) else []
    return [*plain, *nullable, {"anyOf": [{"const": None}, schema]}, *listed]


@st.composite
def filled_forms(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw a schema within elicitation's grammar, and a content that satisfies it."""
    names = draw(st.lists(st.one_of(TEXT, st.sampled_from(["", "__proto__"])), max_size=5, unique=True))
    definitions, properties, content, required = {}, {}, {}, []
    for index, name in enumerate(names):
        if draw(st.integers(0, 9)) == 0:
            # a constant is always sent
            content[name] = draw(CONSTANTS)
            properties[name] = {"const": content[name]}
            continue
        schema, value = draw(PROPERTIES)
        definitions[f"d{index}"] = {**schema, "$anchor": f"d{index}"}
        properties[name] = dict(draw(st.sampled_from(spellings(schema, f"d{index}"))))
        if draw(st.booleans()):
            required.append(name)
        if name in required or draw(st.booleans()):
            content[name] = value
        if draw(st.booleans()):
            properties[name]["default"] = value
        if draw(st.booleans()):
            properties[name] |= {"title": draw(TEXT), "description": draw(TEXT)}
    closed = draw(st.sampled_from([{}, {"additionalProperties": False}]))
    whole: dict[str, Any] = {"type": "object", "properties": properties, "required": required, **closed}
    root = draw(st.sampled_from([whole, {"allOf": [whole]}, {"$ref": "#/$defs/whole"}]))
    return {**root, "$defs": {**definitions, "whole": whole}}, content


def exact(content: dict[str, Any]) -> str:
    """Return the content so that 1, 1.0 and true differ."""
    return json.dumps(content, sort_keys=True)


@settings(STEADY, max_examples=150)
@given(filled_forms())
def test_filling_in_valid_content_yields_exactly_that_content(
    case: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    schema, content = case
    form = read_form(schema)
    assert form.unanswerable is None
    texts = {
        control: typed
        for field in form.fields
        for control, typed in controls.of(field, content.get(field.name)).items()
    }
    parsed = parse(form, pairs(texts))
    assert parsed.errors == {}
    assert exact(parsed.content) == exact(content)
    assert check(schema, content) == {}


@settings(STEADY, max_examples=60)
@given(filled_forms())
def test_an_untouched_page_posts_the_prefilled_content(case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    form = read_form(case[0])
    assert parse(form, Page(render(form)).posted()).content == prefilled(form)


GARBAGE = st.text(st.one_of(st.sampled_from(string.printable), st.characters()), max_size=12)
KEYS = st.one_of(st.builds("f{}{}".format, st.integers(0, 5), st.sampled_from(["", ".zone", ".empty", ".x"])), GARBAGE)


@settings(STEADY, max_examples=150)
@given(
    filled_forms(),
    st.lists(
        st.tuples(KEYS, st.one_of(GARBAGE, st.sampled_from(["0", "1", "yes", "", "1e-99999999999999999999"]))),
        max_size=12,
    ),
)
@pytest.mark.slow
def test_garbage_becomes_a_valid_content_or_errors_at_the_fields(
    case: tuple[dict[str, Any], dict[str, Any]], posted: list[tuple[str, str]]
) -> None:
    schema, _ = case
    form = read_form(schema)
    parsed = parse(form, posted)
    if parsed.errors:
        assert set(parsed.errors) <= {field.name for field in form.fields}
        assert all(parsed.errors.values())
    else:
        assert check(schema, parsed.content) == {}
    assert None not in parsed.content.values()
    render(form, parsed.texts, parsed.errors)


KEYWORDS = st.sampled_from(
    [
        *["type", "properties", "required", "enum", "const", "oneOf", "anyOf", "allOf", "items", "default", "title"],
        *["$ref", "format", "pattern", "minimum", "maxLength", "enumNames", "description", "$defs", "not", "a"],
        *["", "$anchor", "$id", "contains", "prefixItems", "additionalProperties"],
    ]
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYWORDS, inner, max_size=4)),
    max_leaves=12,
)


@settings(STEADY, max_examples=200)
@given(JSON, JSON)
def test_any_json_is_read_shown_and_checked_without_exception(schema: Any, content: Any) -> None:
    form = read_form(schema)
    render(form, None, check(schema, content)).encode()
    parse(form, pairs(form.texts))
