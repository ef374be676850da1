"""Reads JSON that people wrote, strictly and with a sentence for each mistake; writes JSON that reads back the same."""

from __future__ import annotations

import json
from typing import Any

from webclient.content.forms.values import DEEPEST
from webclient.content.forms.writing import numbers
from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _

LONGEST_JSON = 500_000
"""Characters; a longer text is refused, not cut."""

_TRAILING_COMMA = "Illegal trailing comma before end of object"
_CLOSING = {"}", "]"}

Pairs = list[tuple[str, Any]]


def read_json(text: str) -> Any:
    """Return the value of `text` by RFC 8259; blank text means `{}`.

    Raises ValueError with a sentence where Python's parser is lenient: NaN, repeated names, any depth, lost digits.
    """
    if len(text) > LONGEST_JSON:
        raise ValueError(_("This is too long: at most {n} characters can be sent.").format(n=LONGEST_JSON))
    try:
        value = json.loads(
            text if text.strip() else "{}",
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as error:
        raise ValueError(_place(error)) from None
    except RecursionError:
        raise ValueError(_too_deep()) from None
    if _is_deep(value, DEEPEST):
        raise ValueError(_too_deep())
    return value


def write_json(value: Any, *, indent: int | None = 2) -> str:
    """Return `value` as JSON, with readable letters of every script and invisible characters escaped."""
    return "\n".join(map(_seen, json.dumps(value, indent=indent, ensure_ascii=False).split("\n")))


def _seen(line: str) -> str:
    # Outside of strings JSON has printable ASCII only, so an escaped character is always in a string.
    if line.isprintable():
        return line
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in line)


def _object(pairs: Pairs) -> dict[str, Any]:
    """Refuse repeated names, which receivers read differently (RFC 8259 section 4)."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(_("“{name}” appears twice, and only one can be sent.").format(name=visible(name, 80)))
        found[name] = value
    return found


def _integer(text: str) -> float:
    return _read_number(text, whole=True)


def _number(text: str) -> float:
    return _read_number(text, whole=False)


def _read_number(text: str, *, whole: bool) -> float:
    try:
        return numbers.from_text(text, whole=whole)
    except ValueError as wrong:
        raise ValueError(f"{visible(text, 40)}: {wrong}") from None


def _refuse_constant(name: str) -> Any:
    # RFC 8259 section 6: neither NaN nor Infinity is a number of JSON.
    raise ValueError(_("{name} is not a number in JSON.").format(name=name))


def _place(error: json.JSONDecodeError) -> str:
    sentence = _("This is not JSON: line {line}, character {column}: {what}")
    error = _at_trailing_comma(error)
    return sentence.format(line=error.lineno, column=error.colno, what=_what(error.msg))


def _at_trailing_comma(error: json.JSONDecodeError) -> json.JSONDecodeError:
    # Python below 3.13 points behind a trailing comma, and takes it for a missing name or value.
    before = error.doc[: error.pos].rstrip(" \t\n\r")
    if error.doc[error.pos : error.pos + 1] in _CLOSING and before.endswith(","):
        return json.JSONDecodeError(_TRAILING_COMMA, error.doc, len(before) - 1)
    return error


def _what(said: str) -> str:
    known = {
        "Expecting property name enclosed in double quotes": _("A name in double quotes is expected here."),
        _TRAILING_COMMA: _("No comma follows the last entry."),
        "Illegal trailing comma before end of array": _("No comma follows the last entry."),
        "Expecting ',' delimiter": _("A comma or the end is expected here."),
        "Expecting ':' delimiter": _("A colon is expected between a name and its value."),
        "Expecting value": _('A value is expected here, such as "text", 1, true or a list in [ ].'),
        "Extra data": _("Nothing more is expected after the end."),
        "Unterminated string starting at": _("A text begins here and does not end: a double quote is missing."),
        "Invalid control character at": _("A line break in a text is written \\n, a tab \\t."),
        "Invalid \\escape": _("A backslash in a text is written \\\\."),
    }
    return known.get(said, _("This cannot be read."))


def _is_deep(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deep(each, levels - 1) for each in inner)


def _too_deep() -> str:
    return _("This is nested too deeply to be sent.")
