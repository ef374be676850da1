"""Reads numbers that people type: one strict ASCII grammar, and a sentence that says what to type instead.

Python's `int()` and `float()` are too lenient: they accept `1_000`, Arabic digits, `infinity` and `nan`.
"""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal, InvalidOperation

from webclient.domain.i18n import gettext as _

LARGEST_EXACT = 2**53
"""Beyond this, servers written in JavaScript lose digits (RFC 8259 section 6)."""

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_LONGEST = 350
_THOUSAND = 3


def to_text(number: float) -> str:
    """Return `number` as text that reads back as the same number."""
    return json.dumps(number)


def from_text(text: str, *, whole: bool) -> float:
    """Parse `text`; an int if it has neither point nor exponent, or if `whole`.

    Raises ValueError with a sentence.
    """
    if not _NUMBER.fullmatch(text):
        raise ValueError(_why_not(text, whole=whole))
    if len(text) > _LONGEST:
        raise ValueError(_too_long())
    return _whole(text) if whole else _any(text)


def _whole(text: str) -> int:
    exact = _exact(text)
    if not math.isfinite(float(exact)):
        raise ValueError(_too_large())
    if "e" in text.lower():
        raise ValueError(_type_instead(str(int(exact))) if _is_whole(exact) else _not_whole())
    if not _is_whole(exact):
        raise ValueError(_not_whole())
    return int(exact)


def _any(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(_too_large())
    if text.lstrip("-").isdigit():
        return int(text)
    if _exact(text) != _exact(repr(number)):
        # the shown number is the sent one: digits are never dropped silently
        raise ValueError(_type_instead(repr(number)))
    return number


def _exact(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(_too_long()) from None


def _is_whole(exact: Decimal) -> bool:
    return exact == 0 or exact.normalize().as_tuple().exponent >= 0  # type: ignore[operator]  # finite: an int


def _why_not(text: str, *, whole: bool) -> str:
    if text != text.strip():
        return _("Remove the spaces around the number.")
    if "," in text:
        return _with_point(text)
    plain = re.sub(r"^\+|^(-?)0+(?=[0-9])", r"\1", text)
    if _NUMBER.fullmatch(plain):
        return _type_instead(plain)
    return _("Enter a whole number, such as 42.") if whole else _("Enter a number, such as 42 or 2.5.")


def _with_point(text: str) -> str:
    """Return what to type for a number with a comma, which stands before decimals or between thousands."""
    pointed = text.replace(",", ".")
    # Three digits after the comma may be thousands, so nothing is suggested.
    if text.count(",") == 1 and len(text.partition(",")[2]) != _THOUSAND and _NUMBER.fullmatch(pointed):
        return _("Use a point for decimals: {number}").format(number=pointed)
    return _("Enter the number without commas, such as 1234.5.")


def _type_instead(text: str) -> str:
    return _("This number can't be sent as typed. Enter {number}.").format(number=text)


def _not_whole() -> str:
    return _("Enter a whole number, without decimals.")


def _too_long() -> str:
    return _("This number is too long to be sent.")


def _too_large() -> str:
    return _("This number is too large to be sent.")
