"""JSON as people write it by hand: with comments and trailing commas (JSONC), read at a cost linear in its length."""

from __future__ import annotations

import re
from typing import Any

import rapidjson

_MODE = rapidjson.PM_COMMENTS | rapidjson.PM_TRAILING_COMMAS
_MESSAGE = re.compile(r"Parse error at offset (\d+): (.*)")


class JsoncError(ValueError):
    """The text is not JSON; `line` and `column` count from 1 and say where, the message says why."""

    def __init__(self, why: str, *, line: int, column: int) -> None:
        super().__init__(why)
        self.line = line
        self.column = column


def parse(text: str) -> Any:
    """Return the value that `text` holds. Raises JsoncError, and RecursionError for deep nesting."""
    try:
        # Not with `allow_nan=False`, which would make the library refuse trailing commas (1.25).
        return rapidjson.loads(text, parse_mode=_MODE)
    except ValueError as error:
        raise _located(text, str(error)) from None


def _located(text: str, message: str) -> JsoncError:
    found = _MESSAGE.fullmatch(message)
    offset, why = (int(found[1]), found[2].rstrip(".")) if found else (0, message)
    # The library counts bytes; a person counts characters.
    before = text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore")
    line = before.count("\n") + 1
    return JsoncError(why, line=line, column=len(before) - before.rfind("\n"))
