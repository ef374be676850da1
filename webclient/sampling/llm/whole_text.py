"""Text without halves of surrogate pairs, which JSON can have and UTF-8 cannot."""

from __future__ import annotations

from typing import TypeVar, cast

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
