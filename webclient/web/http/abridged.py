"""Shortens JSON for a page: long texts and lists are cut, with the number of what was omitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from webclient.domain.i18n import ngettext

MOST_CHARACTERS = 2_000
"""The most characters of one text or name."""

MOST_VALUES = 2_000
"""The most values in total, at any depth."""

DEEPEST = 40
"""The most levels; each adds two spaces of indentation."""


def abridged(value: Any) -> Any:
    """Return `value` with at most `MOST_VALUES` values of at most `MOST_CHARACTERS` each."""
    return _abridged(value, iter(range(MOST_VALUES)), 0)


def _abridged(value: Any, left: Iterator[int], level: int) -> Any:
    if isinstance(value, str):
        return _text(value)
    if level >= DEEPEST and isinstance(value, Mapping | list) and value:
        return "…"
    if isinstance(value, Mapping):
        shown = {_text(str(name)): _abridged(each, left, level + 1) for name, each in _some(value.items(), left)}
        return shown if len(shown) == len(value) else shown | {"…": _omitted(len(value) - len(shown))}
    if isinstance(value, list):
        some = [_abridged(each, left, level + 1) for each in _some(value, left)]
        return some if len(some) == len(value) else [*some, f"… {_omitted(len(value) - len(some))}"]
    return value


def _some(values: Any, left: Iterator[int]) -> Iterator[Any]:
    # One value is counted as it is reached, so that those inside of the first do not take the room of the next levels.
    for each in values:
        if next(left, None) is None:
            return
        yield each


def _text(text: str) -> str:
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[:MOST_CHARACTERS]}… {_more(len(text) - MOST_CHARACTERS)}"


def _more(n: int) -> str:
    return ngettext("({n} more character)", "({n} more characters)", n).format(n=n)


def _omitted(n: int) -> str:
    return ngettext("({n} more entry)", "({n} more entries)", n).format(n=n)
