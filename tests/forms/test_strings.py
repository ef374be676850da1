"""Texts: empty ones, long ones, formats and patterns (points 7 to 15)."""

from __future__ import annotations

import pytest

from tests.forms.filling import Page, answer, field_of, form_of, post, render
from webclient.content.forms.validation import check, prefilled


def test_point_07_an_untouched_optional_text_is_left_out() -> None:
    assert answer({"type": "string"}, "", required=False) is None


def test_point_07_a_cleared_optional_text_is_left_out() -> None:
    assert answer({"type": "string", "default": "abc"}, "", required=False) is None


def test_point_07_a_required_text_is_sent_empty_only_on_purpose() -> None:
    assert str(answer({"type": "string"}, "")) == "Required"
    assert answer({"type": "string"}, "", empty="1") == ""


def test_point_07_an_empty_text_can_be_sent_where_it_matters() -> None:
    form = form_of("it", it={"type": "string"})
    assert "f0.empty" not in render(form)
    parsed = post(form, {"f0": [""]})
    assert 'name="f0.empty"' in render(form, parsed.texts, parsed.errors)
    assert 'name="f0.empty" value="1" checked' in render(form, {"f0": [""], "f0.empty": ["1"]})
    assert 'name="f0.empty"' in render(form_of(it={"type": "string", "default": "abc"}))


def test_point_07_typed_text_wins_over_the_box_for_empty() -> None:
    assert answer({"type": "string"}, "abc", empty="1") == "abc"


@pytest.mark.parametrize("schema", [{"minLength": 1}, {"format": "email"}, {"pattern": "."}])
def test_point_07_no_box_for_empty_where_the_schema_forbids_it(schema: dict[str, object]) -> None:
    assert not field_of({"type": "string", **schema}, required=True).may_be_empty


def test_point_07_an_empty_default_is_sent_as_it_is() -> None:
    form = form_of(it={"type": "string", "default": ""})
    assert post(form).content == {"it": ""} == prefilled(form)
    assert post(form, {"f0.empty": []}).content == {}


def test_point_08_nothing_is_trimmed_in_silence() -> None:
    assert answer({"type": "string"}, "  a b  ") == "  a b  "
    assert "Remove the spaces" in str(answer({"type": "string", "format": "email"}, "a@example.com "))


def test_point_09_length_counts_code_points_without_maxlength() -> None:
    schema = {"type": "string", "minLength": 2, "maxLength": 2}
    assert answer(schema, "💩💩") == "💩💩"
    assert "at least 2 characters (1 so far)" in str(answer(schema, "💩"))
    assert "maxlength" not in render(form_of(it=schema))


def test_point_09_a_counter_says_how_many_are_allowed() -> None:
    assert 'data-most="2"' in render(form_of(it={"type": "string", "maxLength": 2}))
    for most in (-1, "2", True, None, float("inf")):
        assert "data-most" not in render(form_of(it={"type": "string", "maxLength": most}))


def test_point_10_a_line_with_several_lines_comes_back_as_a_box() -> None:
    form = form_of(it={"type": "string"})
    assert Page(render(form)).boxes == {}
    assert Page(render(form, {"f0": ["one\ntwo"]})).boxes == {"f0": "one\ntwo"}


@pytest.mark.parametrize("schema", [{"maxLength": 2_000}, {"default": "two\nlines"}, {"default": "two\rlines"}])
def test_point_10_long_or_multiline_texts_get_a_box(schema: dict[str, object]) -> None:
    assert field_of({"type": "string", **schema}).widget == "textarea"
    assert field_of({"type": "string", "maxLength": 200}).widget == "input"
    assert field_of({"type": "string", "maxLength": 201}).widget == "textarea"


@pytest.mark.parametrize("default", ["\nfirst line empty", "a\r\nb", "\n\n", "<b>&amp;</b>\n", "tail\n"])
def test_point_10_a_box_returns_its_default_exactly(default: str) -> None:
    form = form_of(it={"type": "string", "default": default})
    typed = [(name, text.replace("\n", "\r\n")) for name, text in Page(render(form).replace("\r\n", "\n")).posted()]
    assert post(form, {name: [text] for name, text in typed}).content == {"it": default}


