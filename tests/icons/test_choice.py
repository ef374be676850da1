"""Which icon of a server or tool a page shows, and its bytes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tables import each_row
from webclient.servers.icons import LONGEST, icon_of


def src(**values: Any) -> str | None:
    found = icon_of(values, "https://b.example/mcp")
    return found.source if found else None


def pictured(size: str | None = None, theme: str | None = None) -> dict[str, Any]:
    entry: dict[str, Any] = {"src": f"data:image/png,{size}-{theme}"}
    return entry | ({"sizes": [size]} if size else {}) | ({"theme": theme} if theme else {})


@each_row(
    ("icons", "shown"),
    [
        ([{"src": "https://a.example/x.png"}, {"src": "data:image/png;base64,AA"}], "data:image/png;base64,AA"),
        ([{"src": "DATA:image/svg+xml,%3Csvg%3E"}], "DATA:image/svg+xml,%3Csvg%3E"),
        ([{"src": "data:;base64,AA", "mimeType": "image/png"}], "data:;base64,AA"),
        ([{"src": "https://a.example/x.png"}], None),
        ([{"src": "data:text/html,<b>"}], None),
        ([{"src": "data:text/html,<b>", "mimeType": "image/png"}], None),
        ([{"src": "javascript:alert(1)"}], None),
        ([{"src": "file:///etc/passwd", "mimeType": "image/png"}], None),
        (["data:image/png,x", None, {}], None),
        ({"src": "data:image/png,x"}, None),
        (None, None),
        ([{"src": "data:image/png," + "x" * LONGEST}], None),
    ],
)
def test_only_an_icon_of_an_accepted_kind_is_shown(icons: object, shown: str | None) -> None:
    assert src(icons=icons) == shown


@pytest.mark.parametrize(
    ("sizes", "best"),
    [
        (["16x16", "96x96", "512x512"], "96x96"),
        (["16x16", "48x48"], "48x48"),
        (["512x512", "any"], "any"),
        (["16x16", "junk"], "junk"),
        (["64x64", None], "64x64"),
    ],
)
def test_the_icon_that_is_large_enough_but_no_larger_is_shown(sizes: list[str | None], best: str) -> None:
    assert src(icons=[pictured(size) for size in sizes]) == f"data:image/png,{best}-None"


def test_an_icon_for_a_light_ground_is_preferred() -> None:
    icons = [pictured("64x64", "dark"), pictured("16x16", "light")]
    assert src(icons=icons) == "data:image/png,16x16-light"
    assert src(icons=icons[:1]) == "data:image/png,64x64-dark"


@pytest.mark.parametrize("sizes", ["48x48", [7, None], {"a": 1}, ["9" * 50 + "x1"]])
def test_sizes_of_any_form_do_no_harm(sizes: object) -> None:
    assert src(icons=[{"src": "data:image/png,x", "sizes": sizes}]) == "data:image/png,x"


def test_the_bytes_of_an_icon_are_read_in_both_spellings() -> None:
    for source in ("data:image/svg+xml,%3Csvg%3E", "data:image/svg+xml;charset=utf-8;base64,PHN2Zz4="):
        found = icon_of({"icons": [{"src": source}]}, None)
        assert found
        assert (found.declared, found.data) == ("image/svg+xml", b"<svg>")


def test_an_icon_that_cannot_be_read_has_no_bytes() -> None:
    found = icon_of({"icons": [{"src": "data:image/png;base64,A"}]}, None)
    assert found
    assert found.data == b""
