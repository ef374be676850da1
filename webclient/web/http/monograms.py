"""The tile of a server: a letter on one of eight colours, both taken from the label that the user gave it."""

from __future__ import annotations

from zlib import crc32

COLORS = 8
"""The number of colours of tiles in static/css/tokens.css."""


def monogram(label: str) -> str:
    """Return the first letter or digit of the label in upper case; "?" if it has none."""
    first = next((character for character in label if character.isalnum()), "?")
    return first.upper()[:1]


def tile_color(label: str) -> int:
    """Return the number of the label's colour, the same in every process."""
    return crc32(label.encode("utf-8", "replace")) % COLORS
