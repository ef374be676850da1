"""The arguments of a call as rows: all names and values; what is long folds, and what is omitted is counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webclient.content.visible_text import LONGEST, preview
from webclient.support.standard_json import json_equal
from webclient.web.http.abridged import abridged
from webclient.web.http.filters import compact, named, pretty

SHORT_CALL = 60
"""Characters of arguments that stand in one line with the name of their call."""

SHOWN = 12
"""The rows above the fold."""

SHOWN_CHARACTERS = 300
"""The characters of one value above its fold."""

MOST_ROWS, MOST_CHARACTERS = 500, 200_000
"""The rows of one call, and the characters of all of them together."""

_NAME = 120
_ONE_LINE = 80


@dataclass(frozen=True, slots=True)
class Folded:
    """A text of which `shown` is seen at once; `rest` unfolds, "" if nothing is hidden.

    `hidden` counts the characters that are not seen at once, those included that are not on the page at all.
    """

    shown: str
    rest: str
    hidden: int


@dataclass(frozen=True, slots=True)
class ArgumentRow:
    """One argument, its name and its value each as what is above the fold and what is below it."""

    name: Folded
    value: Folded
    is_json: bool


@dataclass(frozen=True, slots=True)
class ArgumentRows:
    """The `shown` and the `folded` rows, and the number of arguments `omitted` because they are too long."""

    shown: list[ArgumentRow]
    folded: list[ArgumentRow]
    omitted: int


def argument_rows(arguments: Mapping[str, Any], *, whole: bool = False) -> ArgumentRows:
    """Return the arguments of a call as rows, with hidden characters made visible.

    With `whole`, nothing is left out: a person decides on them, and who asked has bounded their size.
    """
    if whole:
        all_rows = [_whole_row(name, value) for name, value in arguments.items()]
        return ArgumentRows(all_rows[:SHOWN], all_rows[SHOWN:], 0)
    rows: list[ArgumentRow] = []
    left = MOST_CHARACTERS
    for name, value in arguments.items():
        row = _row(name, value)
        left -= sum(map(len, (row.name.shown, row.name.rest, row.value.shown, row.value.rest)))
        if rows and (left < 0 or len(rows) == MOST_ROWS):
            break
        rows.append(row)
    return ArgumentRows(rows[:SHOWN], rows[SHOWN:], len(arguments) - len(rows))


def shows_whole(arguments: Mapping[str, Any]) -> bool:
    """Return whether a page shows all of the arguments at once, so that nothing unfolds."""
    rows = argument_rows(arguments)
    seen = all(not (row.name.hidden or row.value.hidden) for row in rows.shown)
    return seen and not rows.folded and not rows.omitted


def in_one_line(arguments: Mapping[str, Any]) -> str:
    """Return the arguments as one line of names and values; "" if they are too long for it."""
    # Looked at before it is written: a value may have megabytes.
    if len(arguments) > SHOWN:
        return ""
    line = named({name: abridged(value) for name, value in arguments.items()})
    return line if len(line) <= SHORT_CALL and "\n" not in line else ""


def _row(name: str, value: Any) -> ArgumentRow:
    is_json = not isinstance(value, str)
    text = _json(value) if is_json else value
    return ArgumentRow(_folded(name, _NAME), _folded(text, SHOWN_CHARACTERS), is_json)


def _whole_row(name: str, value: Any) -> ArgumentRow:
    is_json = not isinstance(value, str)
    text = _whole_json(value) if is_json else value
    return ArgumentRow(_folded(name, _NAME, len(name)), _folded(text, SHOWN_CHARACTERS, len(text)), is_json)


def _folded(text: str, limit: int, longest: int = LONGEST) -> Folded:
    shown, rest = preview(text, limit, longest)
    # Without the ellipsis at its beginning, and with what even the fold leaves out.
    return Folded(shown, rest, max(0, len(rest) - 1, len(text) - limit))


def _json(value: Any) -> str:
    short = abridged(value)
    line = compact(short)
    return line if len(line) <= _ONE_LINE else pretty(short)


def _whole_json(value: Any) -> str:
    # What is abridged elsewhere would be many times as long with a line for each value, indented to its depth.
    return _json(value) if json_equal(abridged(value), value) else compact(value)
