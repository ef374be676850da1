"""A form of many fields comes in sections that can be folded; none of it is ever out of reach (point 47)."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, expect

from tests.browser.axe import WIDTHS, complaints
from tests.browser.keyboard import Keyboard
from tests.browser.person import Person
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

COUNT = 500
SCHEMA: Json = {
    "type": "object",
    "properties": {f"n{n}": {"type": "integer", "title": f"Number {n}"} for n in range(COUNT)},
    "required": ["n3", f"n{COUNT - 1}"],
}
SHORT: Json = {**SCHEMA, "properties": dict(list(SCHEMA["properties"].items())[:45]), "required": ["n3"]}


def _section(card: Locator, first: int) -> Locator:
    return card.locator("summary").filter(has_text=f"Fields {first} to")


async def test_point_47_the_last_of_five_hundred_fields_is_sent(person: Person, asker: str) -> None:
    request = await person.ask(asker, "All of them?", schema=SCHEMA)
    await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    card = person.card(request)
    await card.get_by_label("Number 3", exact=True).fill("3")
    await card.get_by_label("Number 499", exact=True).fill("499")
    await person.press(card, "accept")
    await expect(person.outcome(request)).to_contain_text('"n499": 499')


async def test_folded_fields_are_sent_and_unfold_for_errors(person: Person, asker: str) -> None:
    """They are folded by keyboard too, and axe finds nothing in them."""
    request = await person.ask(asker, "Folded?", schema=SHORT)
    page, card, keyboard = person.page, person.card(request), Keyboard(person.page)
    await page.goto(f"{person.served.base}/requests/{request['id']}")
    await person.live()
    assert await complaints(page) == []
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": 900})
        assert await keyboard.walk() == []
    await card.get_by_label("Number 44", exact=True).fill("many")
    await keyboard.go_to(_section(card, 1))
    await keyboard.press("Enter")
    await expect(card.get_by_label("Number 0", exact=True)).to_be_hidden()
    assert await complaints(page, unfold="none") == []
    await keyboard.press("Tab")
    await expect(_section(card, 21)).to_be_focused()
    for first in (21, 41):
        await _section(card, first).click()
        await expect(card.get_by_label(f"Number {first}", exact=True)).to_be_hidden()
    await person.press(card, "accept")
    links = card.get_by_role("alert").get_by_role("link")
    await expect(links).to_have_text(["Number 3", "Number 44"])
    await _section(card, 1).click()
    await links.first.click()
    await expect(card.get_by_label("Number 3", exact=True)).to_be_focused()
    await card.get_by_label("Number 3", exact=True).fill("3")
    await card.get_by_label("Number 44", exact=True).fill("44")
    await person.press(card, "accept")
    await expect(person.outcome(request)).to_contain_text('"n44": 44')


async def test_without_javascript_every_field_can_be_filled_in(plain: Person, asker: str) -> None:
    request = await plain.ask(asker, "Plain?", schema=SHORT)
    await plain.page.goto(f"{plain.served.base}/requests/{request['id']}")
    card = plain.card(request)
    await card.get_by_label("Number 3", exact=True).fill("3")
    await card.get_by_label("Number 44", exact=True).fill("44")
    await _section(card, 21).click()
    await plain.press(card, "accept")
    await expect(plain.outcome(request)).to_contain_text('"n44": 44')
