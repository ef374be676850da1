"""Icons of catalog entries, from `data:` addresses only: none is ever fetched."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import unquote_to_bytes

from webclient.pages.contents import PICTURES

LONGEST = 262_144
"""The most characters of an icon's address, which is part of each listing."""

_DATA = re.compile(r"data:([^;,]*)((?:;[^;,]*)*),", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Icon:
    """An icon in an address that begins with `data:` (RFC 2397)."""

    source: str
    media_type: str

    @property
    def digest(self) -> str:
        """A digest that changes with the icon."""
        return sha256(self.source.encode("utf-8", "replace")).hexdigest()[:16]

    @property
    def data(self) -> bytes:
        """The bytes of the picture; empty if they cannot be decoded."""
        head, _comma, rest = self.source.partition(",")
        data = unquote_to_bytes(rest)
        try:
            return b64decode(data) if head.lower().endswith(";base64") else data
        except ValueError:
            return b""


def icon(item: Mapping[str, Any]) -> Icon | None:
    """Return the first icon of an entry that needs no fetching and is not too long."""
    icons = item.get("icons")
    for each in icons if isinstance(icons, list) else []:
        source = each.get("src") if isinstance(each, Mapping) else None
        found = _DATA.match(source) if isinstance(source, str) and len(source) <= LONGEST else None
        if isinstance(source, str) and found and found[1].strip().lower() in PICTURES:
            return Icon(source, found[1].strip().lower())
    return None
