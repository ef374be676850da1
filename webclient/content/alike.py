"""Which proposed calls are alike, so that a person may decide on them together.

Alike are calls of one agent, to one tool in one version, that differ only in what names a thing: words, numbers of as
many digits, and the last part of a path. A call of which a page would not show everything, or with an address that is
not what it looks like, is like no other. Names prove nothing, so this decides nothing: it only says what may be shown
side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from webclient.content.links import analyse
from webclient.content.visible_text import hides_something
from webclient.domain.model import Json, Risk
from webclient.support.standard_json import canonical, digest_of_json

MOST_ARGUMENTS = 12
LONGEST_NAME = 120
LONGEST_VALUE = 300
"""The arguments of a call that a page shows at once."""

_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT, _DIGITS = re.compile(r"\d"), re.compile(r"\d+")
_WHITE = re.compile(r"\s{2,}|[^\S ]|^\s|\s$")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_LAST_PART = re.compile(r"[^/\\]*\Z")


def alike_key(same: Sequence[Any], schema: Any, arguments: Json, risk: Risk | None) -> str:
    """Return a text that is equal for calls that are alike; "" for a call that is like no other.

    `same` is what all of them have in common besides their arguments: the agent, the server and the tool.
    """
    if not _fits(arguments) or any(_hides(text) for text in _texts(arguments)):
        return ""
    if risk is Risk.MONEY:
        # Another sum or another recipient is another decision.
        return digest_of_json([*same, arguments])
    shapes = {name: _shape(value, is_exact=_is_choice(schema, name)) for name, value in arguments.items()}
    return digest_of_json([*same, risk, shapes])


def _fits(arguments: Json) -> bool:
    return len(arguments) <= MOST_ARGUMENTS and all(
        len(name) <= LONGEST_NAME and len(value if isinstance(value, str) else canonical(value)) <= LONGEST_VALUE
        for name, value in arguments.items()
    )


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts in a value, the names of members included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield name
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def _hides(text: str) -> bool:
    """Return whether a person could take the text for another one."""
    if hides_something(text) or _WHITE.search(text):
        return True
    if text.casefold().startswith(("http://", "https://")):
        link = analyse(text)
        return link.blocked or bool(link.of("warn"))
    return "://" in text


def _is_choice(schema: Any, name: str) -> bool:
    """Return whether the schema lists the values of an argument: each one is another thing to do."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    own = properties.get(name) if isinstance(properties, dict) else None
    return isinstance(own, dict) and not own.keys().isdisjoint({"enum", "const", "oneOf", "anyOf"})


def _shape(value: Any, *, is_exact: bool = False) -> Any:
    """Return what is equal for two values that only name different things."""
    if is_exact or value is None or isinstance(value, bool):
        return ["is", value]
    if isinstance(value, int | float):
        # Of another length, a sum or a limit is another thing to do.
        return ["number", _DIGIT.sub("0", str(value))]
    if isinstance(value, str):
        return ["text", *_text_shape(value)]
    if isinstance(value, Mapping):
        return ["object", {name: _shape(each) for name, each in value.items()}]
    return ["list", [_shape(each) for each in value]]


def _text_shape(text: str) -> Sequence[Any]:
    if _ADDRESS.match(text) and ("?" in text or "#" in text):
        return [text]
    last = _LAST_PART.search(text)
    start = last.start() if last else 0
    # The folder or the host, and what stands behind the dot or the "@", are the same.
    name, end = _split(text[start:])
    return [text[:start], _pattern(name), end, text.isascii()]


def _split(text: str) -> tuple[str, str]:
    at = text.rfind("@") if "@" in text else text.rfind(".")
    return (text[:at], text[at:]) if at > 0 else (text, "")


def _pattern(text: str) -> str:
    return _DIGIT.sub("0", text) if text.isdecimal() else _LETTERS.sub("a", _DIGITS.sub("0", text))
