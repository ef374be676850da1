"""A disk that is full, as a person at a page sees it: nothing typed is lost, and it is said what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.axe import complaints
from tests.browser.person import Person
from tests.disk import small_disk
from tests.mcp_servers import running
from tests.program import program

pytestmark = pytest.mark.anyio


async def test_a_page_keeps_typed_text_while_the_disk_is_full(tmp_path: Path, chromium: Browser) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    with small_disk(data, "quota") as disk:
        async with (
            running() as asker,
            program(tmp_path, servers={"it": {"url": asker.address, "era": "2025-11-25"}}) as served,
            served.client() as api,
        ):
            context = await chromium.new_context(reduced_motion="reduce")
            person = Person(await context.new_page(), served, api)
            await person.sign_in()
            await person.live()
            request = await person.ask("it", "Who are you?")
            card = person.card(request)
            disk.fill(served.pid)
            await card.get_by_label("Name", exact=True).fill("Ada")
            await person.press(card, "accept")
            await expect(person.not_sent(request)).to_contain_text("Your answer was not stored, so it was not sent")
            banner = person.page.locator("#storage")
            await expect(banner).to_contain_text("Nothing can be stored now")
            await expect(card.get_by_label("Name", exact=True)).to_have_value("Ada")
            await expect(card).to_contain_text("Couldn't save the draft.")
            assert await complaints(person.page) == []
            disk.free(served.pid)
            await expect(banner).to_be_empty()
            await person.not_sent(request).get_by_role("button", name="Try again").click()
            await person.settled(request)
            await context.close()
