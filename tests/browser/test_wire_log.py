"""The wire log in a browser: unfolded on the page of a call, followed while it is seen, and without JavaScript."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.axe import complaints
from tests.browser.person import Person

pytestmark = pytest.mark.anyio


async def test_the_log_of_a_call_unfolds_and_follows(person: Person, asker: str) -> None:
    page = person.page
    request = await person.ask(asker, "May the log show this?")
    await page.goto(f"{person.served.base}/calls/{request['call_id']}")
    streams: list[str] = []
    page.on("request", lambda sent: streams.append(sent.url) if "/log" in sent.url else None)
    messages = page.locator("#wire-log-messages > li")
    await person.live()
    assert streams == []  # what is folded costs nothing
    await page.locator("#wire-log > summary").click()
    await expect(messages).to_have_count(2)
    await expect(messages.first).to_contain_text("Sent")
    await expect(messages.last).to_contain_text("Received")
    await person.api.answer(request, action="accept", content={"name": "Ada"})
    await expect(messages).to_have_count(4)
    await messages.nth(2).locator("summary").click()
    shown = json.loads(await messages.nth(2).locator("pre").inner_text())
    assert shown["result"] == {"action": "accept", "content": {"name": "Ada"}}
    await page.get_by_label("Direction").select_option("received")
    await page.locator(".wire-log__filter button").click()
    await expect(messages).to_have_count(2)
    assert page.url.endswith(f"/calls/{request['call_id']}")
    assert await complaints(page) == []


async def test_the_log_of_a_server_is_read_by_keyboard_and_saved(person: Person, asker: str, tmp_path: Path) -> None:
    page = person.page
    server_id = await person.api.server(asker)
    await page.goto(f"{person.served.base}/servers/{server_id}/log")
    messages = page.locator("#wire-log-messages > li")
    await expect(messages.first).to_be_visible()
    await messages.first.locator("summary").focus()
    await page.keyboard.press("Enter")
    await expect(messages.first.locator("pre")).to_be_visible()
    before = await messages.count()
    await person.ask(asker, "Also here?")
    await expect(messages).to_have_count(before + 2)
    await expect(messages.first.locator("pre")).to_be_visible()
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Download as JSON Lines").click()
    await (await download.value).save_as(tmp_path / "log.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text("utf-8").splitlines()]
    assert [line["number"] for line in lines] == list(range(1, len(lines) + 1))
    assert await complaints(page) == []
    # An empty log follows its server as well.
    async with page.expect_navigation():
        await page.locator("form[action$='/log/clear'] button").click()
    await expect(messages).to_have_count(0)
    await person.ask(asker, "Is this shown?", opened=False)
    await expect(messages).to_have_count(2)


async def test_the_log_is_readable_without_scripts(plain: Person, asker: str) -> None:
    page = plain.page
    request = await plain.ask(asker, "And without scripts?")
    await page.goto(f"{plain.served.base}/calls/{request['call_id']}")
    await page.locator("#wire-log > summary").click()
    await page.locator("#wire-log-body a").click()
    messages = page.locator("#wire-log-messages > li")
    await expect(messages).to_have_count(2)
    await page.get_by_label("Text").fill("without scripts")
    await page.locator(".wire-log__filter button").click()
    await page.wait_for_url(re.compile(r"q=without\+scripts"))
    await expect(messages).to_have_count(2)
    await page.get_by_label("Direction").select_option("sent")
    await page.locator(".wire-log__filter button").click()
    await expect(messages).to_have_count(1)
