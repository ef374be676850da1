"""The list of keyboard shortcuts is the same on the pages and in the documents."""

from __future__ import annotations

from tests.mcp_servers import ROOT
from webclient.web.http.shortcuts import ALWAYS, SINGLE, Shortcut


def row(shortcut: Shortcut) -> str:
    return f"| {', '.join(f'`{keys}`' for keys in shortcut.keys)} | {shortcut.effect} |"


def test_the_documents_list_all_shortcuts() -> None:
    text = (ROOT / "docs/accessibility.md").read_text("utf-8")
    assert "\n".join(row(each) for each in (*ALWAYS, *SINGLE)) in text
