"""How a form travels as HTML: names, indexes, presence, line breaks, and what strangers post (points 1 to 6)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.forms.filling import DEFAULTS, EVERY, SCOPE, Page, answer, form_of, pairs, post, render, render_summary
from tests.tables import each_row
from webclient.content.forms.controls import LONGEST_TEXT
from webclient.content.forms.fields import read_form
from webclient.content.forms.parse import parse
from webclient.content.forms.validation import check

HOSTILE_NAMES = ["__proto__", "", "_charset_", "csrf", "action", "a.b[]", "x" * 5_000, "名前", "f0"]


def test_point_01_controls_are_named_by_position() -> None:
    form = form_of(**{name: {"type": "string", "default": "d"} for name in HOSTILE_NAMES})
    page = Page(render(form))
    names = {each.get("name") for each in page.all("input", "textarea", "select")}
    assert names <= {f"f{index}{suffix}" for index in range(len(HOSTILE_NAMES)) for suffix in ("", ".empty")}
    assert parse(form, page.posted()).content == dict.fromkeys(HOSTILE_NAMES, "d")


def test_point_01_no_control_has_a_name_from_the_server() -> None:
    form = form_of(**{name: {**schema, "default": DEFAULTS[name]} for name, schema in EVERY.items()})
    page = Page(render(form, None, dict.fromkeys(EVERY, "It is wrong.")))
    names = [str(each["name"]) for each in page.all("input", "textarea", "select")]
    assert all(re.fullmatch(r"f[0-9]+(\.zone|\.empty)?", name) for name in names)
    assert {re.sub(r"\..*", "", name) for name in names} == {
        each.control for each in form.fields if each.kind != "constant"
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "maximum": 2, "default": 3},
        {"type": "string", "minLength": 3, "default": "ab"},
        {"type": "array", "items": {"type": "string", "maxLength": 1}, "default": ["ab"]},
    ],
)
def test_point_01_a_field_without_a_name_is_judged_as_any_other(schema: Any) -> None:
    form = form_of(**{"": schema, "other": schema})
    assert [field.default for field in form.fields] == [None, None]
    assert list(check(form.schema, {"": schema["default"], "other": schema["default"]})) == ["", "other"]
    assert "(no name)" in render(form)


def test_point_02_an_option_of_any_value_is_posted_by_its_index() -> None:
    values = ["", " lead", "x" * 10_000, 1, True]
    form = form_of(it={"enum": values})
    for index, value in enumerate(values):
        assert post(form, {"f0": [str(index)]}).content == {"it": value}
    assert "x" * 300 not in render(form)


@pytest.mark.parametrize("count", [5, 15])
@pytest.mark.parametrize("many", [False, True])
def test_point_02_the_page_holds_indexes_and_no_values(count: int, many: bool) -> None:
    options = {"oneOf": [{"const": f"value {n}", "title": f"Title {n}"} for n in range(count)]}
    html = render(form_of(it={"type": "array", "items": options} if many else options))
    sent = [each["value"] for each in Page(html).all("input", "option")]
    assert sorted(map(str, sent)) == sorted([*map(str, range(count)), *([] if many else [""])])
    assert "value 1" not in html


def test_point_02_a_combobox_option_is_chosen_by_its_shown_text() -> None:
    long = ["x" * 10_000, "x" * 10_001, "x" * 10_000 + "y"]
    values = ["", " lead", "lead", "a\u200b", "a", "a\nb", "a b", 1, "1", True, "true", *long, *map(str, range(2, 30))]
    form = form_of(it={"enum": values})
    shown = [str(each["value"]) for each in Page(render(form)).all("option")]
    assert len(set(shown)) == len(values)
    assert max(map(len, shown)) < 500
    chosen = [post(form, {"f0": [text]}).content["it"] for text in shown]
    assert [(value, type(value)) for value in chosen] == [(value, type(value)) for value in values]


def test_point_03_line_breaks_are_normalised_before_any_rule() -> None:
    assert answer({"type": "string", "maxLength": 3}, "a\r\nb") == "a\nb"
    assert answer({"type": "string", "pattern": "^a\\nb$"}, "a\rb") == "a\nb"


def test_point_03_a_line_break_is_one_character_everywhere() -> None:
    assert "(1 so far)" in str(answer({"type": "string", "minLength": 2}, "\r\n"))
    assert answer({"type": "array", "items": {"type": "string", "maxLength": 1}}, "a\r\nb\rc") == ["a", "b", "c"]
    assert post(form_of(it={"type": "string"}), {"f0": ["a\r\nb\rc"]}).texts == {"f0": ["a\nb\nc"]}


def test_point_04_an_empty_group_differs_from_an_untouched_one() -> None:
    form = form_of("it", it={"type": "array", "items": {"enum": ["a", "b"]}})
    assert parse(form, [("f0.empty", "1")]).content == {"it": []}
    assert parse(form, []).errors["it"] == "Required"
    assert 'name="f0.empty"' in render(form, {}, parse(form, []).errors)


@each_row("name", [name for name in EVERY if name != "fixed"])
def test_point_04_untouched_cleared_and_absent_are_distinguished(name: str) -> None:
    form = form_of(it={**EVERY[name], "default": DEFAULTS[name]})
    cleared = {control: [] if control.endswith(".empty") else [""] for control in form.texts}
    assert post(form).content == {"it": DEFAULTS[name]}
    assert post(form, cleared).content == {}
    assert parse(form, []).content == {}
    assert post(form_of(it=EVERY[name])).content == {}


def test_point_05_a_wrong_form_is_shown_again_with_all_texts() -> None:
    form = form_of("n", n={"type": "number"}, d={"type": "string", "format": "date"}, t={"type": "string"})
    parsed = parse(form, [("f0", "1,5"), ("f1", "2024-02-31"), ("f2", " kept ")])
    page = Page(render(form, parsed.texts, parsed.errors))
    assert dict(page.posted()) == {"f0": "1,5", "f1": "2024-02-31", "f2": " kept "}
    assert set(parsed.errors) == {"n", "d"}


def test_point_05_errors_are_tied_to_controls_and_summed_up() -> None:
    form = form_of("n", n={"type": "number", "title": "Price", "minimum": 0, "description": "In euros"})
    page = Page(render(form, {"f0": ["-1"]}, {"n": "Too small."}))
    (control,) = page.all("input")
    assert control["aria-invalid"] == "true"
    assert control["aria-describedby"] == f"{SCOPE}-f0-about {SCOPE}-f0-hint {SCOPE}-f0-error"
    assert control["type"] == "text"
    assert control["inputmode"] == "decimal"
    several = form_of(**{key: {"type": "string"} for key in "abc"})
    page = Page(render_summary(several, dict.fromkeys("abc", "It is wrong.")))
    (summary,) = page.all("div")
    assert summary["role"] == "alert"
    assert {"autofocus", "tabindex"} <= summary.keys()
    assert page.all("a") == [{"href": f"#{SCOPE}-f{n}"} for n in range(3)]


def test_point_05_every_kind_of_control_says_that_it_is_wrong() -> None:
    schemas = {name: schema for name, schema in EVERY.items() if name != "fixed"}
    page = Page(render(form_of(**schemas), None, dict.fromkeys(schemas, "It is wrong.")))
    # of radio buttons, the group says so
    controls = [each for each in page.all("input", "select", "textarea") if each.get("type") != "radio"]
    groups = [each for each in page.all("fieldset") if each.get("role") == "radiogroup"]
    said = [each for each in [*controls, *groups] if not str(each.get("name")).endswith(".empty")]
    assert all(each.get("aria-invalid") == "true" for each in said)
    wrong = [each for each in page.all("div", "fieldset") if "field--wrong" in str(each.get("class")).split()]
    assert len(wrong) == len(schemas)
    assert page.text.count("It is wrong.") == len(schemas)


def test_point_05_errors_of_no_field_are_in_the_summary_too() -> None:
    page = Page(render_summary(form_of(), {"": "The whole is wrong.", "ghost\u202e": "Not asked for."}))
    assert "The whole is wrong." in page.text
    assert "ghost⟦U+202E⟧" in page.text


def test_point_06_keys_that_the_form_does_not_have_are_ignored() -> None:
    form = form_of(it={"type": "string"})
    parsed = parse(form, [("f0", "a"), ("f1", "b"), ("it", "c"), ("csrf", "d"), ("__proto__", "e")])
    assert (parsed.content, parsed.errors, parsed.texts) == ({"it": "a"}, {}, {"f0": ["a"]})


def test_point_06_a_forged_post_is_checked_by_the_schema() -> None:
    assert "Enter at most" in str(answer({"type": "string", "maxLength": 3}, "abcd"))
    assert "from the list" in str(answer({"enum": ["a", "b"]}, "2"))
    assert isinstance(answer({"type": "array", "items": {"enum": ["a"]}}, "0", "7"), ValueError)


def test_point_06_a_text_without_end_is_refused() -> None:
    assert "too long" in str(answer({"type": "string"}, "x" * (LONGEST_TEXT + 1)))


@pytest.mark.parametrize("schema", [None, [], "x", 3, {"properties": []}, {"properties": {"a": None}}, {"required": 1}])
def test_reading_any_schema_ends_in_a_form(schema: object) -> None:
    form = read_form(schema)  # type: ignore[arg-type]
    assert parse(form, pairs(form.texts)).content == {}
