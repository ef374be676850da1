"""Approvals in a browser: read, change, decide, and allow what an agent may run from then on."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.axe import complaints
from tests.browser.person import Person
from tests.gateway.agents import connected, token
from tests.gateway.houses import open_requests
from tests.mcp_servers import entry
from tests.mcp_servers.counting import runs
from tests.program import program

pytestmark = pytest.mark.anyio

PAY = {"to": "DE12", "amount": 250}


async def test_an_agent_runs_what_the_person_has_changed_and_allowed(tmp_path: Path, chromium: Browser) -> None:
    servers = {"bank": entry("counting", str(tmp_path / "runs"))}
    async with (
        program(tmp_path, servers=servers) as served,
        served.client() as api,
        await chromium.new_context(reduced_motion="reduce") as context,
        asyncio.TaskGroup() as tasks,
    ):
        await api.server("bank")
        await api.json("PUT", "/rules", json={"rules": [{"tool": "pay", "then": "ask"}]})
        person = Person(await context.new_page(), served, api)
        await person.sign_in()
        await person.live()
        async with connected(served.base, await token(api, patience=60), "bank") as agent:
            calling = tasks.create_task(agent.call_tool("pay", PAY))
            (request,) = await open_requests(api)
            card = person.card(request)
            await expect(card).to_be_visible()
            await card.get_by_text("Change the arguments").click()
            await card.get_by_label("Amount").fill("25")
            await card.get_by_text("Approve, and ask less").click()
            # It unfolds what is folded.
            assert await complaints(person.page) == []
            await card.get_by_role("button", name="Allow this tool for an hour").click()
            await calling
            await expect(person.page.locator(f"#outcome-{request['id']}")).to_be_visible()
            # A rule lets the next one run.
            await agent.call_tool("pay", PAY | {"amount": 7})
        await person.page.goto(f"{served.base}/rules")
        assert await complaints(person.page) == []
        await expect(person.page.locator("[id^=rule-]").filter(has_text="pay")).to_have_count(2)
        assert [arguments["amount"] for _tool, arguments in runs(tmp_path / "runs")] == [25, 7]
        assert json.dumps((await api.json("GET", "/rules"))["rules"][0]["then"]) == '"run"'
        assert person.complaints == []
