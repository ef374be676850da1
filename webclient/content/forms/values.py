"""The protocol's rules for single values: which an answer may contain, and which are equal."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

DEEPEST = 60

_OVERFLOW = 2**1024
_NOT_ENCODABLE = re.compile("[\ud800-\udfff]")


def is_encodable(text: str) -> bool:
    """Return whether `text` can be sent: lone surrogates cannot."""
    return text.isascii() or _NOT_ENCODABLE.search(text) is None


def is_typable(text: str) -> bool:
    """Return whether a control can contain `text`; HTML replaces NUL (13.2.5)."""
    return "\0" not in text and is_encodable(text)


def is_number(value: Any) -> bool:
    """Return whether `value` is a finite JSON number that does not overflow (RFC 8259, 6)."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _OVERFLOW


def is_single(value: Any) -> bool:
    """Return whether `value` is a single value of an answer (MCP 2025-11-25, ElicitResult.content)."""
    return is_encodable(value) if isinstance(value, str) else isinstance(value, bool) or is_number(value)


def is_list_of_texts(value: Any) -> bool:
    """Return whether `value` is a list that an answer may contain."""
    return isinstance(value, list) and all(isinstance(each, str) and is_encodable(each) for each in value)


def is_sendable(value: Any) -> bool:
    """Return whether an answer may contain `value`: text, number, boolean or list of texts, never null."""
    return is_single(value) or is_list_of_texts(value)


def is_json(value: Any, depth: int = 0) -> bool:
    """Return whether `value` is JSON of bounded depth, with finite numbers and encodable text."""
    if isinstance(value, str):
        return is_encodable(value)
    if isinstance(value, list):
        return depth < DEEPEST and all(is_json(each, depth + 1) for each in value)
    if isinstance(value, dict):
        return depth < DEEPEST and all(isinstance(k, str) and is_json([k, v], depth + 1) for k, v in value.items())
    return value is None or is_single(value)


def has_type(value: Any, named: Any) -> bool:
    """Return whether `value` has the JSON Schema type `named`; True for an unknown type."""
    check = _OF_TYPE.get(named) if isinstance(named, str) else None
    return check is None or check(value)


def same(one: Any, other: Any) -> bool:
    """Return whether two single values are equal in JSON Schema: 1 is 1.0, true is not 1 (2020-12 core, 4.2.2)."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def equal(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal in all parts; 1 is 1.0, true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return same(one, other)


_OF_TYPE: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "number": is_number,
    "integer": lambda value: is_number(value) and value == value // 1,
}
