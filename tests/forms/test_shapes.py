"""A choice at the root: one of several objects, then its fields; their values go into the root object."""

from __future__ import annotations

import json
from time import perf_counter
from typing import Any

import pytest

from tests.forms.filling import Page, pairs, post, render
from tests.tables import each_row
from webclient.content.forms import (
    Form,
    as_plain_text,
    asks_for_secret,
    check_answer,
    draftable,
    fields_from_json,
    has_shapes,
    in_words,
    json_from_fields,
    parse,
    read_arguments,
    read_form,
    read_json,
    read_program_form,
    review,
    touched,
    withheld_fields,
)
from webclient.content.forms.shapes import MOST_SHAPES

TEXT = {"type": "string"}
ARGS = {"type": "object", "properties": {"to": TEXT, "amount": {"type": "number"}}, "required": ["to"]}
DECISION: dict[str, Any] = {
    "oneOf": [
        {"title": "Approve", "properties": {"type": {"const": "approve"}}, "required": ["type"]},
        {"properties": {"type": {"const": "edit"}, "args": ARGS}, "required": ["type", "args"]},
        {"properties": {"type": {"const": "reject"}, "message": TEXT}, "required": ["type", "message"]},
    ]
}
"""The decision on a call, as LangChain has it."""

DEFINED: dict[str, Any] = {
    "type": "object",
    "properties": {"note": {"type": "string", "maxLength": 5}},
    "anyOf": [{"$ref": "#/$defs/ByCard"}, {"$ref": "#/$defs/BankTransfer"}],
    "$defs": {
        "ByCard": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
        "BankTransfer": {"type": "object", "properties": {"iban": {**TEXT, "default": "DE"}}, "required": ["iban"]},
    },
}


def form_of(schema: Any) -> Form:
    return read_program_form(schema)


def labels(form: Form) -> list[str]:
    return [option.label for option in form.fields[-1].options]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (DECISION, ["Approve", "edit", "reject"]),
        (DEFINED, ["ByCard", "Bank Transfer"]),
        ({"anyOf": [{"properties": {"a": TEXT}}, {"properties": {"b": TEXT}}]}, ["Option 1", "Option 2"]),
        ({"anyOf": [{"title": "T", "properties": {"a": TEXT}}] * 2}, ["1. T", "2. T"]),
        ({"oneOf": [{"properties": {"a": TEXT}}, {"type": "null"}]}, ["Option 1"]),
        (
            {"oneOf": [DEFINED["$defs"]["ByCard"], {**DECISION, "title": "D"}]},
            ["Option 1", "Approve", "edit", "reject"],
        ),
    ],
)
def test_each_object_is_an_option_with_a_name(schema: Any, expected: list[str]) -> None:
    assert has_shapes(schema)
    assert labels(form_of(schema)) == expected


@pytest.mark.parametrize(
    ("typed", "content", "wrong"),
    [
        ({}, {}, {"f0"}),
        ({"f0": ["7"]}, {}, {"f0"}),
        ({"f0": ["0"]}, {"type": "approve"}, set()),
        ({"f0": ["0"], "f0.2.1": ["not sent"]}, {"type": "approve"}, set()),
        ({"f0": ["2"]}, {"type": "reject"}, {"f0.2.1"}),
        ({"f0": ["2"], "f0.2.1": ["no"]}, {"type": "reject", "message": "no"}, set()),
        ({"f0": ["1"], "f0.1.1.0": ["Bob"], "f0.1.1.1": ["x"]}, {"type": "edit", "args": {"to": "Bob"}}, {"f0.1.1.1"}),
    ],
)
def test_only_the_fields_of_the_chosen_one_are_read(typed: Any, content: Any, wrong: set[str]) -> None:
    parsed = post(form_of(DECISION), typed)
    assert (parsed.content, set(parsed.inside), parsed.errors) == (content, wrong, {})


def test_fields_that_all_shapes_have_stand_above_the_choice() -> None:
    form = form_of(DEFINED)
    assert [(each.name, each.kind) for each in form.fields] == [("note", "text"), ("", "shapes")]
    parsed = post(form, {"f0": ["too long"], "f1": ["1"], "f1.1.0": ["DE1"]})
    assert parsed.content == {"note": "too long", "iban": "DE1"}
    assert (set(parsed.errors), parsed.inside) == ({"note"}, {})
    assert post(form, {"f1": ["1"]}).content == {"iban": "DE"}


def test_a_property_that_a_shape_describes_is_in_each_of_them() -> None:
    root = {"properties": {"kind": {"enum": ["a", "b"]}, "x": TEXT}, "required": ["kind"]}
    schema = {**root, "oneOf": [{"properties": {"kind": {"const": "a"}}}, {"properties": {"kind": {"const": "b"}}}]}
    form = form_of(schema)
    assert [each.name for each in form.fields] == ["x", ""]
    assert labels(form) == ["a", "b"]
    assert post(form, {"f1": ["1"]}).content == {"kind": "b"}


@pytest.mark.parametrize(
    ("content", "chosen"),
    [
        ({"type": "reject", "message": "no"}, "2"),
        ({"type": "edit", "args": {"to": "Bob", "amount": 2.5}}, "1"),
        ({"type": "approve"}, "0"),
        ({"message": "half"}, "2"),
        ({}, ""),
    ],
)
def test_a_value_finds_its_shape_and_comes_back(content: dict[str, Any], chosen: str) -> None:
    form = form_of(DECISION)
    texts, left = fields_from_json(form, json.dumps(content))
    assert (texts["f0"], left) == ([chosen], {})
    if "type" in content:
        assert read_json(json_from_fields(form, parse(form, pairs(texts)))) == content


