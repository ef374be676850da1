"""Approvals in a browser when something goes wrong: two tabs, a double click, and arguments of a megabyte."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from mcp.types import CallToolResult
from playwright.async_api import Browser, BrowserContext, Route, expect

from tests.browser.person import Person
from tests.gateway.agents import connected, token
from tests.gateway.houses import open_requests
from tests.gateway.test_approvals import ASK, PAY, bank, ran, text
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
class Proposed:
    """A payment that waits for its person, who has the card in a tab."""

    request: Json
    calling: asyncio.Task[CallToolResult]
    first: Person
    context: BrowserContext

    async def second_tab(self, *, stream: bool = True) -> Person:
        """Open the card in another tab of the same person; without the stream it does not follow."""
        second = Person(await self.context.new_page(), self.first.served, self.first.api)
        if not stream:
            await second.page.route("**/stream*", lambda route: route.abort())
        await second.page.goto(f"{self.first.served.base}/requests/{self.request['id']}")
        if stream:
            await second.live()
        return second

    async def decide(self, who: Person, action: str) -> None:
        """Read the card, and press one of its buttons."""
        await who.read(self.request)
        await who.press(who.card(self.request), action)

    async def state(self) -> str:
        """Return the state of the question."""
        return str((await self.first.api.json("GET", f"/requests/{self.request['id']}"))["state"])


@asynccontextmanager
async def proposed(folder: Path, chromium: Browser, arguments: Json = PAY) -> AsyncIterator[Proposed]:
    """Have an agent propose a payment, and open its card."""
    async with (
        bank(folder, ASK) as (running, api),
        connected(running.base, await token(api, patience=60), "bank") as agent,
        await chromium.new_context(reduced_motion="reduce") as context,
        asyncio.TaskGroup() as tasks,
    ):
        calling = tasks.create_task(agent.call_tool("pay", arguments))
        (request,) = await open_requests(api)
        person = Person(await context.new_page(), running, api)
        await person.sign_in()
        await person.page.goto(f"{running.base}/requests/{request['id']}")
        await person.live()
        yield Proposed(request, calling, person, context)
        assert person.complaints == []


async def test_a_double_click_on_approve_runs_the_call_once(tmp_path: Path, chromium: Browser) -> None:
    """The first click is still on its way to the program when the second one comes."""
    async with proposed(tmp_path, chromium) as it:
        clicked = asyncio.Event()

        async def late(route: Route) -> None:
            await clicked.wait()
            await route.continue_()

        await it.first.page.route(f"**/requests/{it.request['id']}", late)
        await it.first.read(it.request)
        await it.first.card(it.request).locator("button[name=action][value=accept]").dblclick()
        clicked.set()
        assert text(await it.calling).startswith("Paid")
        await it.first.settled(it.request)
        assert (await it.state(), ran(tmp_path)) == ("accepted", [("pay", PAY)])


async def test_two_equal_posts_of_a_card_run_the_call_once(tmp_path: Path, chromium: Browser) -> None:
    """As a double click without JavaScript, or a browser that sends a form again."""
    async with proposed(tmp_path, chromium) as it:
        await it.first.read(it.request)
        form = it.first.card(it.request).locator("form:has(button[value=accept])").first
        assert sorted(await form.evaluate(POST_TWICE)) == [200, 409]
        assert text(await it.calling).startswith("Paid")
        assert (await it.state(), ran(tmp_path)) == ("accepted", [("pay", PAY)])


@pytest.mark.parametrize("first", ["accept", "decline"])
async def test_the_first_of_two_tabs_decides_and_the_other_sees_it(
    tmp_path: Path, chromium: Browser, first: str
) -> None:
    async with proposed(tmp_path, chromium) as it:
        second = await it.second_tab()
        await it.decide(it.first, first)
        result = await it.calling
        await expect(second.outcome(it.request)).to_have_attribute("data-state", await it.state())
        await expect(second.card(it.request).locator("button[name=action]")).to_have_count(0)
        assert result.is_error == (first == "decline")
        assert ran(tmp_path) == ([("pay", PAY)] if first == "accept" else [])


@pytest.mark.parametrize(("first", "then"), [("accept", "decline"), ("decline", "accept")])
async def test_a_tab_without_its_stream_sees_what_was_decided(
    tmp_path: Path, chromium: Browser, first: str, then: str
) -> None:
    async with proposed(tmp_path, chromium) as it:
        second = await it.second_tab(stream=False)
        await it.decide(it.first, first)
        result = await it.calling
        # It still shows the card as it was.
        await it.decide(second, then)
        await expect(second.outcome(it.request).get_by_role("alert")).to_be_visible()
        await expect(second.outcome(it.request)).to_have_attribute("data-state", await it.state())
        assert await it.state() == ("accepted" if first == "accept" else "declined")
        assert result.is_error == (first == "decline")
        assert ran(tmp_path) == ([("pay", PAY)] if first == "accept" else [])


async def test_arguments_of_a_megabyte_are_refused_in_a_sentence(tmp_path: Path) -> None:
    async with (
        bank(tmp_path, ASK) as (running, api),
        connected(running.base, await token(api, patience=60), "bank") as agent,
    ):
        result = await agent.call_tool("pay", PAY | {"to": "x" * 1_000_000})
        assert result.is_error
        assert "max_question_bytes" in text(result)
        assert (await api.json("GET", "/requests", params={"state": "pending"}))["requests"] == []
        assert ran(tmp_path) == []


async def test_the_largest_arguments_are_shown_to_their_end(tmp_path: Path, chromium: Browser) -> None:
    """Nothing runs that was not shown, at the end of a quarter of a megabyte neither."""
    large = {"to": "pay " * 20_000 + "END", "amount": 1, "list": [*range(8_000), "END"]}
    many = {f"key {n}": "value" for n in range(5_000)}
    async with proposed(tmp_path, chromium, large | many | {"last": "END"}) as it:
        page, card = it.first.page, it.first.card(it.request)
        approve = card.locator("button[name=action][value=accept]")
        response = await page.reload()
        assert response
        assert len(await response.body()) < MOST_BYTES
        await it.first.live()
        for width in (1280, 390):
            await page.set_viewport_size({"width": width, "height": 900})
            assert await page.evaluate("document.documentElement.scrollWidth") <= width
        await card.evaluate(
            "card => card.querySelectorAll('details:not(.folded-form)').forEach(each => each.open = true)"
        )
        assert await card.locator("dl.pairs .lines", has_text="END").count() == 3
        await expect(card.locator("dl.pairs").get_by_text("END", exact=True)).to_be_visible()
        await it.first.read(it.request)
        await approve.click()
        await it.first.settled(it.request)
        assert text(await it.calling).startswith("Paid")