def test_point_12_an_unknown_format_is_said_and_not_checked() -> None:
    schema = {"type": "string", "format": "phone"}
    assert answer(schema, "anything") == "anything"
    assert field_of(schema).constraints == ("The server calls this format “phone”. It is not checked here.",)


@pytest.mark.parametrize("name", ["uuid", "ipv4", "time", "regex", "password", "hostname"])
def test_point_12_an_unknown_format_is_left_to_the_server(name: str) -> None:
    assert check({"properties": {"it": {"type": "string", "format": name}}}, {"it": "(("}) == {}


@pytest.mark.parametrize("address", ["x@y", "用户@例子.公司", "a.b+c@example.com", '"joe bloggs"@example.com'])
def test_point_13_email_is_permissive_and_international(address: str) -> None:
    assert answer({"type": "string", "format": "email"}, address) == address


@pytest.mark.parametrize("address", ["x", "@y", "x@", "Joe <joe@example.com>", "a@b, c@d"])
def test_point_13_an_invalid_address_is_refused(address: str) -> None:
    assert "email address" in str(answer({"type": "string", "format": "email"}, address))


def test_point_13_no_browser_rewrites_an_address() -> None:
    (control,) = Page(render(form_of(it={"type": "string", "format": "email"}))).all("input")
    assert (control["type"], control["inputmode"]) == ("text", "email")


def test_point_14_a_uri_is_absolute_and_never_a_link() -> None:
    schema = {"type": "string", "format": "uri", "default": "https://example.com/a"}
    assert answer(schema, "urn:isbn:0451450523") == "urn:isbn:0451450523"
    assert "full URL" in str(answer(schema, "/abc"))
    page = Page(render(form_of(it=schema)))
    assert page.all("a") == []
    (control,) = page.all("input")
    assert (control["type"], control["inputmode"]) == ("text", "url")


@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        ("b", "abc", "xyz"),
        (r"^\p{L}+$", "héllo", "1"),
        (r"^(?<year>\d{4})$", "2026", "26"),
        ("^a$", "a", "a\n"),
        (r"^\d$", "3", "٣"),
        (r"^(?=.*\d)[a-z\d]+$", "a1", "ab"),
    ],
)
def test_point_15_a_pattern_is_an_unanchored_ecma_262_search(pattern: str, good: str, bad: str) -> None:
    schema = {"type": "string", "pattern": pattern}
    assert answer(schema, good) == good
    assert "does not match the format" in str(answer(schema, bad))


@pytest.mark.parametrize("pattern", ["((", "(a{1000}){1000}", "x" * 3_000, "\ud800"])
def test_point_15_an_uncheckable_pattern_is_left_to_the_server(pattern: str) -> None:
    schema = {"type": "string", "pattern": pattern}
    assert answer(schema, "abc") == "abc"
    assert "the server will check" in field_of(schema).constraints[0]


def test_point_15_a_catastrophic_pattern_causes_no_delay() -> None:
    evil = {f"p{i}": {"type": "string", "pattern": f"^(a|a)+(?!c)b{i}$"} for i in range(20)}
    assert check({"properties": evil}, dict.fromkeys(evil, "a" * 40 + "!")) == {}


def test_half_a_character_cannot_be_sent() -> None:
    assert "cannot be sent" in check({"properties": {"it": {"type": "string"}}}, {"it": "\ud800"})["it"]


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_an_unsendable_character_is_refused_and_never_prefilled(text: str) -> None:
    assert "cannot be sent" in str(answer({"type": "string"}, text))
    assert field_of({"type": "string", "default": text}).default is None


def test_nul_is_a_character_of_json_like_any_other() -> None:
    """What cannot be typed can be chosen, be constant, and come as JSON (JSON Schema test suite: const, enum)."""
    constant, choice = {"const": "a\0b"}, {"enum": ["a\0b", "ab"]}
    for schema in (constant, choice, {"type": "string"}):
        assert check({"properties": {"it": schema}}, {"it": "a\0b"}) == {}
    assert "it" in check({"properties": {"it": constant}}, {"it": "ab"})
    assert answer(choice, "0") == answer(constant) == "a\0b"
