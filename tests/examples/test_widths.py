"""The table of docs/embedding.md has every example at every width, also in other browsers."""

from __future__ import annotations

from tests.browser.test_embedding_in_chats import DOCS, OUTCOMES
from tests.examples.people import PLACES
from tests.examples.widths import VIEWS


def test_each_example_was_walked_at_each_width() -> None:
    for place in PLACES:
        for view in VIEWS:
            # In Chromium by the tests beside this one, and by hand in other browsers.
            assert f"| {place} | {view.width} | {view.scheme}, {view.direction} | {OUTCOMES[1]} |" in DOCS
            assert f"| {place} | {view.width} | answered at once | answered at once |" in DOCS
