"""The differences between what an agent wants to run now and what the person approved of that tool the last time.

Every difference is named; those that do harm most often (another host, amount or path, more entries) come first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from webclient.content.forms import write_json
from webclient.content.links import analyse
from webclient.content.visible_text import visible
from webclient.support.standard_json import json_equal

LONGEST = 120
"""Characters of a value before."""

MOST = 20
"""Differences that are shown."""


class What(IntEnum):
    """The sort of a difference, the gravest first."""

    HOST = 1
    AMOUNT = 2
    PATH = 3
    ENTRIES = 4
    OTHER = 5
    NEW = 6
    LEFT_OUT = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """An argument that differs, with its value `before`; "" if it was not there."""

    name: str
    what: What
    before: str = ""


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Sequence[Difference]:
    """Return the differences, the gravest first."""
    changed = [
        Difference(name=visible(name, LONGEST), what=_what(before[name], after[name]), before=_shown(before[name]))
        for name in after
        if name in before and not json_equal(before[name], after[name])
    ]
    new = [Difference(name=visible(name, LONGEST), what=What.NEW) for name in after if name not in before]
    left_out = [
        Difference(name=visible(name, LONGEST), what=What.LEFT_OUT, before=_shown(before[name]))
        for name in before
        if name not in after
    ]
    return sorted([*changed, *new, *left_out], key=lambda each: each.what)[:MOST]


def _what(before: Any, after: Any) -> What:
    if isinstance(before, int | float) and isinstance(after, int | float) and not isinstance(after, bool):
        return What.AMOUNT
    if isinstance(before, list) and isinstance(after, list):
        return What.ENTRIES if len(before) != len(after) else What.OTHER
    if not isinstance(before, str) or not isinstance(after, str):
        return What.OTHER
    if _host(before) or _host(after):
        return What.HOST if _host(before) != _host(after) else What.PATH
    if "/" in after or "\\" in after:
        return What.PATH
    return What.AMOUNT if _is_number(before) and _is_number(after) else What.OTHER


def _host(text: str) -> str:
    return analyse(text).host if text.casefold().startswith(("http://", "https://")) else ""


def _is_number(text: str) -> bool:
    return text.strip().replace(".", "", 1).replace(",", "").lstrip("-").isdigit()


def _shown(value: Any) -> str:
    return visible(value if isinstance(value, str) else " ".join(write_json(value).split()), LONGEST)
