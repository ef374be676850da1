"""A file is chosen, shown and sent, with and without JavaScript; a draft says that it has no files."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from playwright.async_api import Locator, expect

from tests.browser.axe import complaints
from tests.browser.person import Person
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SCHEMA = {
    "type": "object",
    "properties": {
        "photo": {"type": "string", "title": "Photo", "format": "data-url", "contentMediaType": "image/*"},
        "note": {"type": "string", "title": "Note"},
    },
    "required": ["photo"],
}


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "dot.png"
    path.write_bytes(PNG)
    return path


async def _new_request(person: Person) -> Json:
    body = {"kind": "form", "message": "A photo?", "requestedSchema": SCHEMA}
    request: Json = await person.api.json("POST", "/requests", 201, json=body)
    await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    return request


async def test_a_file_of_its_type_is_sent_as_it_is(writer: Person, tmp_path: Path, photo: Path) -> None:
    """None, or one of another type, comes back with an error."""
    text = tmp_path / "page.html"
    text.write_text("<script>alert(1)</script>", "utf-8")
    request = await _new_request(writer)
    card = writer.card(request)
    await writer.press(card, "accept")
    await expect(card.locator(".field__error")).to_have_count(1)
    await card.get_by_label("Photo").set_input_files(text)
    await writer.press(card, "accept")
    await expect(card.locator(".field__error")).to_contain_text("text/html")
    # The check while typing says so as well; the name is gone once the card comes back.
    await expect(card.locator(".file__shown")).not_to_contain_text("page.html")
    await expect(card.locator(".file__shown")).to_contain_text("text/html")
    await card.get_by_label("Photo").set_input_files(photo)
    if writer.scripts:
        await expect(card.locator("canvas")).to_be_visible()
        await expect(card.locator(".file__shown")).to_contain_text("dot.png")
        assert await complaints(writer.page) == []
    await writer.press(card, "accept")
    await writer.settled(request)
    assert await _answered(writer, request) == {"photo": "data:image/png;base64," + base64.b64encode(PNG).decode()}


async def _answered(person: Person, request: Json) -> Json:
    answered = await person.api.json("GET", f"/requests/{request['id']}", params={"wait": 30})
    content: Json = answered["content"]
    return content


async def test_a_dropped_file_fills_the_field_but_no_draft(person: Person, tmp_path: Path, photo: Path) -> None:
    large = tmp_path / "large.png"
    large.write_bytes(PNG + b"\0" * 600_000)
    request = await _new_request(person)
    card = person.card(request)
    # One that is too large is not taken.
    await card.get_by_label("Photo").set_input_files(large)
    await expect(card.locator(".file__shown")).to_contain_text("500")
    await expect(card.locator("canvas")).to_have_count(0)
    for place in (card.get_by_label("Photo"), card.locator("label", has_text="Photo").first):
        await _drop(person, photo, place)
        await expect(card.locator("canvas")).to_be_visible()
        await expect(card.locator(".file__shown")).to_contain_text("dot.png")
        await card.get_by_label("Photo").set_input_files([])
        await expect(card.locator("canvas")).to_have_count(0)
    # A draft says that the file must be chosen again.
    await _drop(person, photo, card.get_by_label("Photo"))
    async with person.page.expect_response(lambda response: "balcony" in (response.request.post_data or "")):
        await card.get_by_label("Note").fill("From the balcony")
    await expect(card.locator(".draft")).to_contain_text("“Photo”")
    await person.page.reload()
    await expect(card.get_by_label("Note")).to_have_value("From the balcony")
    await expect(card.locator(".draft")).to_contain_text("“Photo”")
    await _drop(person, photo, card.get_by_label("Photo"))
    await person.press(card, "accept")
    photo_url = "data:image/png;base64," + base64.b64encode(PNG).decode()
    assert await _answered(person, request) == {"photo": photo_url, "note": "From the balcony"}
    assert person.complaints == []


async def _drop(person: Person, file: Path, place: Locator) -> None:
    """Drag a file from a folder of this machine over a place in the page, and drop it."""
    await place.scroll_into_view_if_needed()
    box = await place.bounding_box()
    assert box
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    dragged = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
    session = await person.page.context.new_cdp_session(person.page)
    for step in ("dragEnter", "dragOver", "drop"):
        await session.send("Input.dispatchDragEvent", {"type": step, **at, "data": dragged})
    await session.detach()


async def test_a_server_that_asks_for_a_file_gets_no_file_field(person: Person, round_asker: str) -> None:
    """SEP-2631 is open: a data URI is a text until the specification has files."""
    request = await person.ask(round_asker, "A photo?", schema=SCHEMA, opened=False)
    await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    card = person.card(request)
    await expect(card.locator("[data-file], input[type=file]")).to_have_count(0)
    await card.get_by_label("Photo").fill("data:image/png;base64,AAAA")
    await person.press(card, "accept")
    await person.settled(request)
