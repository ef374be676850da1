"""Typed text survives a reload, another tab and pushes; a possible secret is never stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from playwright.async_api import Browser, Locator, Response, Route, expect

from tests.browser.axe import complaints
from tests.browser.person import Person, open_preview, show_form
from tests.mcp_servers import entry
from tests.program import PATIENCE, Program, program
from webclient.domain.model import LOCAL_USER, Json
from webclient.store import Store

pytestmark = pytest.mark.anyio

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name"},
        "when": {"type": "string", "format": "date-time", "title": "When"},
        "size": {"enum": ["small", "large"], "default": "small"},
        "meals": {"type": "array", "items": {"enum": ["lunch", "dinner"]}, "default": ["lunch"]},
    },
    "required": ["name"],
}
WITH_SECRET = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name"},
        "password": {"type": "string", "title": "Password"},
        "note": {"type": "string", "title": "Note"},
    },
}


async def _tab(person: Person, path: str = "/") -> Person:
    """Return the person in front of a new tab."""
    other = Person(await person.page.context.new_page(), person.served, person.api)
    await other.page.goto(f"{person.served.base}{path}")
    return other


def _name(person: Person, request: Json) -> Locator:
    return person.card(request).get_by_label("Your name")


async def _type(person: Person, request: Json, text: str) -> None:
    def saves_it(response: Response) -> bool:
        """Return whether this is the response to the draft with the text: an earlier one may still come."""
        posted = dict(parse_qsl(response.request.post_data or ""))
        return response.url.endswith(f"/requests/{request['id']}/draft") and text in posted.values()

    async with person.page.expect_response(saves_it):
        await _name(person, request).fill(text)
    await person.draft_saved(request)


async def test_a_half_filled_form_survives_reloads_tabs_and_pushes(person: Person, asker: str) -> None:
    await person.live()
    request = await person.ask(asker, "Half?", schema=SCHEMA)
    card = person.card(request)
    await card.get_by_label("Date and time").fill("2026-07-01T09:30")
    await card.get_by_label("Time zone").fill("Asia/Tokyo")
    await card.get_by_role("radio", name="large").check()
    await card.get_by_role("checkbox", name="lunch").uncheck()
    await _type(person, request, " Ada ☃ ")
    await person.page.reload()
    await expect(_name(person, request)).to_have_value(" Ada ☃ ")
    await expect(card.get_by_label("Date and time")).to_have_value("2026-07-01T09:30")
    await expect(card.get_by_label("Time zone")).to_have_value("Asia/Tokyo")
    await expect(card.get_by_role("radio", name="large")).to_be_checked()
    await expect(card.get_by_role("checkbox", name="lunch")).not_to_be_checked()
    await person.draft_saved(request)
    await open_preview(card)
    await expect(card.locator("[id^=preview-] pre")).to_contain_text('"size": "large"')

    # A second tab shows it on every page.
    other = await _tab(person)
    for path in (f"/requests/{request['id']}", f"/calls/{request['call_id']}"):
        await expect(_name(other, request)).to_have_value(" Ada ☃ ")
        await other.page.goto(f"{person.served.base}{path}")
    await expect(_name(other, request)).to_have_value(" Ada ☃ ")

    # What is typed there, and the arrival of another card, do not disturb this one.
    await person.live()
    await _type(person, request, "kept")
    await _type(other, request, "kept later, in the other tab")
    second = await person.ask(asker, "Second", opened=False, schema=SCHEMA)
    await expect(person.request_row(second)).to_be_visible()
    await expect(_name(person, request)).to_have_value("kept")
    await person.page.reload()
    await expect(_name(person, request)).to_have_value("kept later, in the other tab")


async def test_text_typed_just_before_leaving_the_page_is_saved(person: Person, asker: str) -> None:
    # No pause in typing ever ends, so that only leaving can save.
    await person.page.add_init_script(
        "const later = setTimeout; window.setTimeout = (run, ms, ...rest) => (ms === 250 ? 0 : later(run, ms, ...rest))"
    )
    await person.page.goto(person.served.base)
    await person.live()
    request = await person.ask(asker, "Quick?", schema=SCHEMA)
    await expect(person.card(request)).to_be_visible()
    await _name(person, request).fill("Ada")
    await person.page.goto(f"{person.served.base}/servers")
    other = await _tab(person)
    async with asyncio.timeout(PATIENCE):
        while await _name(other, request).input_value() != "Ada":
            await other.page.reload()


async def test_a_snapshot_does_not_disturb_what_is_typed(chromium: Browser, person: Person, asker: str) -> None:
    request = await person.ask(asker, "Half?", schema=SCHEMA)
    typed = asyncio.Event()
    await person.page.route("**/stream*", partial(_end_then_snapshot, typed))
    await person.page.goto(person.served.base)
    await _type(person, request, "kept")
    await _name(person, request).blur()
    # In a browser of its own: tabs of one browser share its stream.
    elsewhere = await chromium.new_context()
    other = Person(await elsewhere.new_page(), person.served, person.api)
    await other.sign_in()
    await _type(other, request, "kept later, elsewhere")
    second = await person.ask(asker, "Second", opened=False, schema=SCHEMA)
    await other.open(second)
    await _type(other, second, "kept before it was seen here")
    typed.set()
    await expect(person.request_row(second)).to_be_visible()
    await expect(_name(person, request)).to_have_value("kept")
    await person.open(second)
    await expect(_name(person, second)).to_have_value("kept before it was seen here")
    await elsewhere.close()


async def _end_then_snapshot(typed: asyncio.Event, route: Route) -> None:
    """Keep the page's stream silent until something was typed and end it; the next one begins with a snapshot."""
    if typed.is_set():
        await route.continue_(headers={**route.request.headers, "last-event-id": "none"})
    else:
        await typed.wait()
        await route.fulfill(content_type="text/event-stream", body=": nothing\n\n")


