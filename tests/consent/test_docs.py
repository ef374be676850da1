"""docs/url-mode.md explains every finding, and none that does not exist."""

from __future__ import annotations

import re
from pathlib import Path

from tests.mcp_servers import ROOT
from webclient.content import links as consent

FOLDER = Path(consent.__file__).parent


def test_every_finding_is_explained() -> None:
    source = "".join(path.read_text("utf-8") for path in FOLDER.glob("*.py"))
    found = set(re.findall(r"\b(?:block|warn|info|found|expected)\(\s*\"([a-z-]+)\"", source))
    explained = set(re.findall(r"^\| `([a-z-]+)` \|", (ROOT / "docs" / "url-mode.md").read_text("utf-8"), re.MULTILINE))
    assert found == explained
    assert len(found) > 20
