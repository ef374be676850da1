"""Scopes in words."""

from __future__ import annotations

from tests.tables import each_row
from webclient.web.pages.inbox.sign_in_cards import scope_words


@each_row(
    ("scope", "words"),
    [
        ("openid", "Know who you are"),
        ("offline_access", "Stay signed in while you are away"),
        ("files:read", "Read: files"),
        ("read:user_files", "Read: user files"),
        ("Mail.ReadWrite", "Change: Mail"),
        ("https://www.googleapis.com/auth/drive.readonly", "Read: drive"),
        ("repo/hooks:admin", "Full control: repo hooks"),
        ("mcp:*", "Full control: mcp"),
    ],
)
def test_a_usual_scope_is_put_in_words(scope: str, words: str) -> None:
    assert scope_words(scope) == words


@each_row("scope", ["", "read", "mcp", "repo", ":", "::read", "https://x.example/", "a:b", "\u202eread"])
def test_a_scope_that_does_not_say_what_it_allows_has_no_words(scope: str) -> None:
    assert scope_words(scope) == ""


def test_hidden_characters_of_a_scope_are_visible() -> None:
    assert scope_words("fi\u202eles:read") == "Read: fi⟦U+202E⟧les"