def test_a_value_that_no_shape_shows_is_named() -> None:
    texts, left = fields_from_json(form_of(DECISION), '{"type": "reject", "message": "no", "more": 1}')
    assert (texts["f0"], left) == (["2"], {"more": 1})


def test_an_answer_of_a_program_is_checked_by_the_shape_it_fits() -> None:
    form = form_of(DECISION)
    assert check_answer(form, {"type": "reject", "message": "no"}) == {}
    assert check_answer(form, {"type": "reject"}).keys() == {"message"}
    assert check_answer(form, {"type": "edit", "args": {}}).keys() == {"args"}
    assert check_answer(form, {}).keys() == {""}
    assert check_answer(form, ["no"]).keys() == {""}


def test_a_value_that_fits_two_shapes_of_one_of_is_wrong() -> None:
    form = form_of({"oneOf": [{"title": "A", "properties": {"a": TEXT}}, {"title": "B", "properties": {"b": TEXT}}]})
    said = post(form, {"f0": ["0"], "f0.0.0": ["x"]}).errors
    assert said.keys() == {""}
    assert said != check_answer(form_of(DECISION), {})


def test_the_review_knows_the_chosen_shape() -> None:
    form = form_of({"oneOf": [{"properties": {"a": TEXT, "b": TEXT}}, {"properties": {"c": TEXT}, "required": ["c"]}]})
    parsed = post(form, {"f0": ["0"], "f0.0.0": ["x"]})
    assert review(form, parsed.content, {}, parsed.texts).left_out == ("b",)
    parsed = post(form, {"f0": ["1"]})
    found = review(form, parsed.content, parsed.inside, parsed.texts)
    assert (found.left_out, found.missing) == ((), (("c", "f0.1.0"),))
    assert review(form, {}, post(form).inside).missing == (("Choose one", "f0-0"),)
    assert in_words(form, {"c": "z"}) == [("c", "z")]
    assert as_plain_text(form, post(form, {"f0": ["0"], "f0.0.1": ["y"]})) == "b: y"


def test_drafts_have_the_texts_of_all_shapes_but_no_secret() -> None:
    form = form_of({"oneOf": [{"properties": {"a": TEXT, "password": TEXT}}, {"properties": {"c": TEXT}}]})
    assert asks_for_secret(form) == {"password": "password"}
    typed = {"f0": ["1"], "f0.0.0": ["x"], "f0.0.1": ["hunter2"], "f0.1.0": ["z"]}
    saved = draftable(form, typed)
    assert {name: each for name, each in saved.items() if each} == {"f0": ["1"], "f0.0.0": ["x"], "f0.1.0": ["z"]}
    assert [each.name for each in withheld_fields(form, saved)] == ["password"]
    assert {each.name for each in touched(form, typed)} == {"a", "password", "c", ""}


def test_a_form_of_a_server_has_no_shapes() -> None:
    assert read_form(DECISION).fields == ()
    assert [each.kind for each in read_form(DEFINED).fields] == ["text"]
    assert read_program_form({"properties": {"a": TEXT}}) == read_form({"properties": {"a": TEXT}})


@each_row(
    "schema",
    [
        {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"anyOf": "x"},
        {"oneOf": []},
        {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        {"oneOf": [True, DEFINED["$defs"]["ByCard"]]},
        {"oneOf": [{"$ref": "https://example.com/it"}, DEFINED["$defs"]["ByCard"]]},
        {"oneOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"oneOf": DECISION["oneOf"], "anyOf": DECISION["oneOf"]},
        {"oneOf": [{"properties": {f"p{n}": TEXT}} for n in range(1_000)]},
        {"oneOf": [{"properties": {f"p{m}.{n}": TEXT for n in range(300)}} for m in range(MOST_SHAPES)]},
        {"oneOf": [{"oneOf": [{"properties": {"a": TEXT}}] * 100}] * 100},
    ],
)
def test_a_schema_without_readable_shapes_stays_bounded(schema: Any) -> None:
    started = perf_counter()
    form = read_arguments({"properties": {"x": TEXT}, **schema})
    assert not any(each.kind == "shapes" for each in form.fields)
    check_answer(form, {"p1": "x"})
    assert perf_counter() - started < 3


def test_many_large_shapes_are_filled_in_at_bounded_cost() -> None:
    shape = {"type": "object", "properties": {f"p{n}": {**TEXT, "default": "d"} for n in range(20)}}
    schema = {"oneOf": [{**shape, "title": f"S{n}"} for n in range(MOST_SHAPES)]}
    started = perf_counter()
    form = form_of(schema)
    assert len(form.every) == 1_000
    fields_from_json(form, json.dumps({"p3": "x"}))
    assert post(form, {"f0": ["49"]}).content["p19"] == "d"
    assert perf_counter() - started < 5


def test_each_option_has_a_label_and_its_fields_beside_it() -> None:
    form = form_of(DECISION)
    page = Page(render(form, {"f0": ["2"]}, inside={"f0.2.1": "Required"}))
    ids = [each["id"] for _, each in page.elements if "id" in each]
    assert len(ids) == len(set(ids))
    radios = [each for each in page.all("input") if each.get("type") == "radio" and each["name"] == "f0"]
    assert [("checked" in each, each["value"]) for each in radios] == [(False, "0"), (False, "1"), (True, "2")]
    labelled = {each["for"] for each in page.all("label")}
    assert {each["id"] for each in page.all("input", "textarea")} <= labelled
    # The constants that tell the options apart are not shown.
    assert "Fixed value" not in page.text
