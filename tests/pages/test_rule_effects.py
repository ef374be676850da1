"""The page of rules: what a rule that only reports would have done, and which calls a new rule would have fitted."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import datetime, timedelta

import pytest

from tests.gateway.agents import connected, token
from tests.gateway.houses import house
from tests.mcp_servers import entry
from tests.pages.person import Person
from tests.program import Api
from webclient.domain.model import Json, now

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def bank(
    anyio_backend: str,  # noqa: ARG001
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[tuple[Person, Api]]:
    """An agent has paid twice and looked once, under a rule that only reports."""
    folder = tmp_path_factory.mktemp("bank")
    async with house(folder, bank=entry("counting", str(folder / "runs"))) as (running, api):
        rules = [{"tool": "pay", "then": "ask", "report_only": True}, {"tool": "pay", "then": "run"}, {"then": "run"}]
        await api.json("PUT", "/rules", json={"rules": rules})
        async with connected(running.base, await token(api), "bank") as agent:
            for amount in (20, 200):
                await agent.call_tool("pay", {"to": "DE12", "amount": amount})
            await agent.call_tool("look", {"path": "letter"})
        async with Person(running) as person:
            yield person, api


async def calls_of(api: Api) -> dict[str, str]:
    """Return the ids of the calls by their tool and amount."""
    calls = (await api.json("GET", "/calls"))["calls"]
    return {f"{call['name']} {call['arguments'].get('amount', '')}".strip(): call["id"] for call in calls}


def linked(page: str) -> list[str]:
    """Return the ids of the calls to which a part of a page leads."""
    return re.findall('href="/calls/([^"]+)"', page)


def part(page: str, begin: str, end: str) -> str:
    """Return a part of the page."""
    return page.partition(begin)[2].partition(end)[0]


async def test_a_call_notes_a_rule_that_only_reports(bank: tuple[Person, Api]) -> None:
    person, api = bank
    (rule, *_others) = (await api.json("GET", "/rules"))["rules"]
    paid, looked = (await calls_of(api))["pay 20"], (await calls_of(api))["look"]
    report = {"rule": rule["id"], "then": "ask", "instead_of": "run"}
    assert (await api.json("GET", f"/calls/{paid}"))["reports"] == [report]
    assert "reports" not in await api.json("GET", f"/calls/{looked}")
    assert f"/rules#rule-{rule['id']}" in await person.page(f"/calls/{paid}")


async def test_the_page_links_the_calls_of_which_a_rule_reports(bank: tuple[Person, Api]) -> None:
    person, api = bank
    ids = await calls_of(api)
    shown = await person.page("/rules")
    assert linked(part(shown, 'class="preview rule-report"', "</details>")) == [ids["pay 200"], ids["pay 20"]]
    assert shown.count("rule-report") == 1


@pytest.mark.parametrize(
    ("fields", "fitting"),
    [
        ({"tool": "pay"}, ["pay 200", "pay 20"]),
        ({"hint": "read_only"}, ["look"]),
        ({"condition": '{"required": ["amount"], "properties": {"amount": {"minimum": 100}}}'}, ["pay 200"]),
        ({"tool": "nothing"}, []),
    ],
)
async def test_a_new_rule_is_tried_on_the_newest_calls(
    bank: tuple[Person, Api], fields: Json, fitting: list[str]
) -> None:
    person, api = bank
    before, ids = await api.json("GET", "/rules"), await calls_of(api)
    shown = (await person.submit("/rules", 200, **{"then": "ask", "try": "1"} | fields)).text
    assert linked(part(shown, 'id="trial"', '<p class="buttons">')) == [ids[each] for each in fitting]
    assert await api.json("GET", "/rules") == before


async def test_a_rule_for_a_past_call_is_tried_at_once(bank: tuple[Person, Api]) -> None:
    person, api = bank
    shown = await person.page("/rules?tool=look")
    assert linked(part(shown, 'id="trial"', '<p class="buttons">')) == [(await calls_of(api))["look"]]
    assert 'id="trial"' not in await person.page("/rules")


async def test_a_new_rule_only_reports_for_a_week(bank: tuple[Person, Api]) -> None:
    person, api = bank
    await person.submit("/rules", then="refuse", tool="drop", begins="in_a_week")
    (rule, *_others) = (await api.json("GET", "/rules"))["rules"]
    assert rule["report_only"] is True
    assert now() + timedelta(days=6) < datetime.fromisoformat(rule["counts_from"]) < now() + timedelta(days=8)
    await person.submit(f"/rules/{rule['id']}/count")
    (rule, *_others) = (await api.json("GET", "/rules"))["rules"]
    assert (rule["tool"], rule["then"]) == ("drop", "refuse")
    assert not rule.keys() & {"report_only", "counts_from"}
    assert f"/rules/{rule['id']}/count" not in await person.page("/rules")
