"""The form as HTML: labels, ids, groups, and what an untouched form posts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.forms.filling import DEFAULTS, EVERY, SCOPE, Page, form_of, render, render_summary, schema_of
from webclient.content.forms.fields import Form, read_form
from webclient.content.forms.parse import parse
from webclient.content.forms.validation import prefilled


def every(*required: str) -> Form:
    """Return a form of every kind of field, and one that cannot be filled in."""
    return form_of(*required, **EVERY, other={"type": "object"})


@pytest.mark.parametrize("required", [(), tuple(EVERY)])
@pytest.mark.parametrize("errors", [{}, dict.fromkeys(EVERY, "It is wrong.")])
def test_ids_are_unique_and_every_reference_leads_to_one(required: tuple[str, ...], errors: dict[str, str]) -> None:
    page = Page(render(every(*required), None, errors))
    ids = [each["id"] for _, each in page.elements if "id" in each]
    assert len(ids) == len(set(ids))
    assert all(str(each).startswith(f"{SCOPE}-") for each in ids)
    referred = [each["for"] for each in page.all("label")] + [
        each["list"] for each in page.all("input") if "list" in each
    ]
    for _, each in page.elements:
        referred += (each.get("aria-describedby") or "").split()
    assert set(referred) <= set(ids)


def test_every_control_has_a_visible_label() -> None:
    page = Page(render(every()))
    labelled = {each["for"] for each in page.all("label")}
    controls = [each for each in page.all("input", "select", "textarea") if each.get("type") != "hidden"]
    assert {each["id"] for each in controls} <= labelled
    assert len(page.all("fieldset")) == len(page.all("legend")) == 5


def test_every_field_can_be_reached_from_the_summary() -> None:
    form = every()
    ids = {each.get("id") for _, each in Page(render(form)).elements}
    assert {f"{SCOPE}-{field.focus}" for field in form.fields if field.kind != "constant"} <= ids


def test_optional_fields_say_so_and_boxes_are_not_required() -> None:
    page = Page(render(every(*EVERY)))
    assert not [each for each in page.all("input") if each.get("type") == "checkbox" and "required" in each]
    # All but the constant, which is sent in any case.
    assert Page(render(every())).text.count("(optional)") == len(EVERY) - 1 + len(["other"])
    assert page.text.count("(optional)") == len(["other"])


def test_few_short_options_stand_in_a_row_and_others_do_not() -> None:
    rows = {
        "sure": {"type": "boolean"},
        "size": {"enum": ["S", "M", "L"]},
        "long": {"enum": ["a long option", "another long option", "the third of them"]},
        "many": {"enum": ["a", "b", "c", "d", "e"]},
        "explained": {"oneOf": [{"const": "a", "title": "A", "description": "it says more"}, {"const": "b"}]},
    }
    assert [field.name for field in form_of(*rows, **rows).fields if field.in_a_row] == ["sure", "size"]


def test_a_field_that_may_take_a_secret_is_masked_and_no_other() -> None:
    html = render(form_of(pin={"type": "string"}, city={"type": "string"}), masked=("f0",))
    fields = {each["name"]: str(each["class"]) for each in Page(html).all("input")}
    assert {name: "input--masked" in classes for name, classes in fields.items()} == {"f0": True, "f1": False}
    # A browser would fill in a saved password, or suggest to save this one.
    assert not [each for each in Page(html).all("input") if each.get("type") == "password"]


@pytest.mark.parametrize(("count", "summed_up"), [(1, False), (2, False), (3, True)])
def test_few_errors_are_said_at_their_fields_alone(count: int, summed_up: bool) -> None:
    form = form_of(**{name: {"type": "string"} for name in "abcd"})
    errors = dict.fromkeys("bcd"[:count], "It is wrong.")
    summary = Page(render_summary(form, errors))
    assert bool(summary.all("div")) is summed_up
    focused = [each["id"] for each in Page(render(form, None, errors)).all("input") if "autofocus" in each]
    assert focused == ([] if summed_up else [f"{SCOPE}-f1"])


def test_an_error_that_no_field_shows_is_always_summed_up() -> None:
    form = form_of(a={"type": "string"})
    assert Page(render_summary(form, {"": "At least one field."})).all("div")
    assert Page(render_summary(form, {"elsewhere": "Not wanted."})).all("div")


def test_a_field_that_may_be_empty_has_no_required_control() -> None:
    text, lines = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
    page = Page(render(form_of("a", "b", "c", a=text, b={**text, "minLength": 1}, c=lines)))
    assert ["required" in each for each in page.all("input", "textarea")] == [False, True, False]


def test_fields_have_no_inline_script_or_style() -> None:
    page = Page(render(every(), None, dict.fromkeys(EVERY, "x")))
    assert not page.all("script", "style")
    assert not [each for _, each in page.elements if any(key == "style" or key.startswith("on") for key in each)]


@pytest.mark.parametrize("required", [(), tuple(EVERY)])
def test_an_untouched_page_posts_exactly_the_prefilled_content(required: tuple[str, ...]) -> None:
    filled = {name: {**schema, "default": DEFAULTS[name]} for name, schema in EVERY.items()}
    form = read_form(schema_of(*required, **filled))
    parsed = parse(form, Page(render(form)).posted())
    assert parsed.errors == {}
    assert parsed.content == DEFAULTS == prefilled(form)


def test_an_untouched_page_without_defaults_posts_only_constants() -> None:
    form = every()
    assert parse(form, Page(render(form)).posted()).content == {"fixed": "v1"}


def test_point_46_server_text_never_becomes_markup() -> None:
    evil = '"><script>alert(1)</script><hx-partial>'
    schema: dict[str, Any] = {
        "title": evil,
        "description": evil,
        "properties": {
            evil: {"type": "string", "title": evil, "description": evil, "default": evil, "format": evil},
            "p": {"type": "string", "pattern": evil},
            "box": {"type": "string", "maxLength": 999, "default": "</textarea>" + evil},
            "a": {"enum": [evil, "b"], "enumNames": [evil, evil]},
            "b": {"enum": [evil, *map(str, range(10))]},
            "c": {"enum": [evil, *map(str, range(30))]},
            "d": {"type": "array", "items": {"enum": [evil]}},
            "e": {"const": evil},
            "f": {"type": evil},
        },
        "required": [evil],
    }
    form = read_form(schema)
    page = Page(render(form, None, dict.fromkeys(schema["properties"], evil)))
    assert not page.all("script", "hx-partial")
    assert parse(form, page.posted()).content[evil] == evil
