"""Suggestions while the arguments of a prompt are typed, with keys and pointer; typing never waits for them."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.person import Person

pytestmark = pytest.mark.anyio


async def test_values_are_suggested_chosen_and_never_in_the_way(person: Person, asker: str) -> None:
    page = person.page
    await page.goto(f"{person.served.base}/servers/{await person.api.server(asker)}/prompts/itinerary")
    country, city = page.get_by_label("country"), page.get_by_label("city")
    options = page.get_by_role("option")
    await country.press_sequentially("pe")
    await expect(options).to_have_text(["Peru"])
    await expect(country).to_have_attribute("aria-expanded", "true")
    await country.press("ArrowDown")
    await expect(country).to_have_attribute("aria-activedescendant", await options.first.get_attribute("id") or "")
    await country.press("Enter")
    await expect(country).to_have_value("Peru")
    await expect(options).to_have_count(0)
    await city.press("ArrowDown")
    await expect(options).to_have_count(3)
    await expect(options.last).to_have_text("<b>Lima⟦U+202E⟧</b>")
    await city.press("Escape")
    await expect(options).to_have_count(0)
    await expect(city).to_be_focused()
    await city.press_sequentially("l")
    await options.filter(has_text="Lima").first.click()
    await expect(city).to_have_value("Lima")
    await country.fill("many")
    await expect(options).to_have_count(100)
    await expect(page.locator(".suggestions__more")).to_be_visible()
    await country.fill("slow")
    await country.press_sequentially(" but typed on")
    await expect(options).to_have_count(0)
    await page.route("**/complete", lambda route: route.abort())
    await country.fill("Peru")
    await expect(page.locator("#problem")).to_be_empty()
    await city.press("Enter")
    assert (await person.result_here())["messages"][0]["content"]["text"] == "A week in Lima, Peru"
    person.complaints.clear()  # the browser reports the request that was aborted
