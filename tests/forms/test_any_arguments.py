"""Any arguments of a tool go into the fields and come back, and garbage never gets through."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.forms.filling import Page, pairs, render
from tests.forms.test_any_form import CONSTANTS, GARBAGE, JSON, PROPERTIES, STEADY, TEXT, Case, spellings
from webclient.content.forms.fields import read_arguments
from webclient.content.forms.filling import fill_all
from webclient.content.forms.json_form import json_from_fields
from webclient.content.forms.parse import parse
from webclient.content.forms.validation import check_arguments
from webclient.content.forms.values import equal

NAMES = st.one_of(TEXT, st.sampled_from(["", "__proto__", "f0", "f0.1"]))
FREE: st.SearchStrategy[Case] = st.one_of(
    st.tuples(st.just({"type": "object"}), st.dictionaries(TEXT, st.integers(), max_size=2)),
    st.tuples(st.just({}), st.one_of(st.none(), st.integers(), st.text(max_size=3), st.lists(st.integers()))),
    st.tuples(st.just({"type": "array", "prefixItems": [{"type": "integer"}]}), st.just([1, "x"])),
    st.tuples(
        st.just({"oneOf": [{"properties": {"a": {"const": 1}}}, {"properties": {"b": {"const": 2}}}]}),
        st.just({"a": 1, "b": 3}),
    ),
)


@st.composite
def groups(draw: st.DrawFn, inner: st.SearchStrategy[Case]) -> Case:
    """Draw an object with required, defaulted and further properties."""
    properties: dict[str, Any] = {}
    value: dict[str, Any] = {}
    required: list[str] = []
    for name in draw(st.lists(NAMES, min_size=1, max_size=4, unique=True)):
        if draw(st.integers(0, 9)) == 0:
            value[name] = draw(CONSTANTS)
            properties[name] = {"const": value[name]}
            continue
        schema, said = draw(inner)
        properties[name] = {**schema, **({"default": said} if draw(st.integers(0, 4)) == 0 else {})}
        if draw(st.booleans()):
            required.append(name)
        if name in required or draw(st.booleans()):
            value[name] = said
    schema = {"type": "object", "properties": properties, "required": required}
    if draw(st.booleans()):
        others, said = draw(inner)
        schema["additionalProperties"] = others
        value |= {name: said for name in draw(st.lists(TEXT, max_size=2, unique=True)) if name not in properties}
    return schema, value


@st.composite
def lists(draw: st.DrawFn, inner: st.SearchStrategy[Case]) -> Case:
    """Draw an array of one kind of items."""
    schema, value = draw(inner)
    return {"type": "array", "items": schema}, [value] * draw(st.integers(0, 3))


@st.composite
def maps(draw: st.DrawFn, inner: st.SearchStrategy[Case]) -> Case:
    """Draw an object whose names are free and whose values are of one kind."""
    schema, value = draw(inner)
    names = draw(st.lists(NAMES, max_size=3, unique=True))
    said = draw(st.sampled_from([{"additionalProperties": schema}, {"patternProperties": {"": schema}}]))
    return {"type": "object", **said}, dict.fromkeys(names, value)


NESTED = st.recursive(
    st.one_of(PROPERTIES, FREE), lambda inner: st.one_of(groups(inner), lists(inner), maps(inner)), max_leaves=4
)


@st.composite
def arguments(draw: st.DrawFn) -> Case:
    """Draw the `inputSchema` of a tool, with references and nullable parts, and arguments."""
    schema, value = draw(groups(NESTED))
    definitions = {}
    for index, (name, each) in enumerate(list(schema["properties"].items())):
        if "default" not in each and "const" not in each and draw(st.booleans()):
            definitions[f"d{index}"] = {**each, "$anchor": f"d{index}"}
            schema["properties"][name] = draw(st.sampled_from(spellings(each, f"d{index}")))
    return {**schema, "$defs": definitions}, value


def exact(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@settings(STEADY, max_examples=100)
@given(arguments())
@pytest.mark.slow
def test_arguments_survive_fields_post_and_content(case: Case) -> None:
    schema, value = case
    form = read_arguments(schema)
    texts = fill_all(form.fields, value)
    if form.as_json or texts is None:
        # names of further properties that no field can have keep all of it in JSON
        others = value.keys() - schema["properties"].keys()
        spreads = any(field.spreads for field in form.fields)
        assert not spreads or any(not name or set("\r\n\0") & set(name) for name in others)
        return
    page = Page(render(form, texts))
    parsed = parse(form, page.posted())
    assert equal(parsed.content, value), exact(parsed.content)
    assert parsed.is_right == (check_arguments(schema, value) == {})
    again = json.loads(json_from_fields(form, parsed))
    assert equal(again, value)
    assert fill_all(form.fields, again) == texts


@settings(STEADY, max_examples=100)
@given(arguments())
def test_an_untouched_form_omits_optional_values_without_default(case: Case) -> None:
    form = read_arguments(case[0])
    parsed = parse(form, Page(render(form)).posted())
    for field in form.fields:
        if not field.required and field.kind != "constant" and not field.spreads:
            assert equal(parsed.content.get(field.name), field.default)
    assert parsed.errors.keys() <= {field.name for field in form.fields if field.required}


@settings(STEADY, max_examples=150)
@given(arguments(), st.data())
@pytest.mark.slow
def test_garbage_becomes_valid_arguments_or_errors_at_controls(case: Case, data: st.DataObject) -> None:
    form = read_arguments(case[0])
    steps = st.one_of(st.integers(0, 3).map(str), st.sampled_from(["items", "key", "json", "empty", "zone"]))
    names = st.lists(steps, max_size=4).map(lambda parts: ".".join(["f0", *parts]))
    texts = st.one_of(GARBAGE, st.sampled_from(["0", "1", "2", "yes", "{}", "[", "null", '"x"']))
    parsed = parse(form, data.draw(st.lists(st.tuples(names, texts), max_size=12)))
    if parsed.is_right:
        assert check_arguments(case[0], parsed.content) == {}
    assert all(parsed.errors.values())
    assert all(parsed.inside.values())
    render(form, parsed.texts, parsed.errors, parsed.inside)


@settings(STEADY, max_examples=100)
@given(JSON, JSON)
def test_any_schema_at_all_becomes_a_form_or_json(schema: Any, value: Any) -> None:
    form = read_arguments(schema)
    if isinstance(value, dict) and not form.as_json:
        texts = fill_all(form.fields, value)
        if texts is not None:
            parsed = parse(form, pairs(texts))
            render(form, parsed.texts, parsed.errors, parsed.inside).encode()
