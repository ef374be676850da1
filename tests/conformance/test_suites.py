"""The client scenarios of the official conformance suite."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.runs import run
from tests.conformance.suites import SUITES, Suite

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
async def test_no_scenario_of_the_official_suite_fails(suite: Suite, tmp_path: Path) -> None:
    scenarios = await run(suite, tmp_path)
    assert scenarios, "the suite ran nothing"
    assert {each.name: each.output for each in scenarios if not each.is_green} == {}
