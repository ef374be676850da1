"""Marks of a search in the texts that are shown."""

from __future__ import annotations

from tests.tables import each_row
from webclient.store import words_of_search
from webclient.web.http.search_marks import marked_parts


@each_row(
    ("text", "wanted", "shown"),
    [
        ("Refund to ACME", "acme", "Refund to [ACME]"),
        ("Refund to ACME", "", "Refund to ACME"),
        ("Refund to ACME", "fund acme", "Re[fund] to [ACME]"),
        ("banana", "ana nan", "b[anana]"),
        ("aaaa", "aa", "[aaaa]"),
        ("Straße 1", "STRASSE", "[Straße] 1"),
        ("İstanbul", "stan", "İ[stan]bul"),
        ("<b>&amp;", "b>", "<[b>]&amp;"),
        ("", "x", ""),
    ],
)
def test_found_words_are_apart_and_all_text_is_there(text: str, wanted: str, shown: str) -> None:
    parts = marked_parts(text, words_of_search(wanted))
    assert "".join(f"[{part}]" if is_found else part for part, is_found in parts) == shown
