"""The verdict where the official suite leaves room: calendars, addresses, code points, ECMA-262, exact numbers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tables import each_row
from webclient.content.forms.validation import check


def text(**demands: Any) -> dict[str, Any]:
    """Return the schema of a text."""
    return {"type": "string", **demands}


DAY, MOMENT = text(format="date"), text(format="date-time")
EMAIL, ADDRESS = text(format="email"), text(format="uri")
INTEGER, NUMBER = {"type": "integer"}, {"type": "number"}
TEXTS = {"type": "array", "items": {"type": "string"}}

VALID: list[tuple[dict[str, Any], list[Any]]] = [
    (DAY, ["2024-02-29", "2000-02-29", "0000-01-01"]),
    (MOMENT, ["2024-02-29T00:00:00Z", "2024-01-01t00:00:00z", "2024-01-01T00:00:00.1234567890123Z"]),
    (MOMENT, ["2024-01-01T00:00:00+23:59", "2024-01-01T00:00:00-00:00", "1998-12-31T15:59:60-08:00"]),
    (EMAIL, ["a@b", "a+tag@b.co", '"a b"@c.d', "ü@münchen.de", "a@[127.0.0.1]", "a@[IPv6:::1]", "x" * 64 + "@b.c"]),
    (ADDRESS, ["HTTP://A/b?c#d", "mailto:a@b", "urn:isbn:1", "https://[::1]/", "tel:+1-201", "data:,x", "about:blank"]),
    (text(minLength=2.0), ["ab", "a😀"]),
    (text(maxLength=1), ["😀", "", "é"]),
    (text(pattern=r"^\p{Lu}+$"), ["ÀÉ"]),
    (text(pattern=r"^\p{Script=Han}+$"), ["漢字"]),
    (text(pattern=r"^(?<year>\d{4})$"), ["2024"]),
    (text(pattern=r"(?<=a)b"), ["ab"]),
    (text(pattern=r"^.$"), ["😀", "\u0085"]),
    (text(pattern=r"^\uD83D\uDE00$"), ["😀"]),
    (text(pattern=r"^\u{1F600}$"), ["😀"]),
    (text(pattern=r"^\s$"), ["\ufeff", "\u00a0", "\u2003"]),
    (text(pattern=r"^\cC\/\x41$"), ["\x03/A"]),
    (text(pattern=r"^[^]$"), ["\n"]),
    (text(pattern=r"^(a)\1$"), ["aa"]),
    (INTEGER, [1.0, 10**30, 1e300, -0.0]),
    ({**INTEGER, "multipleOf": 7}, [7 * 10**30]),
    ({**INTEGER, "exclusiveMaximum": 10**30}, [10**30 - 1]),
    ({**NUMBER, "multipleOf": 0.01}, [19.99, 4.35, 0.07, 1e20]),
    ({**NUMBER, "multipleOf": 0.5}, [1e308]),
    ({**NUMBER, "exclusiveMinimum": 0}, [1e-320]),
    ({"const": 1}, [1.0]),
    ({"enum": [1.0, 10**30, ""]}, [1, 10**30, ""]),
    ({**TEXTS, "uniqueItems": True}, [["a", "A", "é", "e\u0301"], []]),
    ({**TEXTS, "uniqueItems": False}, [["a", "a"]]),
]
INVALID: list[tuple[dict[str, Any], list[Any]]] = [
    (DAY, ["2023-02-29", "1900-02-29", "2024-04-31", "2024-01-00", "2024-1-01", "20240101", "2024-W01-1", "2024-366"]),
    (DAY, [" 2024-01-01", "2024-01-01\n", "২০২৪-01-01", "-2024-01-01", "02024-01-01"]),
    (MOMENT, ["2023-02-29T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T12:59:60Z", "2024-01-01T00:60:00Z"]),
    (MOMENT, ["2024-01-01T00:00:00", "2024-01-01T00:00Z", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00,5Z"]),
    (
        MOMENT,
        ["2024-01-01 00:00:00Z", "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+0000", "2024-01-01T00:00:00+00"],
    ),
    (MOMENT, ["2024-01-01T00:00:00Z\n", "2024-01-01T00:00:0١Z"]),
    (EMAIL, ["a b@c.d", "a@", "@b", "a@b@c", "a..b@c.d", ".a@b.c", "a@-b.com", "Ann <a@b.c>", "a@b.c\n", " a@b.c"]),
    (ADDRESS, ["/a/b", "//a/b", "", "https://a b", "https://a/ü", "https://a/%zz", "http://a/{b}", "http://a:port"]),
    (text(minLength=2), ["😀"]),
    (text(maxLength=2), ["e\u0301e"]),
    (text(pattern=r"^\d+$"), ["٣", "１"]),
    (text(pattern=r"^\w+$"), ["é"]),
    (text(pattern=r"a$"), ["a\n", "a\nb"]),
    (text(pattern=r"^\S+$"), ["a\u00a0b"]),
    (text(pattern=r"^a.c$"), ["a\nc"]),
    (text(pattern=r"^(?!foo).*$"), ["foo"]),
    (INTEGER, [1.5, True, "1"]),
    (NUMBER, [True, float("inf"), float("nan")]),
    ({**INTEGER, "maximum": 2**53}, [2**53 + 1]),
    ({**INTEGER, "minimum": 2**53 + 1}, [2**53]),
    ({**INTEGER, "multipleOf": 3}, [10**30]),
    ({**INTEGER, "multipleOf": 0.123456789}, [10**308]),
    ({**NUMBER, "multipleOf": 0.01}, [0.075]),
    ({"const": True}, [1]),
    ({"enum": [1, False]}, [True, 0]),
    ({"const": 2**53 + 1}, [2**53]),
    ({"enum": ["é"]}, ["e\u0301"]),
    ({**TEXTS, "uniqueItems": True}, [["a", "a"]]),
    ({**TEXTS, "contains": {"const": "a"}}, [["b"]]),
]


def _each(cases: list[tuple[dict[str, Any], list[Any]]]) -> list[Any]:
    return [pytest.param(schema, value, id=f"{schema} {value!r}"[:100]) for schema, values in cases for value in values]


@each_row(("schema", "value"), _each(VALID))
def test_valid_content_may_be_sent(schema: dict[str, Any], value: Any) -> None:
    assert check({"properties": {"it": schema}}, {"it": value}) == {}


@each_row(("schema", "value"), _each(INVALID))
def test_each_violation_is_reported_at_its_field(schema: dict[str, Any], value: Any) -> None:
    assert list(check({"properties": {"it": schema}}, {"it": value})) == ["it"]


@pytest.mark.parametrize(
    ("demand", "said"),
    [
        ({"minProperties": 1}, "Fill in at least 1 field."),
        ({"minProperties": 2}, "Fill in at least 2 fields."),
        ({"maxProperties": -1, "not": {"maxProperties": 0}}, "cannot be checked"),
        (
            {"anyOf": [{"required": ["mail"]}, {"required": ["phone\u200b"]}]},
            "requires one of these: mail, phone⟦U+200B⟧.",
        ),
        ({"anyOf": [{"required": ["mail"]}, {"minProperties": 3}]}, "does not match"),
    ],
)
def test_a_demand_on_the_whole_form_has_a_sentence(demand: dict[str, Any], said: str) -> None:
    assert said in check(demand, {})[""]


def test_too_many_filled_in_fields_are_reported() -> None:
    assert check({"maxProperties": 1}, {"a": 1, "b": 2}) == {"": "Fill in at most 1 field."}


def test_where_a_server_accepts_nothing_it_says_to_leave_it_out() -> None:
    assert check({"properties": {"it": False}}, {"it": 1}) == {"it": "The server accepts nothing here. Leave it out."}
