"""The arguments of an earlier call, changed before they run again."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.person import Person
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

ORDER: Json = {"customer": " Ada ", "items": [{"article": "pen", "amount": 2}], "labels": {"a": "b"}}


async def test_a_call_is_edited_and_run_with_nothing_lost(person: Person, asker: str) -> None:
    page = person.page
    for arguments in (ORDER, ORDER | {"not in the form": {"deep": [1, None, "\u202e"]}}):
        call = await person.api.in_state(await person.api.call(asker, "order", arguments), "done")
        await page.goto(f"{person.served.base}/calls/{call['id']}")
        await page.get_by_role("link", name="Edit and run").click()
        await expect(person.tool("order").get_by_role("heading", name="order")).to_be_visible()
        await person.run_button("order").click()
        await expect(page.locator("[id^=call-head-]")).to_be_visible()
        again = await person.api.json("GET", f"/calls/{page.url.rpartition('/')[2]}")
        assert again["id"] != call["id"]
        assert again["arguments"] == arguments


async def test_a_call_in_the_history_is_edited_and_run(plain: Person, asker: str) -> None:
    page = plain.page
    call = await plain.api.in_state(await plain.api.call(asker, "order", ORDER), "done")
    await page.goto(f"{plain.served.base}/history")
    entry = page.locator(f"#entry-{call['id']}")
    await entry.locator("summary").first.click()
    await entry.get_by_role("link", name="Edit and run").click()
    await plain.tool("order").get_by_label("customer", exact=False).first.fill("Grace")
    await plain.run_button("order").click()
    await expect(page.locator("[id^=call-head-]")).to_be_visible()
    again = await plain.api.json("GET", f"/calls/{page.url.rpartition('/')[2]}")
    assert again["arguments"] == ORDER | {"customer": "Grace"}
