"""The half of docs/url-mode.md for server authors points to what is there."""

from __future__ import annotations

import re

from tests.mcp_servers import ROOT

DOCS = (ROOT / "docs" / "url-mode.md").read_text("utf-8")


def test_every_rule_names_tests_that_exist() -> None:
    named = set(re.findall(r"`(test_\w+)`", DOCS))
    there = set(
        re.findall(r"def (test_\w+)", "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py")))
    )
    assert named - there == set()
    assert len(named) > 30


def test_every_test_of_a_rule_is_named() -> None:
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py"))
    assert {name for name in re.findall(r"def (test_rule_\w+)", tests) if f"`{name}`" not in DOCS} == set()


def test_every_file_that_it_points_to_exists() -> None:
    for target in re.findall(r"\]\(\.\./([^)]+)\)", DOCS):
        assert (ROOT / target).exists(), target
    files = {path.name for path in (ROOT / "webclient" / "demo").rglob("*.py")}
    assert set(re.findall(r"`(\w+\.py)`", DOCS)) <= files
