"""What a call returned, block by block: what each is, what it is called, and what can be downloaded of it."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from webclient.model import Json
from webclient.pages.contents import MOST_BLOCKS, Content, read_contents


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
        (b'{"a": 1}', "application/json", '{"a": 1}'),
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


@pytest.mark.parametrize(
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
