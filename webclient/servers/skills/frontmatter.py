"""Compares the frontmatter of a `SKILL.md` with that of its entry (SEP-2640, Frontmatter Verification).

A server makes JSON of the YAML, with a reader that is not known: `1.0` is a number for all of them, `no` and `0777` are
something else for each. So a value without quotes agrees with all that a reader may make of it, and one in quotes with
its text alone.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from webclient.domain.model import Json
from webclient.support import yaml_text

_FENCED = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)

_WORDS: dict[object, tuple[str, ...]] = {
    True: ("true", "yes", "on", "y"),
    False: ("false", "no", "off", "n"),
    None: ("", "~", "null"),
}

_LONGEST = 100_000
"""Characters within which the frontmatter must end."""

_LONGEST_NUMBER = 100
"""Characters of a number that is read."""


def body_of(text: str) -> str:
    """Return what follows the frontmatter."""
    fenced = _FENCED.match(text, 0, _LONGEST)
    return text[fenced.end() :] if fenced else text


def agrees(data: bytes, frontmatter: Json) -> bool:
    """Return whether a `SKILL.md` has this frontmatter, field by field.

    False if it has none that can be read: aliases and tags, with which a few letters make very much, are not.
    """
    try:
        fenced = _FENCED.match(data.decode(), 0, _LONGEST)
        return fenced is not None and _agree(yaml_text.parse(fenced[1], plain=_Plain), frontmatter)
    except (UnicodeDecodeError, yaml_text.YamlError):
        return False


@dataclass(frozen=True, slots=True)
class _Plain:
    """A value as it is written, without quotes."""

    text: str

    def may_be(self, value: object) -> bool:
        if value is None or isinstance(value, bool):
            return self.text.lower() in _WORDS[value]
        if isinstance(value, int | float):
            return value in _numbers(self.text)
        return value == self.text or (isinstance(value, str) and _is_same_moment(self.text, value))


def _agree(written: object, value: object) -> bool:
    if isinstance(written, _Plain):
        return written.may_be(value)
    if isinstance(written, dict) and isinstance(value, dict):
        return written.keys() == value.keys() and all(_agree(each, value[key]) for key, each in written.items())
    if isinstance(written, list) and isinstance(value, list):
        return len(written) == len(value) and all(map(_agree, written, value))
    return isinstance(written, str) and written == value


def _numbers(text: str) -> set[float]:
    """Return the numbers that readers of YAML 1.1 and 1.2 make of a text."""
    found: set[float] = set()
    if len(text) <= _LONGEST_NUMBER:
        for read in (int, float, lambda each: int(each, 8), lambda each: int(each, 0), _sexagesimal):
            with suppress(ValueError, OverflowError):
                found.add(read(text))
    return found


def _sexagesimal(text: str) -> float:
    """Return the number in base 60: YAML 1.1 has `1:30` for 90."""
    number: float = 0
    for part in text.lstrip("+-").split(":"):
        number = number * 60 + (float(part) if "." in part else int(part))
    return -number if text.startswith("-") else number


def _is_same_moment(text: str, value: str) -> bool:
    """Whether both are the same time, in other words: some readers make a time of what looks like one."""
    moments: list[Any] = []
    for each in (text, value):
        with suppress(ValueError):
            moment = datetime.fromisoformat(each)
            moments.append(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    return len(moments) == 2 and moments[0] == moments[1]
