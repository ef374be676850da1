"""Approvals in a browser when something goes wrong: two tabs, a double click, and arguments of a megabyte."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from mcp import Client
from mcp.types import CallToolResult
from playwright.async_api import Browser, BrowserContext, Route, expect

from tests.browser.person import Person
from tests.gateway.agents import connected, token
from tests.gateway.houses import open_requests
from tests.gateway.test_approvals import ASK, PAY, bank, ran, text
from tests.program import Api, Program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

MOST_BYTES = 3_000_000
"""Bytes of a page with the largest question, which has it as text and in fields."""

POST_TWICE = """async (form) => {
    const body = new URLSearchParams([...new FormData(form), ["action", "accept"]])
    const post = () => fetch(form.getAttribute("action"), {method: "POST", body})
    return (await Promise.all([post(), post()])).map((response) => response.status)
}"""


@dataclass
class Bank:
    """A running program with the server that counts what it ran."""

    served: Program
    api: Api
    folder: Path


@pytest.fixture(scope="module")
async def house(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bank]:  # noqa: ARG001
    """The bank of all tests here, whose rule asks a person before each payment."""
    folder = tmp_path_factory.mktemp("bank")
    async with bank(folder, ASK) as (served, api):
        yield Bank(served, api, folder)


@dataclass
class Agent:
    """An agent that proposes payments, and its person, who has a tab."""

    bank: Bank
    client: Client
    person: Person
    context: BrowserContext

    async def propose(self, arguments: Json = PAY) -> Proposed:
        """Propose a payment, and have its card opened."""
        before = len(ran(self.bank.folder))
        calling = asyncio.create_task(self.client.call_tool("pay", arguments))
        (request,) = await open_requests(self.bank.api)
        await self.person.page.goto(f"{self.bank.served.base}/requests/{request['id']}")
        await self.person.live()
        return Proposed(self, request, calling, before)


@dataclass
class Proposed:
    """A payment that waits for its person, and how many ran before it."""

    agent: Agent
    request: Json
    calling: asyncio.Task[CallToolResult]
    before: int

    async def another_tab(self, *, stream: bool = True) -> Person:
        """Open the card in another tab of the same person; without the stream it does not follow."""
        agent = self.agent
        other = Person(await agent.context.new_page(), agent.bank.served, agent.bank.api)
        if not stream:
            await other.page.route("**/stream*", lambda route: route.abort())
        await other.page.goto(f"{agent.bank.served.base}/requests/{self.request['id']}")
        if stream:
            await other.live()
        return other

    async def decide(self, who: Person, action: str) -> None:
        """Read the card, and press one of its buttons."""
        await who.read(self.request)
        await who.press(who.card(self.request), action)

    async def state(self) -> str:
        """Return the state of the question."""
        return str((await self.agent.bank.api.json("GET", f"/requests/{self.request['id']}"))["state"])

    def ran(self) -> list[tuple[str, Json]]:
        """Return what has run since it was proposed."""
        return ran(self.agent.bank.folder)[self.before :]


@pytest.fixture
async def agent(house: Bank, chromium: Browser) -> AsyncIterator[Agent]:
    """An agent, and its person, who is signed in."""
    async with (
        connected(house.served.base, await token(house.api, patience=60), "bank") as client,
        await chromium.new_context(reduced_motion="reduce") as context,
    ):
        person = Person(await context.new_page(), house.served, house.api)
        await person.sign_in()
        yield Agent(house, client, person, context)
        assert person.complaints == []


async def test_two_clicks_or_two_equal_posts_run_the_call_once(agent: Agent) -> None:
    person = agent.person
    it = await agent.propose()
    clicked = asyncio.Event()

    async def late(route: Route) -> None:
        await clicked.wait()
        await route.continue_()

    # The first click is still on its way to the program when the second one comes.
    await person.page.route(f"**/requests/{it.request['id']}", late)
    await person.read(it.request)
    await person.card(it.request).locator("button[name=action][value=accept]").dblclick()
    clicked.set()
    assert text(await it.calling).startswith("Paid")
    await person.settled(it.request)
    assert (await it.state(), it.ran()) == ("accepted", [("pay", PAY)])

    # As a double click without JavaScript, or a browser that sends a form again.
    it = await agent.propose()
    await person.read(it.request)
    form = person.card(it.request).locator("form:has(button[value=accept])").first
    assert sorted(await form.evaluate(POST_TWICE)) == [200, 409]
    assert text(await it.calling).startswith("Paid")
    assert (await it.state(), it.ran()) == ("accepted", [("pay", PAY)])


async def test_the_first_of_three_tabs_decides_and_the_others_see_it(agent: Agent) -> None:
    """One of them follows, the other has lost its stream."""
    for first, then in (("accept", "decline"), ("decline", "accept")):
        it = await agent.propose()
        following, lost = await it.another_tab(), await it.another_tab(stream=False)
        await it.decide(agent.person, first)
        result = await it.calling
        assert await it.state() == ("accepted" if first == "accept" else "declined")
        await expect(following.outcome(it.request)).to_have_attribute("data-state", await it.state())
        await expect(following.card(it.request).locator("button[name=action]")).to_have_count(0)
        # It still shows the card as it was.
        await it.decide(lost, then)
        await expect(lost.outcome(it.request).get_by_role("alert")).to_be_visible()
        await expect(lost.outcome(it.request)).to_have_attribute("data-state", await it.state())
        assert await it.state() == ("accepted" if first == "accept" else "declined")
        assert result.is_error == (first == "decline")
        assert it.ran() == ([("pay", PAY)] if first == "accept" else [])
        for tab in (following, lost):
            await tab.page.close()


async def test_the_largest_arguments_are_shown_and_larger_ones_refused(agent: Agent) -> None:
    """Nothing runs that was not shown, at the end of a quarter of a megabyte neither."""
    large = {"to": "pay " * 20_000 + "END", "amount": 1, "list": [*range(8_000), "END"]}
    many = {f"key {n}": "value" for n in range(5_000)}
    it = await agent.propose(large | many | {"last": "END"})
    page, card = agent.person.page, agent.person.card(it.request)
    approve = card.locator("button[name=action][value=accept]")
    response = await page.reload()
    assert response
    assert len(await response.body()) < MOST_BYTES
    await agent.person.live()
    for width in (1280, 390):
        await page.set_viewport_size({"width": width, "height": 900})
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
    await card.evaluate("card => card.querySelectorAll('details:not(.folded-form)').forEach(each => each.open = true)")
    assert await card.locator("dl.pairs .lines", has_text="END").count() == 3
    await expect(card.locator("dl.pairs").get_by_text("END", exact=True)).to_be_visible()
    await agent.person.read(it.request)
    await approve.click()
    await agent.person.settled(it.request)
    assert text(await it.calling).startswith("Paid")

    refused = await agent.client.call_tool("pay", PAY | {"to": "x" * 1_000_000})
    assert refused.is_error
    assert "max_question_bytes" in text(refused)
    assert (await agent.bank.api.json("GET", "/requests", params={"state": "pending"}))["requests"] == []
    assert len(it.ran()) == 1
