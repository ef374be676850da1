"""File fields of programs and tools: a data URI or base64, with type and size checked; none for servers."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.forms.filling import Page, post, render
from webclient.content.forms import (
    data_uri,
    draftable,
    fields_from_json,
    files_to_choose,
    parse,
    read_arguments,
    read_form,
    read_program_form,
    typed_texts,
    withheld_fields,
    withheld_values,
)
from webclient.content.forms.files import LARGEST_FILE, file_in_words

URI = {"type": "string", "format": "data-url", "contentMediaType": "image/*"}
RAW = {"type": "string", "contentEncoding": "base64", "contentMediaType": "text/csv"}
SCHEMA = {"type": "object", "properties": {"photo": URI, "table": RAW, "note": {"type": "string"}}}
PNG, CSV = data_uri("image/png", b"\x89PNG"), data_uri("text/csv", b"a;b")


@pytest.mark.parametrize("form", [read_program_form(SCHEMA), read_arguments(SCHEMA)])
def test_a_file_is_sent_as_a_data_uri_or_as_base64(form: Any) -> None:
    assert [each.kind for each in form.fields] == ["file", "file", "text"]
    parsed = post(form, {"f0": [PNG], "f1": [CSV]})
    assert parsed.content == {"photo": PNG, "table": base64.b64encode(b"a;b").decode()}
    assert parsed.is_right
    assert post(form).content == {}


def test_an_uploaded_file_counts_after_the_text() -> None:
    form = read_program_form(SCHEMA)
    assert parse(form, [("f0", data_uri("image/gif", b"old")), ("f0", PNG)]).content == {"photo": PNG}


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "data:image/png,plain",
        "data:image/png;base64,?",
        data_uri("text/html", b"<script>"),
        data_uri("image/png", b"x" * (LARGEST_FILE + 1)),
    ],
)
def test_a_text_that_is_not_such_a_file_is_wrong(text: str) -> None:
    parsed = post(read_program_form(SCHEMA), {"f0": [text]})
    assert (parsed.content, set(parsed.errors)) == ({}, {"photo"})
    assert parsed.texts["f0"] == [text]


def test_the_greatest_file_fits_and_a_smaller_bound_counts() -> None:
    assert post(read_program_form(SCHEMA), {"f0": [data_uri("image/png", b"x" * LARGEST_FILE)]}).is_right
    small = read_program_form({"type": "object", "properties": {"photo": {**URI, "maxLength": 40}}})
    assert post(small, {"f0": [data_uri("image/png", b"x" * 31)]}).errors.keys() == {"photo"}


def test_a_form_of_a_server_has_no_file_field() -> None:
    assert [each.kind for each in read_form(SCHEMA).fields] == ["text", "text", "text"]


def test_a_list_of_files_has_an_entry_for_each() -> None:
    form = read_arguments({"type": "object", "properties": {"all": {"type": "array", "items": URI}}})
    assert parse(form, [("f0.items", "0"), ("f0.0", PNG)]).content == {"all": [PNG]}


def test_a_file_is_in_no_draft_and_is_not_taken_for_a_secret() -> None:
    form = read_program_form(SCHEMA)
    saved = draftable(form, typed_texts(form, [("f0", PNG), ("f2", "hi")]))
    assert {name: typed for name, typed in saved.items() if typed} == {"f2": ["hi"]}
    assert [each.name for each in files_to_choose(form, saved)] == ["photo", "table"]
    assert withheld_fields(form, saved) == []
    assert withheld_values(form, {"table": base64.b64encode(bytes(range(256))).decode()}) == ()


def test_a_value_comes_back_from_json() -> None:
    texts, left = fields_from_json(read_program_form(SCHEMA), f'{{"photo": "{PNG}", "table": "YTti"}}')
    assert (texts["f0"], texts["f1"], left) == ([PNG], ["YTti"], {})


def test_the_page_says_what_was_chosen_and_takes_an_upload() -> None:
    page = Page(render(read_program_form(SCHEMA), {"f0": [PNG]}))
    upload = next(each for each in page.all("input") if each.get("type") == "file")
    assert (upload["name"], upload["accept"]) == ("f0.file", "image/*")
    assert file_in_words(PNG) in page.text
    assert page.boxes["f0"] == PNG
    assert page.all("img") == []
