"""Arguments that nest are filled in as groups, lists and maps, with and without JavaScript; nothing typed is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.browser.person import Person, open_preview, switch_to

pytestmark = pytest.mark.anyio

ORDER = {
    "customer": "ACME",
    "items": [{"article": "Chair", "amount": 2}, {"article": "Desk", "amount": 1}],
    "labels": {"colour": "red"},
}


async def _open(person: Person, asker: str) -> Page:
    await person.page.goto(f"{person.served.base}/servers/{await person.api.server(asker)}")
    await person.open_tool("order")
    return person.page


async def _fill(page: Page) -> None:
    await page.get_by_label("Customer").fill("ACME")
    await page.get_by_label("Article").fill("Chair")
    await page.get_by_label("Amount").fill("2")
    await page.get_by_role("button", name="Add to “Items”").click()
    await expect(page.get_by_label("Article")).to_have_count(2)
    await page.get_by_label("Article").last.fill("Desk")
    await page.get_by_role("button", name="Add to “Labels”").click()
    await page.get_by_role("group", name="Value 1").get_by_label("Name").fill("colour")
    await page.get_by_role("textbox", name="Value 1").fill("red")


async def _received(person: Person) -> Any:
    return json.loads((await person.result_here())["content"][0]["text"])


async def test_nested_arguments_are_mended_become_json_and_arrive(writer: Person, asker: str) -> None:
    page = await _open(writer, asker)
    await _fill(page)
    await page.get_by_role("button", name="Add to “Items”").click()
    await expect(page.get_by_label("Article")).to_have_count(3)
    await page.get_by_role("button", name="Remove Entry 3").click()
    await expect(page.get_by_label("Article")).to_have_count(2)
    # A wrong entry comes back with its error and all else.
    await page.get_by_label("Article").last.fill("D")
    await page.get_by_label("Customer").press("Enter")
    await page.get_by_role("link", name="Items › Entry 2 › Article").click()
    await expect(page.get_by_label("Article").last).to_be_focused()
    await page.get_by_label("Article").last.fill("Desk")
    # Fields become JSON, and JSON becomes fields.
    order = writer.tool("order")
    await switch_to(order, "json")
    editor = order.get_by_label("Arguments, as JSON")
    assert json.loads(await editor.input_value()) == ORDER
    await editor.fill(json.dumps({**ORDER, "bill_to": {"street": "Main 1", "extra": True}}))
    await switch_to(order, "form")
    await expect(order.get_by_label("Article")).to_have_count(2)
    # the fields of this group have no place for what is extra
    await expect(order.get_by_label("bill_to")).to_have_value('{\n  "street": "Main 1",\n  "extra": true\n}')
    await order.get_by_label("bill_to").fill('{"street": "Main 1"}')
    await order.get_by_role("button", name="Edit “bill_to” as fields").click()
    await expect(order.get_by_label("Street")).to_have_value("Main 1")
    await order.get_by_role("button", name="Run", exact=True).click()
    assert await _received(writer) == {**ORDER, "bill_to": {"street": "Main 1"}}


async def test_scripts_announce_preview_and_take_errors_away(person: Person, asker: str) -> None:
    page = await _open(person, asker)
    await page.get_by_role("button", name="Add to “Items”").press("Enter")
    await expect(page.get_by_label("Article").last).to_be_focused()
    await expect(page.locator("#announce")).to_contain_text("Entry 2 was added.")
    await page.get_by_role("button", name="Remove Entry 2").press("Enter")
    await expect(page.get_by_role("button", name="Add to “Items”")).to_be_focused()
    await expect(page.locator("#announce")).to_contain_text("Entry 2 was removed.")
    await _fill(page)
    order = person.tool("order")
    preview = order.locator("[hx-trigger^=refresh]")
    await open_preview(order)
    await expect(preview).to_contain_text('"colour": "red"')
    await page.get_by_role("textbox", name="Value 1").fill("blue")
    await expect(preview).to_contain_text('"colour": "blue"')
    await expect(preview).to_contain_text("bill_to")
    # An error goes once it is mended, and Ctrl+Enter runs.
    amount, wrong = page.get_by_label("Amount").first, order.locator(".field__error")
    await amount.fill("two")
    await amount.press("Control+Enter")
    await expect(wrong).to_have_count(1)
    await amount.fill("2")
    await expect(wrong).to_have_count(0)
    await expect(order.get_by_role("alert")).to_have_count(0)
    await amount.press("Control+Enter")
    assert await _received(person) == {**ORDER, "labels": {"colour": "blue"}}
