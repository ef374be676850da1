"""Agents that send too much: bounded memory, a sentence for each request, and other users are served meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.gateway.floods import Flooded, body, calls, flooded, retries
from webclient.domain.model import Json
from webclient.gateway.outcomes import CUT

pytestmark = pytest.mark.anyio

CALLS = 400
TOOLS = 2_000
LARGE = 100 * 2**20
MEGABYTES = 100
"""How much memory a flood may take; a leak of what it sends takes more."""


@pytest.fixture
async def found(tmp_path: Path) -> AsyncIterator[Flooded]:
    """The program, with an agent that can flood it."""
    async with flooded(tmp_path, TOOLS) as running:
        yield running


async def _requests(found: Flooded, **query: str) -> list[Json]:
    async with found.api("ada") as ada:
        rows: list[Json] = (await ada.json("GET", "/requests", params={"limit": 100, **query}))["requests"]
        return rows


async def test_a_flood_of_calls_has_a_sentence_for_each(found: Flooded) -> None:
    before = found.megabytes
    async with found.timed():
        outcomes = await calls(found, CALLS)
    assert outcomes.total() == CALLS
    assert all(len(sentence) > 20 and not sentence.startswith("500") for sentence in outcomes), outcomes
    assert outcomes["A person is being asked, and has not answe"[:40]] > 0
    assert found.megabytes - before < MEGABYTES
    assert found.percent(50) < 2_000


async def test_a_large_body_is_refused_as_it_comes(found: Flooded) -> None:
    for announced in (True, False):
        before = found.megabytes
        async with found.timed():
            status, sent = await body(found, LARGE, announced=announced)
        assert status == 413
        # All of it is taken from the network, and thrown away.
        assert sent == LARGE
        assert found.megabytes - before < MEGABYTES / 2


async def test_a_catalog_of_thousands_of_tools_says_that_it_is_cut(found: Flooded) -> None:
    before = found.megabytes
    async with found.timed(), found.agent("large") as agent:
        for _again in range(5):
            listed = await agent.result("tools/list")
            assert len(listed["tools"]) == 1_000 + 1
            assert "1,000" in listed["_meta"][CUT]
        last = await agent.result("tools/call", {"name": f"tool_{TOOLS - 1}", "arguments": {}})
        assert last["content"][0]["text"] == f"tool_{TOOLS - 1}"
    assert found.megabytes - before < MEGABYTES
    assert found.percent(50) < 2_000


async def test_an_agent_that_retries_has_one_question(found: Flooded) -> None:
    before = found.megabytes
    async with found.timed():
        outcomes = await retries(found, 30, 0.3)
    assert outcomes == Counter({"gave up": 30})
    assert len(await _requests(found)) == 1
    async with found.api("ada") as ada:
        assert len((await ada.json("GET", "/calls"))["calls"]) == 1
    assert found.megabytes - before < MEGABYTES / 2
