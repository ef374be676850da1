"""The page of the suite changes only when a result does."""

from __future__ import annotations

from tests.conformance.extensions import ROWS, section
from tests.conformance.runs import Scenario
from tests.conformance.suites import SUITES
from tests.conformance.table import PAGE, page
from webclient.domain.model import Extension


def test_the_page_differs_only_when_a_result_does() -> None:
    suite = SUITES[0]
    before = page({suite: [Scenario("tools_call", 7, 0, 0)]})
    assert page({suite: [Scenario("tools_call", 6, 0, 0)]}) == before
    for other in (Scenario("tools_call", 6, 1, 0), Scenario("tools_call", 6, 0, 1), Scenario("initialize", 7, 0, 0)):
        assert page({suite: [other]}) != before


def test_each_kind_of_result_has_a_word() -> None:
    scenarios = [Scenario("a", 1, 0, 0), Scenario("b", 1, 0, 1), Scenario("c", 1, 1, 0), Scenario("d", 0, 0, 0)]
    _, _, suite = page({SUITES[0]: scenarios}).partition("| scenario |")
    rows = [line.split("|")[2].strip() for line in suite.splitlines() if line.startswith("| ")]
    assert rows[1:] == ["green", "green, with a warning", "red", "red"]


def test_the_page_lists_each_extension_that_is_announced() -> None:
    assert {row.identifier for row in ROWS} >= set(Extension)
    assert section() in PAGE.read_text("utf-8")
