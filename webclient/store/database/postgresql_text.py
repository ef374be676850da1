"""Text and JSON that PostgreSQL refuses, written so that it takes them, and read back as they were.

Its texts have no U+0000. Its JSON has no NaN, and it does not look into JSON with U+0000 or half a surrogate pair,
all of which servers may send. Each such character is written as U+FDD0, a noncharacter that Unicode leaves to programs
for their own use, and four hexadecimal digits; U+FDD0 is written in the same way.
"""

from __future__ import annotations

import json
import re
from typing import Any

_MARK = "\ufdd0"

_UNWRITABLE = re.compile(f"[\0{_MARK}]")
_WRITTEN = re.compile(f"{_MARK}([0-9a-f]{{4}})")

# Each pattern for JSON takes escape sequences whole: what follows an escaped backslash starts none.
_JSON_UNWRITABLE = re.compile(r"\\u(?:d[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(0000|fdd0|d[89a-f][0-9a-f]{2}))|\\.")
_JSON_WRITTEN = re.compile(r'"\\ufdd0n(NaN|-?Infinity)"|\\ufdd0([0-9a-f]{4})|\\.')
_JSON_STRING_OR_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|(NaN|-?Infinity)')


def write_text(text: str) -> str:
    """Return the text as PostgreSQL takes it."""
    return _UNWRITABLE.sub(lambda found: f"{_MARK}{ord(found[0]):04x}", text)


def read_text(written: str) -> str:
    """Return the text that was written so."""
    return _WRITTEN.sub(lambda found: chr(int(found[1], 16)), written) if _MARK in written else written


def write_json(value: Any) -> str:
    """Return the value as JSON that PostgreSQL takes and looks into."""
    try:
        return _without_refused(json.dumps(value, allow_nan=False))
    except ValueError:
        return write_json_text(json.dumps(value))


def write_json_text(text: str) -> str:
    """Return JSON in ASCII, as `json.dumps` writes it, as PostgreSQL takes it."""
    return _JSON_STRING_OR_NUMBER.sub(_number_as_text, _without_refused(text))


def read_json(written: str | bytes) -> Any:
    """Return the value that was written so."""
    text = written.decode() if isinstance(written, bytes) else written
    return json.loads(_JSON_WRITTEN.sub(_as_it_was, text) if r"\ufdd0" in text else text)


def _without_refused(text: str) -> str:
    return _JSON_UNWRITABLE.sub(lambda found: rf"\ufdd0{found[1]}" if found[1] else found[0], text)


def _number_as_text(found: re.Match[str]) -> str:
    return rf'"\ufdd0n{found[1]}"' if found[1] else found[0]


def _as_it_was(found: re.Match[str]) -> str:
    number, code = found.groups()
    return number or (rf"\u{code}" if code else found[0])
