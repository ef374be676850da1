"""docs/reliability.md names a test for every fault, and every test that it names is there."""

from __future__ import annotations

import re

from tests.mcp_servers import ROOT

TEXT = (ROOT / "docs" / "reliability.md").read_text()


def test_every_fault_names_a_test_that_exists() -> None:
    source = "".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    rows = [line for line in TEXT.splitlines() if line.startswith("| ") and not line.startswith(("| fault", "| ---"))]
    assert len(rows) > 25
    assert [row for row in rows if not re.search(r"`test_\w+` \|$", row)] == []
    assert [name for name in re.findall(r"`(test_\w+)`", TEXT) if f"def {name}(" not in source] == []