async def test_a_draft_is_gone_with_the_answer_and_never_has_a_secret(chromium: Browser, tmp_path: Path) -> None:
    key = "ghp_" + "a1B2" * 9
    async with _own_program(chromium, tmp_path) as person:
        for way in ("here", "elsewhere"):
            request = await person.ask("it", "Half?", schema=SCHEMA)
            await _type(person, request, "Ada")
            assert set(await _saved(tmp_path, request)) == {request["id"]}
            if way == "elsewhere":
                await person.api.answer(request, action="accept", content={"name": "Ada"})
            else:
                await person.press(person.card(request), "accept")
            await expect(person.outcome(request)).to_be_visible()
            assert await _saved(tmp_path, request) == {}

        # A secret is in no file.
        request = await person.ask("it", "Secrets?", schema=WITH_SECRET)
        card = person.card(request)
        await show_form(card)
        await card.get_by_label("Password").fill("correct horse battery")
        await _type(person, request, "Ada Lovelace")
        note = card.get_by_label("Note")
        await note.fill(key)
        left_out = card.get_by_text("Draft saved without “Password”, “Note”, which may be secret.")
        await expect(left_out).to_be_visible()
        await person.page.reload()
        await expect(_name(person, request)).to_have_value("Ada Lovelace")
        await expect(card.get_by_label("Password")).to_have_value("")
        await expect(note).to_have_value("")
        stored = b"".join(file.read_bytes() for file in (tmp_path / "data").iterdir())
        assert b"Ada Lovelace" in stored
        assert b"correct horse" not in stored
        assert key.encode() not in stored

        # One that is typed slowly is removed again.
        async with person.page.expect_response(f"**/requests/{request['id']}/draft"):
            await note.fill("4111 1111 1111 111")
        assert "4111" in str(await _saved(tmp_path, request))
        await note.press("End")
        async with person.page.expect_response(f"**/requests/{request['id']}/draft"):
            await note.press_sequentially("1")
        await expect(left_out).to_be_visible()
        saved = str(await _saved(tmp_path, request))
        assert "Ada" in saved
        assert "4111" not in saved


async def test_typed_text_is_shown_after_a_request_ended_unanswered(person: Person, asker: str) -> None:
    server = await person.api.server(asker)
    for way in ("the call is cancelled", "the server is muted", "the server is disconnected"):
        await person.api.json("PATCH", f"/servers/{server}", json={"muted": False})
        request = await person.ask(asker, f"Still there when {way}?", schema=SCHEMA)
        await _type(person, request, "Ada Lovelace")
        match way:
            case "the call is cancelled":
                await person.api.json("POST", f"/calls/{request['call_id']}/cancel")
            case "the server is muted":
                await person.api.json("PATCH", f"/servers/{server}", json={"muted": True})
            case _:
                await person.api.json("POST", f"/servers/{server}/disconnect")
        await expect(person.outcome(request)).to_contain_text("Your name: Ada Lovelace")
    await person.page.goto(person.served.base)
    await expect(person.outcome(request)).to_have_count(0)
    left = person.page.get_by_role("region", name="Unsent drafts")
    assert await complaints(person.page) == []
    await left.get_by_role("link", name=f"“Still there when {way}?”").first.click()
    await expect(person.outcome(request)).to_contain_text("Your name: Ada Lovelace")
    await person.page.goto(f"{person.served.base}/calls/{request['call_id']}")
    await expect(person.outcome(request)).to_contain_text("Your name: Ada Lovelace")


@asynccontextmanager
async def _own_program(chromium: Browser, folder: Path) -> AsyncIterator[Person]:
    """Run a program with a data folder of its own, and sign a person in."""
    servers = {"it": entry("asker")}
    async with AsyncExitStack() as stack:
        served: Program = await stack.enter_async_context(program(folder, servers=servers))
        api = await stack.enter_async_context(served.client())
        context = await chromium.new_context()
        stack.push_async_callback(context.close)
        person = Person(await context.new_page(), served, api)
        await person.sign_in()
        await person.live()
        yield person
        assert person.complaints == []


async def _saved(folder: Path, request: Json) -> Json:
    store = Store(folder / "data")
    found = await store.of(LOCAL_USER).drafts.find([request["id"]])
    await store.close()
    return dict(found)
