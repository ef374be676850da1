"""Calls are alike if they do the same with different things; a call that does something else is not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tables import each_row
from webclient.content.alike import alike_key
from webclient.domain.model import Risk

SAME = ("agent", "server", "tool")


def key(risk: Risk | None = None, schema: Any = None, /, **arguments: Any) -> str:
    """Return the key of a call with these arguments."""
    return alike_key(SAME, schema, arguments, risk)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/srv/a/report-1.pdf", "/srv/a/report-12.pdf"),
        ("anna@example.com", "ben@example.com"),
        ("https://example.com/orders/17", "https://example.com/orders/18"),
        ("red", "green"),
        (17, 18),
        ({"id": [1, 2]}, {"id": [3, 4]}),
    ],
)
def test_calls_that_name_other_things_are_alike(one: Any, other: Any) -> None:
    assert key(at=one) == key(at=other) != ""


@each_row(
    ("usual", "disguised"),
    [
        ("/srv/a/report-1.pdf", "/srv/keys/report-2.pdf"),
        ("/srv/a/report-1.pdf", "/srv/a/../keys/report-2.pdf"),
        ("/srv/a/report-1.pdf", "/srv/a/report-2.pem"),
        ("/srv/a/report-1.pdf", "/srv/a/*.pdf"),
        ("/srv/a/report-1.pdf", "/srv/a/"),
        ("C:\\data\\a.txt", "C:\\windows\\a.txt"),
        ("anna@example.com", "anna@example.org"),
        ("anna@example.com", "anna@example.com,eve@evil.example"),
        ("https://example.com/a/1", "https://example.org/a/2"),
        ("https://example.com/a/1", "http://example.com/a/2"),
        ("https://example.com/a?do=show", "https://example.com/a?do=wipe"),
        ("report", "r\u0435port"),
        ("report", "re\u200bport"),
        ("report", "report  and more"),
        ("report", "report; rm"),
        (17, 1700),
        (17, -17),
        ("17", "1700"),
        (False, True),
        (None, "x"),
        ("a", ["a"]),
        (["a"], ["a", "b"]),
        ({"id": 1}, {"id": 1, "all": True}),
    ],
)
def test_a_call_that_does_another_thing_is_not_alike(usual: Any, disguised: Any) -> None:
    assert key(at=usual) != key(at=disguised)


def test_calls_about_money_are_alike_only_if_they_are_the_same() -> None:
    assert key(Risk.MONEY, amount=3, to="DE1") == key(Risk.MONEY, amount=3, to="DE1") != ""
    assert len({key(Risk.MONEY, amount=amount, to=to) for amount, to in ((3, "DE1"), (4, "DE1"), (3, "DE2"))}) == 3


def test_another_choice_of_the_schema_is_another_thing() -> None:
    schema = {"properties": {"mode": {"enum": ["soft", "hard"]}}}
    assert key(None, schema, mode="soft") != key(None, schema, mode="hard")


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": "x" * 301},
        {"text": "two\nlines"},
        {f"n{each}": 1 for each in range(13)},
        {"n" * 121: 1},
        {"at": "https://user:pass@example.com/"},
        {"text": "see https://example.com"},
        {"na\u200bme": 1},
    ],
)
def test_a_call_that_a_page_may_not_show_whole_stands_alone(arguments: dict[str, Any]) -> None:
    assert key(None, None, **arguments) == ""


def test_other_names_risks_and_tools_are_not_alike() -> None:
    assert key(at="a") != key(to="a")
    assert key(at="a") != key(Risk.DESTRUCTIVE, at="a")
    assert alike_key(["agent", "server", "tool"], None, {}, None) != alike_key(
        ["other", "server", "tool"], None, {}, None
    )
