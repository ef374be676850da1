"""A line of a child that is longer than what is read; whose answer it is stands at one of its ends, which are kept."""

from __future__ import annotations

import json
import re

from webclient.protocol.explain import too_large
from webclient.protocol.limits import TooLargeError

_END = 1024
"""Bytes that are kept of each end."""

_TIMES = 8
"""How many times as long as a message may be a line is skipped; then it is taken for one without end."""

_ID = rb'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{1,200}")\s*'
_VERSION = rb'"jsonrpc"\s*:\s*"2\.0"\s*'
_BEGINS = re.compile(rb"\s*\{\s*(?:" + _VERSION + rb",\s*)?" + _ID + rb",\s*(?:" + _VERSION + rb",\s*)?" + rb'"result"')
_RESULT_FIRST = re.compile(rb"\s*\{\s*(?:" + _VERSION + rb',\s*)?"result"')
_ENDS = re.compile(rb",\s*" + _ID + rb"(?:,\s*" + _VERSION + rb")?\}\s*$")


class LongLine:
    """A line that is skipped for `error`, after `begun`; of it `most` bytes may be in one message."""

    def __init__(self, error: TooLargeError, begun: bytes, most: int) -> None:
        self._error = error
        self._begun = begun[:_END]
        self._end = begun[-_END:]
        self._left = _TIMES * most

    def feed(self, piece: bytes) -> None:
        """Skip a piece of the line. Raises TooLargeError if it goes on for so long that it may have no end."""
        self._left -= len(piece)
        if self._left < 0:
            raise self._error
        self._begun += piece[: _END - len(self._begun)]
        self._end = (self._end + piece[-_END:])[-_END:]

    def answer(self) -> bytes:
        """Return, as a line, the error that stands for this result. Raises TooLargeError if it is not a result.

        Both SDKs in wide use write the id beside the result: before it (Python) or after it (TypeScript).
        """
        found = _BEGINS.match(self._begun) or (_RESULT_FIRST.match(self._begun) and _ENDS.search(self._end))
        if not found:
            raise self._error
        error = too_large(self._error).model_dump(exclude_none=True)
        return json.dumps({"jsonrpc": "2.0", "id": json.loads(found[1]), "error": error}).encode() + b"\n"
