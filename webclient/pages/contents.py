"""The blocks of a result as the page of a call shows them; everything from a server is text, and nothing is run.

Pictures and sounds are served by the number of their block (`content_pages.py`).
"""

from __future__ import annotations

import codecs
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from itertools import chain
from mimetypes import guess_extension
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from webclient.model import Json
from webclient.pages.tables import Table, read_table
from webclient.visible_text import visible

Kind = Literal["text", "table", "picture", "sound", "data", "link", "unknown"]

PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml"})
SOUNDS = frozenset({"audio/mpeg", "audio/mp4", "audio/ogg", "audio/wav", "audio/x-wav", "audio/webm", "audio/flac"})
_TEXTS = frozenset(
    {"application/json", "application/xml", "application/yaml", "application/x-ndjson", "application/csv"}
)
_CHARSETS = frozenset({"utf-8", "utf-16", "iso8859-1", "cp1252", "ascii"})
"""Encodings of text that is shown, by Python's names; text in others can be downloaded."""

MOST_BLOCKS = 500
"""The number of blocks that are shown; the raw result has the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """One block of a result: its `number` on the page, its kind and its own metadata.

    `text` is set for texts and tables, `size` (bytes) for downloads; `block` is the server's, verbatim.
    """

    number: int
    kind: Kind
    block: Json
    role: str = ""
    uri: str = ""
    title: str = ""
    description: str = ""
    media_type: str = ""
    text: str = ""
    table: Table | None = None
    size: int | None = None

    @property
    def data(self) -> bytes:
        """The bytes to download."""
        return self.text.encode("utf-8", "replace") if "text" in self.block else decoded(self.block) or b""

    @property
    def file_name(self) -> str:
        """The file name of the download: the server's, without characters that file systems refuse."""
        fallback = f"content-{self.number + 1}"
        given = _last_step(self.uri) or self.title
        name = "".join("_" if each in '<>:"/\\|?*⟦⟧' else each for each in visible(given, 100)).strip(". ") or fallback
        return name if "." in name else name + (guess_extension(self.media_type) or "")


def read_contents(result: Json | None) -> Sequence[Content]:
    """Return the blocks of a tool, prompt or resource result in order."""
    blocks = chain.from_iterable(_blocks(result or {}, key) for key in ("content", "messages", "contents"))
    return [_content(number, role, block) for number, (role, block) in zip(range(MOST_BLOCKS), blocks, strict=False)]


def decoded(block: Mapping[str, Any]) -> bytes | None:
    """Decode the base64 of `data` or `blob`; None if there is no valid one."""
    given = block.get("data", block.get("blob"))
    if not isinstance(given, str):
        return None
    try:
        return b64decode(given)
    except ValueError:
        return None


def _last_step(uri: str) -> str:
    """Return the last segment of a URI's path, or ""."""
    try:
        return unquote(urlsplit(uri).path).rstrip("/").rpartition("/")[2]
    except ValueError:
        return ""


def _blocks(result: Json, key: str) -> Iterator[tuple[str, Json]]:
    found = result.get(key)
    for each in found if isinstance(found, list) else []:
        if not isinstance(each, dict):
            continue
        if key == "contents":
            yield "", {"type": "resource", "resource": each}
        elif key == "messages":
            role, inner = str(each.get("role", "")), each.get("content")
            # A message has one block, or a list of them.
            yield from (
                (role, block) for block in (inner if isinstance(inner, list) else [inner]) if isinstance(block, dict)
            )
        else:
            yield "", each


def _content(number: int, role: str, block: Json) -> Content:
    resource = block.get("resource")
    if block.get("type") == "resource" and isinstance(resource, dict):
        return _with_data(number, role, resource)
    if block.get("type") == "text":
        return Content(number=number, kind="text", block=block, role=role, text=str(block.get("text", "")))
    if block.get("type") == "resource_link" and isinstance(block.get("uri"), str):
        return Content(number=number, kind="link", block=block, role=role, **_names(block))
    if block.get("type") in ("image", "audio"):
        return _with_data(number, role, block)
    return Content(number=number, kind="unknown", block=block, role=role)


def _with_data(number: int, role: str, block: Json) -> Content:
    names = _names(block)
    text, data = block.get("text"), None
    if not isinstance(text, str):
        data = decoded(block)
        text = _as_text(data or b"", str(block.get("mimeType", "")))
    if text is None:
        kind = _kind(names["media_type"]) if data is not None else "unknown"
        size = len(data) if data is not None else None
        return Content(number=number, kind=kind, block=block, role=role, size=size, **names)
    table = read_table(text, names["media_type"])
    size = len(text.encode("utf-8", "replace")) if data is None else len(data)
    kind = "table" if table else "text"
    return Content(number=number, kind=kind, block=block, role=role, text=text, table=table, size=size, **names)


def _kind(media_type: str) -> Kind:
    if media_type in PICTURES:
        return "picture"
    return "sound" if media_type in SOUNDS else "data"


def _names(block: Json) -> Json:
    return {
        "uri": str(block.get("uri") or ""),
        "title": str(block.get("title") or block.get("name") or ""),
        "description": str(block.get("description") or ""),
        "media_type": str(block.get("mimeType") or "").partition(";")[0].strip().lower(),
    }


def _as_text(data: bytes, declared: str) -> str | None:
    """Decode bytes as the declared type of text; None if that fails."""
    media_type = declared.partition(";")[0].strip().lower()
    if not (media_type.startswith("text/") or media_type.endswith(("+json", "+xml")) or media_type in _TEXTS):
        return None
    if media_type == "image/svg+xml":
        return None
    try:
        return data.decode(_charset(declared))
    except (UnicodeDecodeError, LookupError):
        return None


def _charset(declared: str) -> str:
    """Return the declared encoding by Python's name, or UTF-8. Raises LookupError if unsupported."""
    header = Message()
    header["Content-Type"] = declared.replace("\r", " ").replace("\n", " ")
    name = codecs.lookup(header.get_content_charset() or "utf-8").name
    if name not in _CHARSETS:
        raise LookupError(name)
    return name
