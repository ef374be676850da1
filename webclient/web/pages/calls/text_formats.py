"""Tells JSON and Markdown from other text, because a server rarely says what its text is."""

from __future__ import annotations

import re
from typing import Any

from webclient.content.forms import read_json

JSON_TYPES = frozenset({"application/json", "text/json"})
MARKDOWN_TYPES = frozenset({"text/markdown", "text/x-markdown"})
PLAIN = ""
"""The media type of a text whose server gives none."""

EXAMINED = 20_000
"""Characters that are looked at for signs of Markdown."""

_BLOCK = re.compile(r"^(#{1,6} \S|```|~~~|\|? ?:?-{3,}:? ?\|)", re.MULTILINE)
"""A heading, a fence or the second line of a table."""

_ITEM = re.compile(r"^ {0,3}([-*+]|\d{1,3}[.)]) \S", re.MULTILINE)
_INLINE = re.compile(r"\*\*\S[^*\n]{0,200}\*\*|\]\(\S{1,500}\)")
"""Strong text or a link."""


def parsed_json(text: str, media_type: str) -> Any:
    """Return the value of a text that is JSON; None if it is not, or if showing the value would change it.

    Only lists and objects count in a text without a media type: `5` and `true` are words as well.
    """
    declared = media_type in JSON_TYPES or media_type.endswith("+json")
    if not declared and (media_type != PLAIN or text.lstrip()[:1] not in ("{", "[")):
        return None
    try:
        # Strict: with a repeated name or a number that loses digits, the text itself is what the server said.
        return read_json(text)
    except ValueError:
        return None


def is_markdown(text: str, media_type: str) -> bool:
    """Return whether a text is Markdown by its media type, or by its look."""
    if media_type in MARKDOWN_TYPES:
        return True
    if media_type != PLAIN:
        return False
    part = text[:EXAMINED]
    return bool(_BLOCK.search(part) or _INLINE.search(part)) or len(_ITEM.findall(part)) > 1
