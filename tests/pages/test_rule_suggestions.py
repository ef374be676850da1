"""A rule is suggested after five approvals that came too soon to have been read, and only a click makes it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.gateway.agents import connected, token
from tests.gateway.houses import house, open_requests
from tests.mcp_servers import entry
from tests.pages.person import Person
from tests.program import Api
from webclient.content.forms import JSON_CONTROL
from webclient.domain.model import UNREAD, Json, now

pytestmark = pytest.mark.anyio

ASK = {"then": "ask"}
QUICK, SLOW = UNREAD - 500, UNREAD + 2_000


class Bank:
    """An agent, the person whom its calls ask, and the API."""

    def __init__(self, agent: Client, person: Person, api: Api) -> None:
        self.agent, self.person, self.api = agent, person, api

    async def decided(
        self, tool: str, arguments: Mapping[str, Any], after: int = QUICK, *, declined: bool = False, **fields: str
    ) -> str:
        """Have the agent call, and the person decide after so many milliseconds; return the id of the question."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.agent.call_tool(tool, dict(arguments)))
            [request] = await open_requests(self.api)
            if declined:
                await self.api.answer(request, action="decline")
            else:
                shown = str(round(now().timestamp() * 1000) - after)
                posted: dict[str, Any] = {"action": "accept", "shown": shown, JSON_CONTROL: json.dumps(arguments)}
                await self.person.submit(f"/requests/{request['id']}", **(posted | fields))
        return str(request["id"])

    async def suggests(self, request_id: str) -> bool:
        """Return whether the outcome of a question suggests a rule."""
        return f"/requests/{request_id}/rule" in await self.person.page(f"/requests/{request_id}")

    async def rules(self) -> list[Json]:
        """Return the rules."""
        found: list[Json] = (await self.api.json("GET", "/rules"))["rules"]
        return found


@asynccontextmanager
async def bank(folder: Path) -> AsyncIterator[Bank]:
    async with (
        house(folder, bank=entry("counting", str(folder / "runs"))) as (running, api),
        Person(running) as person,
        connected(running.base, await token(api, patience=60), "bank") as agent,
    ):
        yield Bank(agent, person, api)


@pytest.fixture(scope="module")
async def at_bank(
    anyio_backend: str,  # noqa: ARG001
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Bank]:
    async with bank(tmp_path_factory.mktemp("bank")) as found:
        yield found


@pytest.fixture
async def asking(at_bank: Bank) -> Bank:
    """Every call asks; what was decided in another test was for another agent's tool or is followed by a rejection."""
    await at_bank.api.json("PUT", "/rules", json={"rules": [ASK]})
    await at_bank.decided("look", {"path": "rejected"}, declined=True)
    await at_bank.decided("pay", {"to": "rejected", "amount": 1}, declined=True)
    return at_bank


async def test_five_unread_approvals_suggest_a_rule_for_a_click(asking: Bank) -> None:
    ids = [await asking.decided("look", {"path": str(number)}) for number in range(5)]
    assert [await asking.suggests(each) for each in ids] == [False] * 4 + [True]
    assert await asking.rules() == [{"id": (await asking.rules())[0]["id"], **ASK}]
    await asking.person.submit(f"/requests/{ids[-1]}/rule")
    [made, _asking] = await asking.rules()
    assert (made["then"], made["tool"], made.keys() & {"arguments", "until"}) == ("run", "look", set())
    assert made["tool_digest"]
    assert not await asking.suggests(ids[-1])
    await asking.person.submit(f"/requests/{ids[-1]}/rule")
    assert len(await asking.rules()) == 2
    await asking.agent.call_tool("look", {"path": "6"})
    assert (await asking.api.json("GET", "/requests", params={"state": "pending"}))["requests"] == []


@pytest.mark.parametrize(
    "third",
    [
        {"after": SLOW},
        {"declined": True},
        {"shown": ""},
    ],
)
async def test_a_decision_that_may_be_read_breaks_the_row(asking: Bank, third: dict[str, Any]) -> None:
    for number in range(5):
        last = await asking.decided("look", {"path": str(number)}, **(third if number == 2 else {}))
    assert not await asking.suggests(last)


async def test_a_destructive_tool_needs_the_same_arguments(asking: Bank) -> None:
    for amount in range(5):
        last = await asking.decided("pay", {"to": "DE12", "amount": amount})
    assert not await asking.suggests(last)
    for _time in range(5):
        last = await asking.decided("pay", {"to": "DE12", "amount": 9})
    await asking.person.submit(f"/requests/{last}/rule")
    made = (await asking.rules())[0]
    assert made["arguments"] == {"const": {"to": "DE12", "amount": 9}}


async def test_no_rule_is_suggested_below_one_of_administrators(asking: Bank) -> None:
    await asking.api.json("PUT", "/rules", json={"rules": [{**ASK, "everyone": True}]})
    for number in range(5):
        last = await asking.decided("look", {"path": str(number)})
    assert not await asking.suggests(last)


async def test_a_card_below_a_rule_of_administrators_suggests_none(asking: Bank) -> None:
    for everyone in (False, True):
        await asking.api.json("PUT", "/rules", json={"rules": [{**ASK, "everyone": everyone}]})
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(asking.agent.call_tool("look", {"path": f"{everyone}"}))
            [request] = await open_requests(asking.api)
            suggests = 'name="allow"' in await asking.person.page(f"/requests/{request['id']}")
            # It was opened before the administrator's rule.
            posted: dict[str, Any] = {"allow": "hour", JSON_CONTROL: '{"path": ""}'}
            await asking.person.submit(f"/requests/{request['id']}", **posted)
        assert (suggests, len(await asking.rules())) == (not everyone, 1 if everyone else 2)


async def test_the_next_question_shows_the_suggestion_before_it(asking: Bank) -> None:
    for number in range(5):
        last = await asking.decided("look", {"path": str(number)})
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(asking.agent.call_tool("look", {"path": "next"}))
        [following] = await open_requests(asking.api)
        shown = await asking.person.page(f"/requests/{following['id']}?after={last}")
        assert re.search(f'id="last-{last}".*?action="/requests/{last}/rule"', shown, re.DOTALL)
        await asking.api.answer(following, action="decline")


async def test_the_insights_name_a_rule_that_is_always_approved(asking: Bank) -> None:
    await asking.api.json("PUT", "/rules", json={"rules": [{"tool": "look", **ASK}, ASK]})
    looking, everything = await asking.rules()
    await asking.decided("look", {"path": "insight"})
    await asking.decided("pay", {"to": "insight", "amount": 1}, declined=True)
    shown = await asking.person.page("/rules/insights?days=7")
    assert f'id="waved-{looking["id"]}"' in shown
    assert f'href="/rules#rule-{looking["id"]}"' in shown
    assert everything["id"] not in shown
    found = (await asking.api.json("GET", "/rules/insights"))["rules"]
    sums = {each["rule"]: (each["requests"], each["approved"], each["unread"], each["rejected"]) for each in found}
    assert (sums[looking["id"]], sums[everything["id"]]) == ((1, 1, 1, 0), (1, 0, 0, 1))
