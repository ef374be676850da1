"""Pages of ours to continue to: an address from a form or a link must not lead to another site."""

from __future__ import annotations

import re

_PAGE = re.compile(r"/(?![/\\])[A-Za-z0-9/_.~?=&%+-]*")
"""A path on this host and nothing else: a second slash, even a backslash, would begin the name of another host."""


def own_page(page: str) -> str:
    """Return the page to continue to if it is one of ours, else the inbox."""
    return page if _PAGE.fullmatch(page) else "/"
