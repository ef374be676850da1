"""File fields: a text that is a file, as a data URI (RFC 2397) or as plain base64, with its type and size checked."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _

LARGEST_FILE = 500_000
"""Bytes of a file; the limit of a request's body counts as well."""

FILE = ".file"
"""The suffix of the control with which a browser uploads the file itself."""

_URI = re.compile(r"data:([\w.+-]{1,100}/[\w.+-]{1,100})?((?:;[\w.+-]{1,100}=[^;,]{0,200}){0,4});base64,", re.ASCII)
_TYPE = re.compile(r"[\w.+-]{1,100}/(?:[\w.+-]{1,100}|\*)", re.ASCII)


def is_file(schema: Mapping[str, Any]) -> bool:
    """Return whether a text of this schema is a file: `format: data-url`, or `contentEncoding: base64`."""
    if schema.get("type") != "string" or "enum" in schema or "const" in schema:
        return False
    return _is_uri(schema) or schema.get("contentEncoding") == "base64"


def media_type(schema: Mapping[str, Any]) -> str:
    """Return the type that the file must have, such as `image/png` or `image/*`; "" if any will do."""
    named = schema.get("contentMediaType")
    return named if isinstance(named, str) and _TYPE.fullmatch(named) else ""


def file_hints(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return sentences on the type and size of the file."""
    size = _("At most {size} kB.").format(size=largest(schema) // 1000)
    named = media_type(schema)
    return (_("Type: {type}.").format(type=named), size) if named else (size,)


def data_uri(named: str | None, content: bytes) -> str:
    """Return a file of this media type as a data URI."""
    safe = named if named and _TYPE.fullmatch(named) else "application/octet-stream"
    return f"data:{safe};base64,{base64.b64encode(content).decode()}"


def file_value(schema: Mapping[str, Any], text: str) -> str:
    """Return the value for a file in the text of its control: a data URI, or plain base64. Raises ValueError."""
    found = _URI.match(text)
    if found is None and (_is_uri(schema) or text.startswith("data:")):
        raise ValueError(_("Choose a file."))
    named, encoded = (found[1] or "text/plain", text[found.end() :]) if found else ("", text)
    size = _size(encoded)
    if size > largest(schema):
        raise ValueError(
            _("This file is too large: at most {size} kB can be sent.").format(size=largest(schema) // 1000)
        )
    wanted = media_type(schema)
    if named and wanted and not _fits(named, wanted):
        raise ValueError(_("This file is of type {seen}. Choose one of type {type}.").format(seen=named, type=wanted))
    return text if _is_uri(schema) else encoded


def file_in_words(text: str) -> str:
    """Return the type and size of the file in the text of a control; "" if there is none."""
    found = _URI.match(text)
    try:
        size = _size(text[found.end() :] if found else text)
    except ValueError:
        return ""
    kilobytes = _("{n} kB").format(n=max(1, round(size / 1000)))
    return f"{visible(found[1] or 'text/plain', 100)}, {kilobytes}" if found else kilobytes


def _is_uri(schema: Mapping[str, Any]) -> bool:
    return schema.get("format") in ("data-url", "data-uri")


def largest(schema: Mapping[str, Any]) -> int:
    """Return the most bytes of a file; `maxLength` counts the characters of the text."""
    most = schema.get("maxLength")
    return min(LARGEST_FILE, most * 3 // 4) if isinstance(most, int) and most > 0 else LARGEST_FILE


def _size(encoded: str) -> int:
    try:
        return len(base64.b64decode(encoded, validate=True))
    except (binascii.Error, ValueError) as error:
        raise ValueError(_("This is not a file: it is not written in base64.")) from error


def _fits(named: str, wanted: str) -> bool:
    return named.casefold() == wanted.casefold() or (wanted.endswith("/*") and named.startswith(wanted[:-1]))
