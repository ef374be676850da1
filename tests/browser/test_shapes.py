"""A choice at the root of a form: an option, then its fields, with and without JavaScript; nothing typed is lost."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp.types import TextContent
from playwright.async_api import Browser, expect

from tests.browser.axe import complaints
from tests.browser.person import Person, open_preview, switch_to
from tests.gateway.agents import connected, token
from tests.gateway.houses import open_requests
from tests.mcp_servers import entry
from tests.program import program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

DECISION = {
    "oneOf": [
        {"title": "Approve", "properties": {"type": {"const": "approve"}}, "required": ["type"]},
        {
            "title": "Approve with changes",
            "description": "Runs the call with other arguments.",
            "properties": {
                "type": {"const": "edit"},
                "args": {"type": "object", "properties": {"to": {"type": "string"}, "amount": {"type": "number"}}},
            },
            "required": ["type", "args"],
        },
        {
            "title": "Reject",
            "properties": {"type": {"const": "reject"}, "message": {"type": "string", "title": "Why", "minLength": 3}},
            "required": ["type", "message"],
        },
    ]
}


async def _new_request(person: Person) -> Json:
    body = {"kind": "form", "message": "Refund order 4711?", "requestedSchema": DECISION, "label": "billing"}
    request: Json = await person.api.json("POST", "/requests", 201, json=body)
    await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    return request


async def _content(person: Person, request: Json) -> Json:
    answered: Json = await person.api.json("GET", f"/requests/{request['id']}", params={"wait": 30})
    content: Json = answered["content"]
    return content


async def test_an_option_is_chosen_and_its_fields_are_filled_in(writer: Person) -> None:
    request = await _new_request(writer)
    card = writer.card(request)
    await expect(card.get_by_label("Why")).to_be_hidden()
    await card.get_by_role("radio", name="Reject").check()
    await expect(card.get_by_label("amount")).to_be_hidden()
    assert not writer.scripts or await complaints(writer.page) == []
    await card.get_by_label("Why").fill("no")
    await writer.press(card, "accept")
    wrong = card.locator(".field__error")
    await expect(wrong).to_have_count(1)
    await card.get_by_role("link", name="Why").click()
    await expect(card.get_by_label("Why")).to_be_focused()
    await card.get_by_label("Why").fill("Not today")
    await writer.press(card, "accept")
    assert await _content(writer, request) == {"type": "reject", "message": "Not today"}


async def test_without_a_choice_nothing_is_sent(writer: Person) -> None:
    request = await _new_request(writer)
    card = writer.card(request)
    await writer.press(card, "accept")
    await card.get_by_role("link", name="Choose one").click()
    await expect(card.get_by_role("radio", name="Approve", exact=True)).to_be_focused()
    await card.get_by_role("radio", name="Approve", exact=True).check()
    await writer.press(card, "accept")
    assert await _content(writer, request) == {"type": "approve"}


async def test_a_draft_keeps_the_choice_and_both_shapes(person: Person) -> None:
    request = await _new_request(person)
    card = person.card(request)
    await card.get_by_role("radio", name="Reject").check()
    await card.get_by_label("Why").fill("Too late")
    await card.get_by_role("radio", name="Approve with changes").check()
    async with person.page.expect_response(lambda response: "12.5" in (response.request.post_data or "")):
        await card.get_by_label("amount").fill("12.5")
    await person.page.reload()
    await expect(card.get_by_label("amount")).to_have_value("12.5")
    await open_preview(card)
    await expect(card.locator(".preview")).to_contain_text('"amount": 12.5')
    await expect(card.get_by_text("Fixed value")).to_have_count(0)
    await switch_to(card, "json")
    await switch_to(card, "form")
    await expect(card.get_by_role("radio", name="Approve with changes")).to_be_checked()
    await card.get_by_role("radio", name="Reject").check()
    await card.get_by_label("Why").fill("Too late")
    await person.press(card, "accept")
    assert await _content(person, request) == {"type": "reject", "message": "Too late"}


async def test_a_tool_with_a_choice_is_run_and_run_again(tmp_path: Path, chromium: Browser) -> None:
    async with _refunds(tmp_path, chromium) as person:
        page = person.page
        await page.goto(f"{person.served.base}/servers/{await person.api.server('shop')}")
        await person.live()
        await person.open_tool("Refund an order")
        pane = person.tool("Refund an order")
        await pane.get_by_label("Order").fill("4711")
        await pane.get_by_role("radio", name="To an account").check()
        await pane.get_by_label("IBAN").fill("DE1")
        assert await complaints(page) == []
        await person.run_button("Refund an order").click()
        await expect(pane.locator(".field__error")).to_have_count(1)
        await expect(pane.get_by_role("radio", name="To an account")).to_be_checked()
        await pane.get_by_label("IBAN").fill("DE12")
        await person.run_button("Refund an order").click()
        done = await person.result_here()
        assert json.loads(done["content"][0]["text"]) == {"order": 4711, "to": "account", "iban": "DE12"}
        await page.get_by_role("link", name=re.compile("Edit and run")).first.click()
        await expect(page.get_by_role("radio", name="To an account")).to_be_checked()
        await expect(page.get_by_label("IBAN")).to_have_value("DE12")
        assert person.complaints == []


async def test_an_approval_of_a_choice_can_be_changed(tmp_path: Path, chromium: Browser) -> None:
    async with _refunds(tmp_path, chromium) as person:
        await person.api.json("PUT", "/rules", json={"rules": [{"tool": "refund", "then": "ask"}]})
        async with (
            connected(person.served.base, await token(person.api, patience=60), "shop") as agent,
            asyncio.TaskGroup() as tasks,
        ):
            proposed = {"order": 4711, "to": "account", "iban": "DE12"}
            calling = tasks.create_task(agent.call_tool("refund", proposed))
            (request,) = await open_requests(person.api)
            await person.page.goto(f"{person.served.base}/requests/{request['id']}")
            card = person.card(request)
            await card.get_by_text("Change the arguments").click()
            await expect(card.get_by_role("radio", name="To an account")).to_be_checked()
            await expect(card.get_by_label("IBAN")).to_have_value("DE12")
            await card.get_by_role("radio", name="To the card").check()
            await card.get_by_label("Last digits").fill("0042")
            assert await complaints(person.page) == []
            await person.press(card, "accept")
            result = await calling
        [block] = result.content
        assert isinstance(block, TextContent)
        assert json.loads(block.text) == {"order": 4711, "to": "card", "digits": "0042"}
        assert person.complaints == []


@asynccontextmanager
async def _refunds(folder: Path, chromium: Browser) -> AsyncIterator[Person]:
    """Give a person before a server whose tool takes one of several objects."""
    async with (
        program(folder, servers={"shop": entry("choosing")}) as served,
        served.client() as api,
        await chromium.new_context(reduced_motion="reduce") as context,
    ):
        await api.server("shop")
        person = Person(await context.new_page(), served, api)
        await person.sign_in()
        yield person
