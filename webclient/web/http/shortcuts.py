"""The keyboard shortcuts of all pages, for the dialog that lists them; `static/js/shortcuts.js` acts on them."""

from __future__ import annotations

from typing import NamedTuple

from webclient.domain.i18n import N_


class Shortcut(NamedTuple):
    """Alternative keys, each a key or a sequence, and their effect, not yet translated."""

    keys: tuple[str, ...]
    effect: str


SINGLE = (
    Shortcut(("j", "k"), N_("Next or previous entry of the list; a question opens")),
    Shortcut(("x",), N_("Select or deselect the question")),
    Shortcut(("a",), N_("Go to Approve; Enter approves")),
    Shortcut(("d",), N_("Go to Decline; Enter declines")),
    Shortcut(("z",), N_("Undo the last answer, while that is possible")),
    Shortcut(("/",), N_("Search or filter")),
    Shortcut(("g i",), N_("Open the inbox")),
    Shortcut(("g c",), N_("Open the calls")),
    Shortcut(("g h",), N_("Open the history")),
    Shortcut(("g s",), N_("Open the servers")),
    Shortcut(("?",), N_("Show this list")),
)
"""Shortcuts of one character, or two: they can be switched off, and do nothing in a field (WCAG 2.2, 2.1.4)."""

ALWAYS = (
    Shortcut(
        ("Enter",),
        N_("Open the entry; from a heading, go to the first field or button; from an outcome, to the next question"),
    ),
    Shortcut(("↓", "↑"), N_("From the row of a question, open the next or the previous one")),
    Shortcut(("Ctrl+Enter", "⌘+Enter"), N_("Send the answer or run the tool, from anywhere in its form")),
    Shortcut(("Esc",), N_("Leave a field; this never answers")),
)
"""Shortcuts that are always on."""
