"""Chooses one of the icons of a server, tool, prompt or resource, and reads its bytes."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import unquote_to_bytes

import httpx2

from webclient.network import NotHttpsError, check_url
from webclient.servers.icons.media_types import TYPES, media_type_of

LONGEST = 262_144
"""The most characters of an icon's `data:` address, which is part of each listing, and the most bytes of an icon."""

LONGEST_URL = 2048
"""The most characters of an icon's address elsewhere."""

MOST = 20
"""Icons of one entry that are looked at."""

SIDE = 64
"""Pixels of the side that an icon should have at least."""

_DATA = re.compile(r"data:([^;,]*)((?:;[^;,]*)*),", re.IGNORECASE)
_SIZE = re.compile(r"([0-9]{1,5})x([0-9]{1,5})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Icon:
    """An icon that can be shown: in a `data:` address, or at the origin of its server.

    `declared` is the media type that its server gives, "" if it gives none.
    """

    source: str
    declared: str

    @property
    def digest(self) -> str:
        """A digest that changes with the icon."""
        return sha256(self.source.encode("utf-8", "replace")).hexdigest()[:16]

    @property
    def is_inline(self) -> bool:
        """Whether it is in a `data:` address."""
        return _DATA.match(self.source) is not None

    @property
    def data(self) -> bytes:
        """The bytes of the picture in a `data:` address (RFC 2397); empty if they cannot be decoded."""
        head, _comma, rest = self.source.partition(",")
        data = unquote_to_bytes(rest)
        try:
            return b64decode(data) if head.lower().endswith(";base64") else data
        except ValueError:
            return b""


def icon_of(item: Mapping[str, Any], server_url: str | None) -> Icon | None:
    """Return the icon of an entry, or of a server's `serverInfo`, that suits best; None if none can be shown.

    It is for a light ground, and large enough but no larger (MCP 2025-11-25, Icons). `server_url` is the address of the
    server, whose origin alone may serve icons; None for a local one.
    """
    given = item.get("icons")
    entries = [each for each in given[:MOST] if isinstance(each, Mapping)] if isinstance(given, list) else []
    found = [(_rank(entry), icon) for entry in entries for icon in _usable(entry, server_url)]
    return min(found, key=lambda each: each[0])[1] if found else None


def is_same_origin(one: str, other: str) -> bool:
    """Return whether two URLs have the same scheme, host and port; False if one is invalid."""
    try:
        first, second = httpx2.URL(one), httpx2.URL(other)
    except httpx2.InvalidURL:
        return False
    return (first.scheme, first.host, first.port) == (second.scheme, second.host, second.port)


def _usable(entry: Mapping[str, Any], server_url: str | None) -> Iterator[Icon]:
    source, declared = entry.get("src"), entry.get("mimeType")
    declared = declared if isinstance(declared, str) else ""
    if not isinstance(source, str) or len(source) > LONGEST:
        return
    if found := _DATA.match(source):
        # The type within the address comes before the one beside it.
        declared = found[1] or declared
        if media_type_of(declared) in TYPES:
            yield Icon(source=source, declared=declared)
    elif server_url and len(source) <= LONGEST_URL and is_same_origin(source, server_url):
        with suppress(NotHttpsError):
            check_url(source)
            yield Icon(source=source, declared=declared)


def _rank(entry: Mapping[str, Any]) -> tuple[bool, int]:
    sizes = entry.get("sizes")
    sides = [_side(each) for each in sizes[:MOST] if isinstance(each, str)] if isinstance(sizes, list) else []
    return entry.get("theme") == "dark", min((_misfit(side) for side in sides), default=1)


def _side(size: str) -> int:
    """Return the shorter side of a size such as `48x48`; of any other text, such as `any`, the one that is wanted."""
    found = _SIZE.fullmatch(size)
    return min(int(found[1]), int(found[2])) if found else SIDE


def _misfit(side: int) -> int:
    """Return how badly a size suits: one that is too small suits worse than any that is too large."""
    return side - SIDE if side >= SIDE else 100_000 - side
