"""Names of tools as a browser posts them."""

from __future__ import annotations

import json

import pytest

from webclient.web.http.filters import compact
from webclient.web.pages.posted_form import is_posted_unchanged, posted_name


@pytest.mark.parametrize("name", ["a\nb", "a\r\nb", "a\rb", "a\x00b", "a\ud800b"])
def test_a_name_that_a_form_would_change_travels_as_json(name: str) -> None:
    assert not is_posted_unchanged(name)
    as_browsers_post_it = name.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
    assert posted_name([("name", as_browsers_post_it), ("name_json", compact(name))]) == name


@pytest.mark.parametrize("name", ["book_trip", "a b", "日本", '"quoted"', "7"])
def test_any_other_name_travels_as_it_is(name: str) -> None:
    assert is_posted_unchanged(name)
    assert posted_name([("name", name)]) == name


@pytest.mark.parametrize("junk", ["", "7", "{", "null", "[" * 100_000, json.dumps({"a": 1})])
def test_junk_in_place_of_a_name_as_json_is_ignored(junk: str) -> None:
    assert posted_name([("name", "plain"), ("name_json", junk)]) == "plain"
