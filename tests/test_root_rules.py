"""Roots are checked, and each is written as one normal `file://` URI."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from webclient.domain.model import Root
from webclient.domain.root_rules import (
    LONGEST_NAME,
    LONGEST_URI,
    MOST_ROOTS,
    WrongRootError,
    checked_roots,
    is_accessible,
    is_whole_disk,
    path_of,
)

GOOD = {
    "/home/me/notes": "file:///home/me/notes",
    "/home/me//notes/./a/": "file:///home/me/notes/a",
    "/home/me/Größe und mehr": "file:///home/me/Gr%C3%B6%C3%9Fe%20und%20mehr",
    "/a%41?b#c": "file:///a%2541%3Fb%23c",
    "file:///home/me/my%20notes": "file:///home/me/my%20notes",
    "FILE://localhost/a": "file:///a",
    "file:/a": "file:///a",
    "file:///%7Eme": "file:///~me",
    "/": "file:///",
    "file:///": "file:///",
    "C:\\Users\\me": "file:///C:/Users/me",
    "c:/": "file:///C:/",
    "file:///c:/a b": "file:///C:/a%20b",
    " /tmp ": "file:///tmp",
}
BAD = [
    "",
    "notes",
    "~/notes",
    "./notes",
    "file:notes",
    "https://example.com/",
    "javascript:alert(1)",
    "//server/share",
    "\\\\server\\share",
    "file://server/share",
    "file:////server/share",
    "/home/../etc",
    "/home/..",
    "/home\\..\\etc",
    "file:///home/%2e%2e/etc",
    "file:///home/%2E./etc",
    "file:///home%2f..%2fetc",
    "file:///home%5c..",
    "file:///a?b",
    "file:///a#b",
    "file:///%ff",
    "/a\0b",
    "/a\nb",
    "file:///a%00b",
    "file:///a%0Ab",
    "/\ud800",
    "/" + "x" * LONGEST_URI,
]


@each_row(("text", "uri"), GOOD.items())
def test_a_root_has_one_normal_uri(text: str, uri: str) -> None:
    """F5 (MCP 2025-11-25, Roots, Root): `uri` MUST be a `file://` URI."""
    [root] = checked_roots([Root(uri=text)])
    assert root.uri == uri
    assert checked_roots([root]) == (root,)
    assert checked_roots([Root(uri=path_of(root))]) == (root,)


@each_row("text", BAD)
def test_a_root_that_may_mean_another_folder_is_refused(text: str) -> None:
    """F7 (MCP 2025-11-25, Roots, Security): clients MUST validate all root URIs to prevent path traversal."""
    with pytest.raises(WrongRootError) as error:
        checked_roots([Root(uri="/good"), Root(uri=text)])
    assert error.value.position == 1
    assert str(error.value.message)


@given(st.text())
def test_any_text_is_refused_or_has_a_uri_without_traversal(text: str) -> None:
    """F7, for any text."""
    try:
        [root] = checked_roots([Root(uri=text)])
    except WrongRootError:
        return
    assert root.uri.startswith("file:///")
    assert root.uri.isascii()
    assert ".." not in path_of(root).split("/")


def test_names_and_the_number_of_roots_are_limited() -> None:
    for name in ("x" * (LONGEST_NAME + 1), "a\nb", "a\0"):
        with pytest.raises(WrongRootError):
            checked_roots([Root(uri="/a", name=name)])
    many = [Root(uri=f"/{n}") for n in range(MOST_ROOTS + 1)]
    with pytest.raises(WrongRootError):
        checked_roots(many)
    assert len(checked_roots(many[:-1])) == MOST_ROOTS
    assert checked_roots([Root(uri="/a", name=" Notes "), Root(uri="/a/")]) == (Root(uri="file:///a", name="Notes"),)


def test_a_whole_disk_and_a_missing_folder_are_known(tmp_path: Path) -> None:
    """F8 (MCP 2025-11-25, Roots, Security): clients MUST monitor the accessibility of roots."""
    whole = checked_roots([Root(uri="/"), Root(uri="C:\\"), Root(uri="d:")])
    assert [is_whole_disk(root) for root in whole] == [True] * 3
    there, missing = checked_roots([Root(uri=str(tmp_path)), Root(uri=str(tmp_path / "missing"))])
    assert [is_accessible(root) for root in (there, missing)] == [True, False]
    assert not is_whole_disk(there)
