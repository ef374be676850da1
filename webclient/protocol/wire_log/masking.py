"""Masks in a message what may be a secret: known values, names that say so, addresses, and texts that look like one.

A guess, like all of `secret_detection`: it masks too much rather than too little. Names stay, because they help.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

from webclient.content.masking import mask_secrets
from webclient.content.secrets import looks_secret, names_secret
from webclient.domain.urls import HIDDEN, mask_url

_NOT_SECRET = frozenset({"progressToken", "nextCursor", "cursor"})
"""Names of MCP that say "token", or look like it, and are none."""

_SECRET = frozenset(
    {"authorization", "proxy-authorization", "cookie", "set-cookie", "auth", "bearer", "pass", "code_verifier"}
)
"""Secret names besides those of `secret_detection`."""

_SCHEMAS = frozenset({"properties", "$defs", "definitions", "patternProperties"})
"""Names of objects whose members are schemas, so that a member's name says nothing of a value."""

_ADDRESS = re.compile(r"""[a-zA-Z][a-zA-Z0-9+.-]{0,20}://[^\s"'<>`]+""")
_PAIR = re.compile(r"""(["']?([A-Za-z_][\w.-]{0,60})["']?\s?[=:]\s?["']?)([^\s"';&,}{<>]+)""")
_WORD = re.compile(r"\S+")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
MOST_TEXTS = 10_000
"""Names and texts of one message that are looked at; all further ones are masked."""

_LONG = 300
"""Characters; of a longer text the words that look like a secret are masked, and not all of it."""


def masked(value: Any, secrets: Collection[str], *, is_own: bool) -> Any:
    """Return a JSON value with masks; `secrets` are known texts, `is_own`: it was sent from here."""
    return _Masker(secrets, is_own).value(value)


def masked_beginning(text: str, secrets: Collection[str]) -> str:
    """Return the beginning of a JSON text with masks: each whole string is masked, the last one cut off is left out."""
    masker = _Masker(secrets, is_own=False)
    shown, end, name = [], 0, ""
    for found in _STRING.finditer(text):
        between = text[end : found.start()]
        shown.append(between)
        value = _read(found[0])
        is_value = ":" in between
        hidden = is_value and _is_secret(name)
        shown.append(json.dumps(HIDDEN if hidden else masker.text(value), ensure_ascii=False))
        name, end = value if not is_value else "", found.end()
    return "".join(shown) + text[end:].partition('"')[0]


class _Masker:
    def __init__(self, secrets: Collection[str], is_own: bool) -> None:
        self._secrets = sorted(secrets, key=len, reverse=True)
        self._is_own = is_own
        self._left = MOST_TEXTS

    def value(self, value: Any, *, hidden: bool = False, schemas: bool = False) -> Any:
        match value:
            case dict():
                return {
                    self.text(name): self.value(
                        each,
                        hidden=hidden or (not schemas and _is_secret(name)),
                        schemas=name in _SCHEMAS and not self._is_own,
                    )
                    for name, each in value.items()
                }
            case list():
                return [self.value(each, hidden=hidden) for each in value]
            case str():
                return HIDDEN if hidden and value else self.text(value)
            case bool() | None:
                return value
            case _:
                return HIDDEN if hidden or str(value) in self._secrets or looks_secret(value) else value

    def text(self, text: str) -> str:
        """Return a text with masks."""
        self._left -= 1
        if self._left < 0:
            return HIDDEN
        text = mask_secrets(self._secrets, text)
        if text[:1] in ("{", "[") and (inner := self._inner(text)) is not None:
            return inner
        if "://" in text:
            text = _ADDRESS.sub(lambda found: mask_url(found[0]), text)
        if "=" in text or ":" in text:
            text = _PAIR.sub(_masked_pair, text)
        if not looks_secret(text):
            return text
        if len(text) <= _LONG or "PRIVATE KEY" in text:
            return HIDDEN
        text = _WORD.sub(lambda found: HIDDEN if looks_secret(found[0]) else found[0], text)
        return HIDDEN if looks_secret(text) else text

    def _inner(self, text: str) -> str | None:
        """Return a text that is JSON, as many results of tools are, with masks in it."""
        try:
            value = json.loads(text)
            inner = self.value(value)
        except (ValueError, RecursionError):
            return None
        return text if inner == value else json.dumps(inner, ensure_ascii=False)


def _masked_pair(found: re.Match[str]) -> str:
    return found[1] + HIDDEN if _is_secret(found[2]) and HIDDEN not in found[3] else found[0]


def _is_secret(name: str) -> bool:
    return name not in _NOT_SECRET and (name.lower() in _SECRET or names_secret(name))


def _read(quoted: str) -> str:
    try:
        found = json.loads(quoted)
    except ValueError:
        return HIDDEN
    return found if isinstance(found, str) else HIDDEN
