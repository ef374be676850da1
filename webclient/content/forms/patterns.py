"""Decides which patterns of a schema are checked here: ECMA-262 regular expressions, compiled at bounded cost.

A hostile pattern takes 50 ms to compile, and nothing else runs meanwhile. So the number of compiled patterns per schema
is limited, and lower for those that need much memory; the server checks the rest.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jsonschema_rs

from webclient.content.forms.values import is_encodable

LONGEST = 2_000
BUDGET = 30
HEAVY = 5
"""The share of the budget for a pattern that does not compile within `_LITTLE`; others take 1."""

_LITTLE, _MUCH = 500_000, 4_000_000
"""Bytes of a compiled pattern. Nearly all take little; all the letters of Unicode, repeated many times, do not."""


class Patterns:
    """The patterns of one document. Without `backtracking`, only those run that take linear time."""

    def __init__(self, *, backtracking: bool = True) -> None:
        self._left = BUDGET
        self._backtracking = backtracking

    def run(self, pattern: Any) -> bool:
        """Return whether `pattern`, the next of the document, can be checked here."""
        if not isinstance(pattern, str) or len(pattern) > LONGEST or not is_encodable(pattern) or self._left < 1:
            return False
        light = _compiles(pattern, _LITTLE, self._backtracking)
        self._left -= 1 if light else HEAVY
        return light or (self._left >= 0 and _compiles(pattern, _MUCH, self._backtracking))


@lru_cache(maxsize=4096)
def _compiles(pattern: str, size: int, backtracking: bool) -> bool:
    options: Any = _backtracking(size) if backtracking else _linear(size)
    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=options)
    except ValueError:
        return False
    return True


def _linear(size: int) -> jsonschema_rs.RegexOptions:
    return jsonschema_rs.RegexOptions(size_limit=size, dfa_size_limit=size)


def _backtracking(size: int) -> jsonschema_rs.FancyRegexOptions:
    return jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000, size_limit=size, dfa_size_limit=size)


BACKTRACKING = _backtracking(_MUCH)
"""How patterns run when a value is checked."""
