"""The differences between what an agent wants to run now and what the person approved of that tool the last time.

Every difference of the arguments is named; those that do harm most often (another host, amount or path, more entries)
come first. What the server says of the tool is compared word by word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from webclient.content.forms import write_json
from webclient.content.links import analyse
from webclient.content.text_changes import Change, text_change
from webclient.content.visible_text import visible
from webclient.domain.approvals import proposed
from webclient.domain.i18n import gettext as _
from webclient.domain.model import InputRequest, Json
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Differences of the arguments, and changes in what the server says of the tool."""

    arguments: Sequence[Difference]
    tool: Sequence[Change]


def compare(last: InputRequest, request: InputRequest) -> Comparison:
    """Return what differs between the last approved call of a tool and the proposed one.

    Arguments that are no longer stored, because they may be secrets, are left out.
    """
    before = {name: value for name, value in (last.content or {}).items() if name not in last.withheld}
    after = {name: value for name, value in proposed(request)[1].items() if name not in last.withheld}
    tools = last.params.get("tool") or {}, request.params.get("tool") or {}
    return Comparison(arguments=differences(before, after), tool=tool_changes(*tools))


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


def tool_changes(before: Json, after: Json) -> Sequence[Change]:
    """Return what has changed in the parts of a tool that a card shows."""
    compared = [
        text_change(_("Title"), _words(before.get("title")), _words(after.get("title"))),
        text_change(_("Description"), _words(before.get("description")), _words(after.get("description"))),
        *(_schema_change(label, before.get(key), after.get(key)) for key, label in _schemas().items()),
    ]
    return [each for each in compared if each]


def _schemas() -> Mapping[str, str]:
    return {"annotations": _("Annotations"), "inputSchema": _("Arguments"), "outputSchema": _("Result")}


def _schema_change(label: str, before: Any, after: Any) -> Change | None:
    # Another order of the keys is the same tool.
    return None if json_equal(before, after) else text_change(label, _words(before), _words(after))


def _words(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return write_json(value)


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
