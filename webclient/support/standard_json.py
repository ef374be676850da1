"""JSON exactly: written by RFC 8259 for any value, without halves of surrogate pairs, and compared as on the wire."""

from __future__ import annotations

import json
from hashlib import sha256
from math import isfinite
from typing import Any, TypeVar, cast


def dumps(value: Any) -> str:
    """Return `value` as JSON in ASCII; NaN and infinities become null, as in JavaScript."""
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError:
        # Rare, so the whole value is walked only then.
        return json.dumps(_finite(value), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def json_equal(one: Any, other: Any) -> bool:
    """Return whether two JSON values are the same in every part; the order of keys does not count."""
    try:
        return canonical(one) == canonical(other)
    except RecursionError:
        # Values that are nested too deeply to compare count as different.
        return False


def canonical(value: Any) -> str:
    """Return the JSON text that is the same for equal values. Raises RecursionError if nested too deep."""
    return json.dumps(value, sort_keys=True)


def digest_of_json(value: Any) -> str:
    """Return a hash that is the same for equal values."""
    return sha256(canonical(value).encode()).hexdigest()


LEVELS = 200
"""Levels of nesting; the SDK writes some more."""

T = TypeVar("T")


def whole(value: T, levels: int = LEVELS) -> T:
    """Return a text, or JSON, with U+FFFD in the place of halves of surrogate pairs.

    Raises RecursionError for JSON of more levels.
    """
    if isinstance(value, str):
        return cast("T", value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))
    if levels == 0:
        raise RecursionError
    if isinstance(value, dict):
        return cast("T", {whole(key): whole(each, levels - 1) for key, each in value.items()})
    return cast("T", [whole(each, levels - 1) for each in value]) if isinstance(value, list) else value
