"""The risk of a proposed call: by what its tool says of itself, and by money and addresses among the arguments.

It orders the inbox, and never decides anything: a tool may say what it wants, and an argument may have any name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from webclient.domain.model import Json, Risk

MOST_VALUES = 500
"""Values among the arguments that are looked at."""

LONGEST = 1000
"""Characters of a value that are looked at."""

MOST_DIGITS = 40
"""Characters of a number that is written as a text."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_MONEY = re.compile(
    "amount|price|costs?|fees?|payment|refund|salary|wage|charge|bid|budget|currency|iban|cents|dollars|euros|invoice"
    "|discount|credit|debit"
)
_SUM = re.compile(r"[€$£¥₹]\s?\d|\d\s?(?:[€£¥₹]|(?:EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|BTC|ETH)\b)")
_IBAN = re.compile(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?")
# Each part begins where a word does, so that a long word is read once, and not from each of its letters.
_ADDRESS = re.compile(
    r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*://[^\s/]|(?<![^\s@<>,;])[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]{2,}", re.IGNORECASE
)


def risk_of(annotations: object, arguments: Json) -> Risk | None:
    """Return the gravest risk of a call, None if there is no sign of one. A missing annotation has no default."""
    hints = annotations if isinstance(annotations, dict) else {}
    values = [(name, value) for (name, value), _each in zip(_values(arguments), range(MOST_VALUES), strict=False)]
    if hints.get("destructiveHint") is True and hints.get("readOnlyHint") is not True:
        return Risk.DESTRUCTIVE
    if any(_is_money(name, value) for name, value in values):
        return Risk.MONEY
    if hints.get("openWorldHint") is True:
        return Risk.OUTSIDE
    return Risk.ADDRESS if any(_has_address(value) for _name, value in values) else None


def _values(arguments: Json) -> Iterator[tuple[str, Any]]:
    """Yield the values at any depth, each with the name of the member that it belongs to."""
    waiting: list[tuple[str, Any]] = list(arguments.items())[:MOST_VALUES]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting += list(value.items())[:MOST_VALUES]
        elif isinstance(value, list):
            waiting += [(name, each) for each in value[:MOST_VALUES]]
        else:
            yield name, value


def _is_money(name: str, value: Any) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int | float):
        return any(map(_MONEY.fullmatch, _words(name)))
    text = str(value)[:LONGEST]
    if _SUM.search(text) or _IBAN.fullmatch(text.strip()):
        return True
    return (
        any(each.isdigit() for each in text) and len(text) <= MOST_DIGITS and any(map(_MONEY.fullmatch, _words(name)))
    )


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name[:LONGEST])}


def _has_address(value: Any) -> bool:
    return isinstance(value, str) and _ADDRESS.search(value[:LONGEST]) is not None
