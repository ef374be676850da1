"""The first bytes of a picture give its type (MCP 2025-11-25, Icons: detect it, reject on mismatch)."""

from __future__ import annotations

from time import process_time

import pytest

from webclient.servers.icons import picture_of

PNG = b"\x89PNG\r\n\x1a\n...."
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'/>"


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0..", "image/jpeg"),
        (b"GIF89a..", "image/gif"),
        (b"RIFF\n\x00\xff\x00WEBPVP8 ", "image/webp"),
        (SVG, "image/svg+xml"),
        (b"\xef\xbb\xbf <?xml version='1.0'?>\n<!-- a > b --><!-- c -->\n<!DOCTYPE svg>" + SVG, "image/svg+xml"),
    ],
)
def test_the_first_bytes_give_the_type(data: bytes, media_type: str) -> None:
    picture = picture_of(data)
    assert picture
    assert (picture.data, picture.media_type, picture.is_vector) == (data, media_type, media_type == "image/svg+xml")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html><svg>",
        b"BM....",
        b"%PDF-1.7",
        b"RIFF....WAVE",
        b"<!DOCTYPE svg [<!ENTITY a 'b'>]>" + SVG,
        b"<svgx>",
    ],
)
def test_anything_else_is_not_a_picture(data: bytes) -> None:
    assert picture_of(data) is None


@pytest.mark.parametrize(
    ("declared", "fits"),
    [
        ("image/png", True),
        ("IMAGE/PNG; charset=binary", True),
        ("image/x-png", True),
        ("", True),
        ("application/octet-stream", True),
        ("image/jpeg", False),
        ("image/svg+xml", False),
    ],
)
def test_a_picture_of_another_type_than_declared_is_rejected(declared: str, fits: bool) -> None:
    assert (picture_of(PNG, declared) is not None) is fits
    assert picture_of(PNG, "image/png", declared) is None or fits


def test_a_picture_made_of_comments_is_examined_in_linear_time() -> None:
    began = process_time()
    assert picture_of(b"<!-- -->" * 100_000) is None
    assert process_time() - began < 1
