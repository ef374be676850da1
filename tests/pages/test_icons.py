"""Which icon of a tool a page shows, and its bytes."""

from __future__ import annotations

import pytest

from webclient.pages.icons import LONGEST, icon


@pytest.mark.parametrize(
    ("icons", "shown"),
    [
        ([{"src": "https://a.example/x.png"}, {"src": "data:image/png;base64,AA"}], "data:image/png;base64,AA"),
        ([{"src": "DATA:image/svg+xml,%3Csvg%3E"}], "DATA:image/svg+xml,%3Csvg%3E"),
        ([{"src": "https://a.example/x.png"}], None),
        ([{"src": "data:text/html,<b>"}], None),
        ([{"src": "javascript:alert(1)"}], None),
        (["data:image/png,x", None, {}], None),
        ({"src": "data:image/png,x"}, None),
        (None, None),
        ([{"src": "data:image/png," + "x" * LONGEST}], None),
    ],
)
def test_only_an_icon_that_needs_no_fetching_is_shown(icons: object, shown: str | None) -> None:
    found = icon({"icons": icons})
    assert (found and found.source) == shown


def test_the_bytes_of_an_icon_are_read_in_both_spellings() -> None:
    for source in ("data:image/svg+xml,%3Csvg%3E", "data:image/svg+xml;charset=utf-8;base64,PHN2Zz4="):
        found = icon({"icons": [{"src": source}]})
        assert found
        assert (found.media_type, found.data) == ("image/svg+xml", b"<svg>")


def test_an_icon_that_cannot_be_read_has_no_bytes() -> None:
    found = icon({"icons": [{"src": "data:image/png;base64,A"}]})
    assert found
    assert found.data == b""
