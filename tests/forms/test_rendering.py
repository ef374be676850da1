"""The form as HTML: labels, ids, groups, and what goes back when nobody touches it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.forms.filling import DEFAULTS, EVERY, SCOPE, Page, form_of, render, schema_of
from webclient.forms.fields import Form, read_form
from webclient.forms.parse import parse
from webclient.forms.validation import prefilled


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


def test_required_is_said_in_words_and_never_on_a_group_of_boxes() -> None:
    page = Page(render(every(*EVERY)))
    assert page.text.count("required") >= len(EVERY) - 1
    assert not [each for each in page.all("input") if each.get("type") == "checkbox" and "required" in each]
    assert "required" not in Page(render(every())).text


def test_a_field_that_may_be_empty_has_no_required_control() -> None:
    text, lines = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
    page = Page(render(form_of("a", "b", "c", a=text, b={**text, "minLength": 1}, c=lines)))
    assert ["required" in each for each in page.all("input", "textarea")] == [False, True, False]


def test_nothing_inline_that_the_content_security_policy_forbids() -> None:
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
