"""The media types of pictures: their first bytes count, and not only the words of their server."""

from __future__ import annotations

import re
from dataclasses import dataclass

SVG = "image/svg+xml"

TYPES = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif", SVG})
"""The accepted types (MCP 2025-11-25, Icons: a strict allowlist)."""

_ALIASES = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png", "image/svg": SVG}

_SIGNATURES = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
    # A declaration, comments and a document type may stand before the element. Atomic, so that it is read once.
    (
        re.compile(
            rb"(\xef\xbb\xbf)?\s*+(<\?xml[^>]*+>\s*+)?(?>(<!--.*?-->|<!DOCTYPE[^>\[]*+>)\s*+)*+<svg[\s>/]", re.DOTALL
        ),
        SVG,
    ),
)

_LOOKED_AT = 4096
"""Bytes in which an SVG must have begun."""


def media_type_of(declared: str) -> str:
    """Return a declared type without parameters and in its usual spelling."""
    name = declared.partition(";")[0].strip().lower()
    return _ALIASES.get(name, name)


def detected_type(data: bytes) -> str | None:
    """Return the accepted type to which the first bytes belong, or None."""
    return next((name for signature, name in _SIGNATURES if signature.match(data[:_LOOKED_AT])), None)


@dataclass(frozen=True, slots=True)
class Picture:
    """The bytes of a picture of an accepted type."""

    data: bytes
    media_type: str

    @property
    def is_vector(self) -> bool:
        """Whether it is an SVG."""
        return self.media_type == SVG


def picture_of(data: bytes, *declared: str) -> Picture | None:
    """Return the picture in `data`; None if it is not one, or not of the image type that was `declared` for it.

    MCP 2025-11-25, Icons: detect the type by the first bytes, and reject an unknown type or a mismatch.
    """
    detected = detected_type(data)
    claims = {name for each in declared if (name := media_type_of(each)).startswith("image/")}
    return Picture(data, detected) if detected and claims <= {detected} else None
