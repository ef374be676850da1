"""The blocks of a result as the page of a call shows them; everything from a server is text, and nothing is run.

A text is JSON, Markdown or plain by its media type or, if it has none, by its look. Pictures and sounds
are served by the number of their block (`content_pages.py`).
"""

from __future__ import annotations

import codecs
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from email.message import Message
from itertools import chain
from mimetypes import guess_extension
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from webclient.content.forms import write_json
from webclient.content.visible_text import visible
from webclient.domain.model import Json
from webclient.support.standard_json import json_equal
from webclient.web.pages.calls.tables import Table, read_table
from webclient.web.pages.calls.text_formats import is_markdown, parsed_json

Kind = Literal["text", "json", "markdown", "table", "picture", "sound", "data", "link", "unknown"]

PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml"})
SOUNDS = frozenset({"audio/mpeg", "audio/mp4", "audio/ogg", "audio/wav", "audio/x-wav", "audio/webm", "audio/flac"})
_TEXTS = frozenset(
    {"application/json", "application/xml", "application/yaml", "application/x-ndjson", "application/csv"}
)
_CHARSETS = frozenset({"utf-8", "utf-16", "iso8859-1", "cp1252", "ascii"})
"""Encodings of text that is shown, by Python's names; text in others can be downloaded."""

MOST_MARKDOWN = 40_000
"""Characters of Markdown that are rendered in one result; further blocks are shown as text."""

FOLDED_LINES = 30
LINE = 100
"""Characters in a line of a page."""

MOST_BLOCKS = 500
"""The number of blocks that are shown; the raw result has the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """One block of a result: its `number` on the page, its kind and its own metadata.

    `text` is set for all kinds of text, with its `value` for JSON and its `table`; `size` (bytes) for what can be
    downloaded; `block` is the server's, verbatim.
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
    value: Any = None
    table: Table | None = None
    size: int | None = None

    @property
    def is_long(self) -> bool:
        """Whether it is folded: it has more than about `FOLDED_LINES` lines on a page."""
        text = write_json(self.value) if self.kind == "json" else self.text
        return len(text) > FOLDED_LINES * LINE or text.count("\n") >= FOLDED_LINES

    @property
    def data(self) -> bytes:
        """The bytes to download."""
        return self.text.encode("utf-8", "replace") if "text" in self.block else decoded(self.block) or b""

    @property
    def file_name(self) -> str:
        """The file name of the download: the server's, without characters that file systems refuse."""
        fallback = f"content-{self.number + 1}{_SUFFIXES.get(self.kind, '')}"
        given = _last_step(self.uri) or self.title
        name = "".join("_" if each in '<>:"/\\|?*⟦⟧' else each for each in visible(given, 100)).strip(". ") or fallback
        return name if "." in name else name + (guess_extension(self.media_type) or "")


_SUFFIXES: Mapping[Kind, str] = {"text": ".txt", "json": ".json", "markdown": ".md", "table": ".csv"}
"""The endings of files whose server gives neither a name nor a media type."""


def read_contents(result: Json | None) -> Sequence[Content]:
    """Return the blocks of a tool, prompt or resource result in order."""
    blocks = chain.from_iterable(_blocks(result or {}, key) for key in ("content", "messages", "contents"))
    found = [_content(number, role, block) for number, (role, block) in zip(range(MOST_BLOCKS), blocks, strict=False)]
    return list(_with_bounded_markdown(found))


def structured_content(result: Json | None, contents: Sequence[Content]) -> Any:
    """Return the `structuredContent` of a result; None without one, or if a block of text says the same.

    A tool should return the structured content as text as well (MCP 2025-11-25, Tools, Structured Content).
    """
    structured = (result or {}).get("structuredContent")
    texts = [content.value for content in contents if content.kind == "json"]
    return None if any(json_equal(structured, value) for value in texts) else structured


def decoded(block: Mapping[str, Any]) -> bytes | None:
    """Decode the base64 of `data` or `blob`; None if there is no valid one."""
    given = block.get("data", block.get("blob"))
    if not isinstance(given, str):
        return None
    try:
        return b64decode(given)
    except ValueError:
        return None


def _with_bounded_markdown(contents: Sequence[Content]) -> Iterator[Content]:
    rendered = 0
    for content in contents:
        rendered += len(content.text) if content.kind == "markdown" else 0
        too_much = content.kind == "markdown" and rendered > MOST_MARKDOWN
        yield replace(content, kind="text") if too_much else content


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
        return _with_text(number, role, block, str(block.get("text", "")))
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
    return _with_text(number, role, block, text, **names)


def _with_text(number: int, role: str, block: Json, text: str, media_type: str = "", **names: Any) -> Content:
    value = parsed_json(text, media_type)
    table = read_table(text, media_type)
    kind: Kind = "text"
    if value is not None:
        kind = "json"
    elif table:
        kind = "table"
    elif is_markdown(text, media_type):
        kind = "markdown"
    content = Content(
        number=number,
        kind=kind,
        block=block,
        role=role,
        text=text,
        value=value,
        table=table,
        media_type=media_type,
        **names,
    )
    return replace(content, size=len(content.data))


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
