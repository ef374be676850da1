"""Marks of a search in the texts that are shown."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from webclient.store import words_of_search
from webclient.web.http.search_marks import marked


@pytest.mark.parametrize(
    ("text", "wanted", "shown"),
    [
        ("Refund to ACME", "acme", "Refund to <mark>ACME</mark>"),
        ("Refund to ACME", "", "Refund to ACME"),
        ("Refund to ACME", "fund acme", "Re<mark>fund</mark> to <mark>ACME</mark>"),
        ("banana", "ana nan", "b<mark>anana</mark>"),
        ("aaaa", "aa", "<mark>aaaa</mark>"),
        ("Straße 1", "STRASSE", "<mark>Straße</mark> 1"),
        ("İstanbul", "stan", "İ<mark>stan</mark>bul"),
        ("<b>&amp;", "b>", "&lt;<mark>b&gt;</mark>&amp;amp;"),
        ("<mark>", "mark", "&lt;<mark>mark</mark>&gt;"),
        ("", "x", ""),
    ],
)
def test_found_words_are_marked_and_all_text_is_escaped(text: str, wanted: str, shown: str) -> None:
    found = marked(text, words_of_search(wanted))
    assert isinstance(found, Markup)
    assert str(found) == shown
