"""axe-core finds nothing to complain of: every page, every control, in each of its states."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, BrowserContext, Locator, expect

from tests.browser.axe import complaints
from tests.browser.person import Person, switch_to
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

WITHOUT_OPTIONS = "details:not(:has(.field__options))"
"""A thousand options are looked at once: they are the same in every state of their field."""

MANY = [f"Choice {n}" for n in range(1_000)]
FIELDS: Json = {
    "text": {"type": "string", "title": "Text", "description": "Words of the server. " * 40, "minLength": 3},
    "box": {"type": "string", "title": "Box", "maxLength": 500},
    "email": {"type": "string", "title": "Email", "format": "email"},
    "uri": {"type": "string", "title": "Address", "format": "uri"},
    "date": {"type": "string", "title": "Day", "format": "date"},
    "moment": {"type": "string", "title": "Moment", "format": "date-time"},
    "integer": {"type": "integer", "title": "Count", "minimum": 1},
    "number": {"type": "number", "title": "Price", "description": "In euros"},
    "boolean": {"type": "boolean", "title": "Sure"},
    "radios": {"title": "Season", "enum": ["spring", "summer", "autumn", "winter"]},
    "select": {"title": "Size", "enum": [f"Size {n}" for n in range(15)]},
    "combobox": {"title": "Choice", "enum": MANY},
    "checkboxes": {"title": "Meals", "type": "array", "items": {"enum": ["lunch", "dinner"]}, "minItems": 1},
    "scrolled": {"title": "Towns", "type": "array", "items": {"enum": MANY[:30]}, "minItems": 1},
    "lines": {"title": "Names", "type": "array", "items": {"type": "string"}, "minItems": 1},
}
BESIDE: Json = {
    "constant": {"title": "Version", "const": "v1"},
    "unfillable": {"title": "Group", "description": "More than a form can hold", "type": "object"},
    "guessed": {"title": "Anything"},
    "emptied": {"title": "Emptied", "type": "string", "default": "x"},
    "none": {"title": "None of them", "type": "array", "items": {"enum": ["one"]}, "default": ["one"]},
}
TYPED = {
    "Text": "Some text",
    "Box": "Two\nlines",
    "Email": "ada@example.com",
    "Address": "https://example.com",
    "Day": "2026-12-24",
    "Date and time": "2026-12-24T18:30",
    "Time zone": "Europe/Zurich",
    "Count": "3",
    "Price": "2.50",
    "Choice": "Choice 500",
    "Names": "Ada\nGrace",
}


def _schema(*required: str, **properties: Json) -> Json:
    return {"type": "object", "title": "A form", "properties": properties, "required": list(required)}


OPTIONAL = _schema(**FIELDS, **BESIDE)
REQUIRED = _schema(*FIELDS, **{**FIELDS, "combobox": {"title": "Choice", "enum": MANY[:30]}})
UNANSWERABLE = _schema("group", group={"type": "object"}, name={"type": "string"})
SECRET = _schema("password", password={"type": "string", "title": "Password"})
CONFIRMATION = _schema()


@pytest.fixture
async def context(chromium: Browser) -> AsyncIterator[BrowserContext]:
    """A browser without transitions: half-way through one, every contrast is poor."""
    context = await chromium.new_context(reduced_motion="reduce")
    yield context
    await context.close()


async def _fill_in(card: Locator) -> None:
    for label, text in TYPED.items():
        await card.get_by_label(label, exact=True).fill(text)
    await card.get_by_label("Size", exact=True).select_option("Size 7")
    await card.get_by_role("radiogroup", name="Sure").get_by_label("No", exact=True).check()
    await card.get_by_label("summer").check()
    for option in ("dinner", "Choice 12"):
        await card.get_by_role("checkbox", name=option, exact=True).check()


async def _send_empty(card: Locator) -> None:
    await card.get_by_label("Emptied", exact=True).fill("")
    await card.get_by_role("checkbox", name="one", exact=True).uncheck()
    for more in await card.locator("details.field__empty > summary:visible").all():
        await more.click()
    for box in await card.get_by_label("Send empty").all():
        await box.check()


async def _go_wrong(person: Person, card: Locator) -> None:
    await card.get_by_label("Box", exact=True).fill("x" * 501)
    await card.get_by_label("Day", exact=True).press("1")
    await person.press(card, "accept")
    await expect(card.get_by_text("This is incomplete.")).to_be_visible()
    await expect(card.get_by_text("1 too many").first).to_be_visible()


async def test_an_empty_inbox_and_the_pages_around_it(person: Person) -> None:
    page = person.page
    await person.live()
    await expect(page.get_by_text("No questions waiting")).to_be_visible()
    assert await complaints(page) == []
    await page.goto(f"{person.served.base}/nowhere")
    assert await complaints(page) == []
    await page.context.clear_cookies()
    await page.goto(f"{person.served.base}/login")
    assert await complaints(page) == []
    await page.get_by_label("Token").fill("wrong")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("alert")).to_be_visible()
    assert await complaints(page) == []


async def test_a_page_that_is_not_live(person: Person, asker: str) -> None:
    request = await person.ask(asker, "Well?", schema=_schema(text=FIELDS["text"]))
    await person.page.route("**/static/app-*.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    await person.page.goto(f"{person.served.base}/servers/{request['server_id']}/mute")
    await expect(person.page.get_by_role("link", name="Reload")).to_be_visible()
    assert await complaints(person.page) == []


async def test_every_control_untouched_filled_in_wrong_and_settled(person: Person, asker: str) -> None:
    page = person.page
    await person.live()
    filled, wrong = [await person.ask(asker, "All of it?", schema=schema) for schema in (OPTIONAL, REQUIRED)]
    await expect(person.card(wrong)).to_be_visible()
    assert await complaints(page) == []
    await person.press(person.card(wrong), "accept")
    await expect(person.card(wrong).get_by_role("alert").get_by_role("link")).to_have_count(len(FIELDS))
    await person.open(filled)
    await _fill_in(person.card(filled))
    await _send_empty(person.card(filled))
    await person.card(filled).get_by_label("Text", exact=True).focus()
    await person.card(filled).get_by_role("button", name="Multi-line").first.click()
    assert await complaints(page, unfold=WITHOUT_OPTIONS) == []
    await person.press(person.card(filled), "accept")
    await expect(person.outcome(filled)).to_be_visible()
    await person.open(wrong)
    await _go_wrong(person, person.card(wrong))
    assert await complaints(page, unfold=WITHOUT_OPTIONS) == []
    await person.press(person.card(wrong), "decline")
    await expect(person.outcome(wrong)).to_be_visible()
    assert await complaints(page) == []


async def test_forms_that_warn_or_cannot_be_answered(person: Person, asker: str) -> None:
    await person.live()
    for schema in (UNANSWERABLE, SECRET, CONFIRMATION):
        last = await person.ask(asker, "A long story. " * 200, schema=schema)
    await expect(person.card(last)).to_be_visible()
    assert await complaints(person.page) == []
    await person.page.goto(f"{person.served.base}/requests/{last['id']}")
    assert await complaints(person.page) == []


async def test_a_link_and_the_questions_of_a_round(person: Person, asker: str, round_asker: str) -> None:
    await person.live()
    requests = await person.api.pending_requests(await person.api.call(round_asker, "ask_many", {"n": 2}))
    await person.show(requests[0])
    assert await complaints(person.page) == []
    call = await person.api.call(asker, "ask_url", {"url": f"https://example.com/{'long/' * 80}"})
    [link] = await person.api.pending_requests(call)
    await person.show(link)
    await expect(person.card(link)).to_be_visible()
    assert await complaints(person.page) == []
    await person.press(person.card(link), "accept")
    await expect(person.outcome(link)).to_be_visible()
    assert await complaints(person.page) == []


async def test_servers_and_what_they_offer(person: Person, asker: str) -> None:
    page, servers = person.page, f"{person.served.base}/servers"
    await page.goto(servers)
    await page.get_by_role("button", name="Add server").click()
    await expect(page.get_by_text("Error:").first).to_be_visible()
    assert await complaints(page) == []
    await page.goto(f"{servers}/{await person.api.server('Demo trips')}")
    assert await complaints(page) == []
    await person.open_tool("Book a trip")
    await person.run_button("Book a trip").click()
    await expect(page.locator("[aria-invalid=true]").first).to_be_visible()
    assert await complaints(page) == []
    await page.goto(f"{servers}/{await person.api.server(asker)}")
    await person.open_tool("ask_form")
    assert await complaints(page) == []
    await switch_to(page, "json")
    await page.get_by_label("Arguments, as JSON").first.fill("{")
    await person.run_button("ask_form").click()
    await expect(person.tool("ask_form").get_by_role("alert")).to_be_visible()
    await expect(page.get_by_label("Arguments, as JSON").first).to_have_value("{")
    assert await complaints(page) == []
    await person.open_tool("order")
    await page.get_by_role("button", name="Add to “Labels”").click()
    await expect(page.get_by_role("group", name="Value 1")).to_be_visible()
    await person.run_button("order").click()
    await expect(page.get_by_text("Give this a name")).not_to_have_count(0)
    assert await complaints(page) == []


async def test_a_server_that_cannot_be_reached(person: Person) -> None:
    page = person.page
    body = {"label": "Nobody", "transport": {"type": "http", "url": "http://127.0.0.1:1/mcp"}}
    added = await person.api.json("POST", "/servers", 201, json=body)
    await person.api.json("POST", f"/servers/{added['id']}/connect", 202)
    await page.goto(f"{person.served.base}/servers/{added['id']}")
    await expect(page.locator(".state[data-state=error]")).to_be_visible()
    assert await complaints(page) == []
    await page.goto(f"{person.served.base}/servers")
    assert await complaints(page) == []
    await person.api.delete(f"/servers/{added['id']}")


async def test_a_call_in_each_of_its_states(person: Person, asker: str, round_asker: str) -> None:
    api = person.api

    async def shows(call: Json, state: str, progress: str = "") -> None:
        await person.page.goto(f"{person.served.base}/calls/{call['id']}")
        result = person.page.locator(f"#call-result-{call['id']}")
        await expect(result).to_have_attribute("data-state", state)
        await expect(result).to_contain_text(progress)
        assert await complaints(person.page) == []

    await shows(await api.call("Demo trips", "postcard", {"destination": "Lisbon"}), "done")
    await shows(await api.call(asker, "fail"), "done")
    await shows(await api.call(round_asker, "push_only"), "failed")
    await shows(await api.call(asker, "ask_form", {"schema": CONFIRMATION}), "input_required")
    running = await api.call(asker, "progress_until_cancelled")
    await shows(running, "running", "The first step")
    await api.json("POST", f"/calls/{running['id']}/cancel")
    await shows(running, "cancelled")
    await person.page.goto(f"{person.served.base}/calls")
    assert await complaints(person.page) == []
