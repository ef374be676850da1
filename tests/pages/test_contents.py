"""The result of a call, block by block: its kind, its name, and its download."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from tests.tables import each_row
from webclient.domain.model import Json
from webclient.web.pages.calls.contents import (
    FOLDED_LINES,
    MOST_BLOCKS,
    MOST_MARKDOWN,
    Content,
    read_contents,
    structured_content,
)


def blob(data: bytes, media_type: str, uri: str = "file:///a/b") -> Json:
    return {"uri": uri, "mimeType": media_type, "blob": b64encode(data).decode()}


def only(block: Json) -> Content:
    """Return the content of a resource that was read."""
    [content] = read_contents({"contents": [block]})
    return content


@pytest.mark.parametrize(
    ("data", "media_type", "text"),
    [
        ("né ☃".encode(), "text/plain", "né ☃"),
        ("né".encode("cp1252"), "text/plain; charset=windows-1252", "né"),
        (b"a = 1", "application/yaml", "a = 1"),
        (b"<a/>", "application/atom+xml", "<a/>"),
    ],
)
def test_a_blob_that_is_text_is_shown_as_text(data: bytes, media_type: str, text: str) -> None:
    content = only(blob(data, media_type))
    assert (content.kind, content.text, content.data, content.size) == ("text", text, data, len(data))


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"\xff\xfe\x00", "text/plain"),
        (b"abc", "text/plain; charset=unknown"),
        (b"abc", "text/plain; charset=rot13"),
        (b"abc", 'text/plain; charset="\r\nX: y'),
        (b"%PDF", "application/pdf"),
        (b"abc", ""),
    ],
)
def test_any_other_blob_can_be_downloaded(data: bytes, media_type: str) -> None:
    content = only(blob(data, media_type))
    assert content.kind in ("data", "text")
    assert content.data == data


def test_comma_separated_values_are_a_table() -> None:
    for block in (blob(b"a,b\n1,2\n", "text/csv"), {"uri": "x:y", "mimeType": "text/csv", "text": "a,b\n1,2\n"}):
        content = only(block)
        assert content.kind == "table"
        assert content.table
        assert content.table.rows == [["1", "2"]]
        assert content.data == b"a,b\n1,2\n"


@pytest.mark.parametrize("broken", [{"blob": "A"}, {"blob": 7}, {}, {"blob": "☃"}])
def test_a_blob_that_is_not_base64_is_shown_as_it_came(broken: Json) -> None:
    content = only({"uri": "x:y", "mimeType": "image/png", **broken})
    assert (content.kind, content.size) == ("unknown", None)


@each_row(
    ("uri", "media_type", "name"),
    [
        ("file:///a/report.pdf", "application/pdf", "report.pdf"),
        ("file:///a/report", "application/pdf", "report.pdf"),
        ("https://x.example/a/..%2F..%2Fetc%2Fpasswd?q", "text/plain", "passwd.txt"),
        ("x:/%0d%0aX-Evil:%20y", "", "X-Evil_ y"),
        ("http://[", "", "content-1"),
        ("x:/..", "", "content-1"),
        ("x:/CON<>|", "", "CON___"),
        ("", "image/png", "content-1.png"),
    ],
)
def test_a_download_has_a_harmless_name(uri: str, media_type: str, name: str) -> None:
    assert only({"uri": uri, "mimeType": media_type, "blob": "AAAA"}).file_name == name


def test_blocks_of_tools_and_prompts_are_numbered_in_their_order() -> None:
    blocks: list[Any] = [
        {"type": "text", "text": "a"},
        "junk",
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "x:y", "name": "y"},
        {"type": "resource", "resource": {"uri": "x:z", "text": "z"}},
        {"type": "resource_link", "uri": 7},
        {"type": "surprise"},
    ]
    kinds = ["text", "picture", "sound", "link", "text", "unknown", "unknown"]
    assert [(each.number, each.kind) for each in read_contents({"content": blocks})] == list(enumerate(kinds))
    messages = [{"role": "user", "content": blocks[0]}, {"role": "assistant", "content": blocks[2:4]}, {"role": 7}]
    found = read_contents({"messages": messages})
    assert [(each.role, each.kind) for each in found] == [
        ("user", "text"),
        ("assistant", "picture"),
        ("assistant", "sound"),
    ]


@pytest.mark.parametrize("result", [None, {}, {"content": "x"}, {"content": [None, 7]}, {"messages": {}}])
def test_a_result_without_blocks_has_none(result: Json | None) -> None:
    assert read_contents(result) == []


def test_so_many_blocks_are_shown_and_no_more() -> None:
    assert len(read_contents({"content": [{"type": "text", "text": ""}] * (MOST_BLOCKS + 5)})) == MOST_BLOCKS


def text_block(text: str) -> Content:
    [content] = read_contents({"content": [{"type": "text", "text": text}]})
    return content


@each_row(
    ("text", "kind", "name"),
    [
        ('{"a": [1, 2]}', "json", "content-1.json"),
        (" [1]", "json", "content-1.json"),
        ("5", "text", "content-1.txt"),
        ("{not json}", "text", "content-1.txt"),
        ('{"a": 1, "a": 2}', "text", "content-1.txt"),
        ("[" * 100_000, "text", "content-1.txt"),
        ("# Title\n\nText", "markdown", "content-1.md"),
        ("Both\n- one\n- two", "markdown", "content-1.md"),
        ("a - b\n- one", "text", "content-1.txt"),
        ("See [the report](https://example.com/r)", "markdown", "content-1.md"),
        ("2 ** 3 ** 2", "text", "content-1.txt"),
        ("#hashtag and #1", "text", "content-1.txt"),
    ],
)
def test_a_text_without_a_type_is_known_by_its_look(text: str, kind: str, name: str) -> None:
    content = text_block(text)
    assert (content.kind, content.file_name, content.data) == (kind, name, text.encode())
    assert content.size == len(text)


@pytest.mark.parametrize(
    ("media_type", "text", "kind"),
    [
        ("application/json", "5", "json"),
        ("application/problem+json", '{"a": 1}', "json"),
        ("application/json", "{", "text"),
        ("text/markdown", "plain", "markdown"),
        ("text/plain", "# not a title", "text"),
        ("text/plain", '{"a": 1}', "text"),
        ("text/html", "**x**", "text"),
    ],
)
def test_a_text_with_a_type_is_what_its_server_says(media_type: str, text: str, kind: str) -> None:
    assert only({"uri": "x:y", "mimeType": media_type, "text": text}).kind == kind


def test_only_long_blocks_are_folded() -> None:
    assert not text_block("line\n" * (FOLDED_LINES - 1)).is_long
    assert text_block("line\n" * FOLDED_LINES).is_long
    assert text_block("word " * 1000).is_long
    assert text_block(f"[{', '.join(map(str, range(40)))}]").is_long


def test_only_so_much_markdown_of_a_result_is_rendered() -> None:
    blocks = [{"type": "text", "text": "# Title\n" * 1_000}] * 8
    kinds = [content.kind for content in read_contents({"content": blocks})]
    assert kinds == ["markdown"] * (MOST_MARKDOWN // 8_000) + ["text"] * (8 - MOST_MARKDOWN // 8_000)


def test_structured_content_is_not_shown_beside_the_same_text() -> None:
    """MCP 2025-11-25, Tools, Structured Content: a tool SHOULD return it as text as well."""
    for structured, text, shown in (
        ({"a": 1}, '{"a": 1}', None),
        ({"a": 1, "b": 2}, '{"b": 2, "a": 1}', None),
        ({"a": 1}, '{"a": 1.0}', {"a": 1}),
        ({"a": 1}, "a is 1", {"a": 1}),
    ):
        result = {"structuredContent": structured, "content": [{"type": "text", "text": text}]}
        assert structured_content(result, read_contents(result)) == shown
    assert structured_content({}, []) is None
    assert structured_content(None, []) is None
