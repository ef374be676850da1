"""Reads the options of a choice, in all spellings that servers use, in the server's order."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from webclient.content.forms.controls import NO, YES
from webclient.content.forms.field import Option
from webclient.content.forms.schema import Schema
from webclient.content.forms.values import has_type, is_sendable
from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _

LABEL_LIMIT = 200

_LISTING = frozenset({"enum", "oneOf", "anyOf"})


def read_options(schema: Schema) -> tuple[Option, ...] | None:
    """Return the distinct, sendable options in `schema`; None if it lists none.

    Spellings: `enum`, `enum` with `enumNames`, `oneOf` or `anyOf` of constants with titles (MCP 2025-11-25,
    EnumSchema). `enumNames` of another length than `enum` are ignored, because they match no values.
    """
    listed = None if _LISTING.isdisjoint(schema) else _listed(schema)
    if listed is None:
        return None
    named = schema.get("type")
    unique: dict[tuple[bool, Any], tuple[Any, str, str]] = {}
    for each in listed:
        if is_sendable(each[0]) and has_type(each[0], named):
            unique.setdefault(_identity(each[0]), each)
    return _distinguished([Option(str(index), *each) for index, each in enumerate(unique.values())])


def yes_or_no() -> tuple[Option, ...]:
    """Return the options of a boolean."""
    return (Option(YES, True, _("Yes")), Option(NO, False, _("No")))


def _identity(value: Any) -> tuple[bool, Any]:
    """Return a key in which 1 equals 1.0 but not true (JSON Schema 2020-12 core, 4.2.2)."""
    return isinstance(value, bool), tuple(value) if isinstance(value, list) else value


def _listed(schema: Schema) -> list[tuple[Any, str, str]] | None:
    if isinstance(schema.get("enum"), list):
        return _named(schema["enum"], schema.get("enumNames"))
    for keyword in ("oneOf", "anyOf"):
        branches = schema.get(keyword)
        if isinstance(branches, list) and all(_lists(branch) for branch in branches):
            return [entry for branch in branches for entry in _of_branch(branch)]
    return None


def _lists(branch: Any) -> bool:
    return isinstance(branch, Mapping) and ("const" in branch or isinstance(branch.get("enum"), list))


def _named(values: list[Any], names: Any) -> list[tuple[Any, str, str]]:
    if isinstance(names, list) and len(names) == len(values) and all(isinstance(name, str) for name in names):
        return [(value, _label(value, name), "") for value, name in zip(values, names, strict=True)]
    return [(value, value_text(value), "") for value in values]


def _of_branch(branch: Schema) -> list[tuple[Any, str, str]]:
    if "const" not in branch:
        return _named(branch["enum"], branch.get("enumNames"))
    detail = visible(branch["description"], LABEL_LIMIT) if isinstance(branch.get("description"), str) else ""
    return [(branch["const"], _label(branch["const"], branch.get("title")), detail)]


def _label(value: Any, title: Any) -> str:
    if isinstance(title, str) and title.strip():
        return visible(title, LABEL_LIMIT)
    return value_text(value)


def value_text(value: Any) -> str:
    """Return `value` as readable text, with hidden characters made visible."""
    if value == "":
        return _("(empty text)")
    plain = isinstance(value, str) and value == value.strip()
    return visible(value if plain else json.dumps(value), LABEL_LIMIT)


def _distinguished(options: list[Option]) -> tuple[Option, ...]:
    """Make labels distinct: add the values to equal labels, or else numbers."""
    return tuple(_numbered(_with_values(options)))


def _with_values(options: list[Option]) -> list[Option]:
    if len({option.label for option in options}) == len(options):
        return options
    seen = Counter(option.label for option in options)
    return [
        o._replace(detail=" — ".join(filter(None, (value_text(o.value), o.detail)))) if seen[o.label] > 1 else o
        for o in options
    ]


def _numbered(options: list[Option]) -> list[Option]:
    if len({option.text for option in options}) == len(options):
        return options
    return [option._replace(label=f"{n}. {option.label}") for n, option in enumerate(options, 1)]
