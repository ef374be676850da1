"""The documents decide each report of axe that needs a person, and no other."""

from __future__ import annotations

import re

from tests.browser.axe import _SETTLED
from tests.mcp_servers import ROOT


def test_the_documents_decide_what_axe_cannot() -> None:
    text = (ROOT / "docs/accessibility.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \| `([^`]+)` \| \w", text, re.MULTILINE) == list(_SETTLED)
