"""The history in a browser: looked through, searched, filtered, downloaded; with and without JavaScript."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import Browser, expect

from tests.browser.axe import complaints
from tests.browser.person import Person

pytestmark = pytest.mark.anyio


async def _answered(person: Person, asker: str, message: str, action: str) -> str:
    request = await person.ask(asker, message)
    await person.api.answer(request, action=action, content={"name": "Ada"} if action == "accept" else None)
    return str(request["id"])


async def test_a_person_searches_filters_unfolds_and_downloads(person: Person, asker: str, tmp_path: Path) -> None:
    page = person.page
    answered = await _answered(person, asker, "Oolong or coffee?", "accept")
    declined = await _answered(person, asker, "Oolong or cake?", "decline")
    await page.get_by_role("link", name="History", exact=True).click()
    await page.get_by_label("Search").fill("OOLONG")
    await page.get_by_label("Search").press("Enter")
    await expect(page.locator(".entries[aria-labelledby] > .entry")).to_have_count(2)
    await page.get_by_role("link", name="Questions", exact=True).click()
    await expect(page.locator(".entry")).to_have_count(2)
    await page.get_by_text("Filter", exact=True).click()
    await page.get_by_label("Outcome").select_option("accepted")
    await page.get_by_label("Server", exact=True).select_option(asker)
    await page.get_by_role("button", name="Apply").click()
    entry = page.locator(f"#entry-{answered}")
    await expect(page.locator(".entry")).to_have_count(1)
    await expect(page.get_by_label("Outcome")).to_have_value("accepted")
    await entry.locator("summary").first.click()
    await expect(entry).to_contain_text('"name": "Ada"')
    await expect(entry).to_contain_text("Answered")
    async with page.expect_download() as started:
        await page.get_by_role("link", name="Download as JSON Lines").click()
    await (await started.value).save_as(tmp_path / "history.jsonl")
    [line] = (tmp_path / "history.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["id"] == answered
    await page.get_by_role("link", name="Clear filters").click()
    await expect(page.locator(f"#entry-{declined}")).to_be_attached()
    await page.locator(f".entry:has(#entry-{declined}) > summary").click()
    await page.locator(f"#entry-{declined} > summary").click()
    await page.get_by_role("link", name="Open question").locator("visible=true").click()
    await expect(page).to_have_url(f"{person.served.base}/requests/{declined}")
    await expect(page.locator(f"#outcome-{declined}")).to_be_visible()


async def test_an_open_search_says_that_a_new_entry_matches(person: Person, asker: str) -> None:
    await person.page.goto(f"{person.served.base}/history?q=fresh&type=request")
    await person.live()
    news = person.page.locator("#history-news")
    await expect(news).to_be_empty()
    entries = person.page.get_by_text("No matches for “fresh”.")
    where = await entries.bounding_box()
    await _answered(person, asker, "Something else?", "decline")
    first = await _answered(person, asker, "Fresh bread?", "accept")
    await expect(news).to_contain_text("1 new entry.")
    assert await entries.bounding_box() == where
    second = await _answered(person, asker, "Fresh milk & eggs?", "decline")
    await expect(news).to_contain_text("2 new entries.")
    await expect(person.page.locator(f"#entry-{first}")).to_have_count(0)
    assert await complaints(person.page) == []
    await news.get_by_role("link", name="Show new entries").click()
    await expect(person.page.locator(f"#entry-{second}")).to_be_visible()
    await expect(person.page.locator(f"#entry-{first}")).to_be_visible()
    await expect(person.page.get_by_label("Search")).to_have_value("fresh")
    await expect(news).to_be_empty()


async def test_days_and_times_are_those_of_the_person(chromium: Browser, person: Person, asker: str) -> None:
    answered = await _answered(person, asker, "When?", "decline")
    context = await chromium.new_context(timezone_id="Pacific/Kiritimati")
    there = Person(await context.new_page(), person.served, person.api)
    await there.sign_in()
    await there.page.goto(f"{person.served.base}/history?type=request&q=when")
    time = there.page.locator(f"#entry-{answered} summary time")
    settled = datetime.fromisoformat(await time.get_attribute("datetime") or "").astimezone(
        ZoneInfo("Pacific/Kiritimati")
    )
    await expect(time).to_have_text(settled.strftime("%H:%M:%S"))
    await expect(time).to_have_attribute("title", re.compile("UTC$"))
    await expect(there.page.locator(".entries__day").first).to_contain_text(settled.strftime("%b %-d, %Y"))
    day = settled.date()
    for first, found in ((day, 1), (day + timedelta(days=1), 0)):
        await there.page.goto(f"{person.served.base}/history?type=request&q=when&from={first}")
        await expect(there.page.locator(f"#entry-{answered}")).to_have_count(found)
    await context.close()


async def test_axe_finds_nothing_to_complain_of(person: Person, asker: str) -> None:
    await _answered(person, asker, "A long story. " * 100, "accept")
    await person.page.goto(f"{person.served.base}/history?from=yesterday")
    await expect(person.page.get_by_role("alert").get_by_text("is not a date")).to_be_visible()
    assert await complaints(person.page) == []
    await person.page.goto(f"{person.served.base}/history")
    assert await complaints(person.page) == []
    wider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    await person.page.set_viewport_size({"width": 390, "height": 900})
    assert not await person.page.evaluate(wider)


async def test_the_history_works_without_javascript(plain: Person, asker: str) -> None:
    request_id = await _answered(plain, asker, "Without scripts?", "decline")
    page = plain.page
    await page.goto(f"{plain.served.base}/history")
    await page.get_by_label("Search").fill("without scripts")
    await page.get_by_role("button", name="Search").click()
    await page.locator(f".entry:has(#entry-{request_id}) > summary").click()
    entry = page.locator(f"#entry-{request_id}")
    await entry.locator("summary").first.click()
    await expect(entry).to_contain_text("Declined")
