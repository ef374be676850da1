"""Results of calls in a browser: pictures, tables, downloads and links, and pictures that are bombs."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest
from playwright.async_api import expect

from tests.browser.axe import complaints
from tests.browser.person import Person
from tests.mcp_servers import entry
from tests.pictures.made import HANGS, SVG, nested_uses, pixels
from tests.program import Api, Program, program
from webclient.content.pictures import PictureRefusal
from webclient.web.pages.calls.content_pages import why

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with program(tmp_path_factory.mktemp("results"), servers={"plain": entry("plain")}) as served:
        yield served


def base64(data: bytes) -> str:
    return b64encode(data).decode()


async def test_a_result_shows_pictures_tables_downloads_and_links(api: Api, person: Person) -> None:
    table = "Month,Revenue\nMay,1200\nJune,1350\n"
    content = [
        {"type": "text", "text": "Here is the report."},
        {"type": "image", "mimeType": "image/png", "data": base64(pixels("PNG", (300, 120)))},
        {"type": "image", "mimeType": "image/svg+xml", "data": base64(SVG)},
        {
            "type": "resource",
            "resource": {"uri": "x:/report.csv", "mimeType": "text/csv", "blob": base64(table.encode())},
        },
        {"type": "resource", "resource": {"uri": "x:/r.pdf", "mimeType": "application/pdf", "blob": base64(b"%PDF")}},
        {"type": "resource_link", "uri": "x:/more", "name": "More figures", "description": "As text"},
    ]
    call = await api.in_state(await api.call("plain", "give", {"result": {"content": content}}), "done")
    page = person.page
    await page.goto(f"{person.served.base}/calls/{call['id']}")
    pictures = page.locator("main img")
    await expect(pictures).to_have_count(2)
    for picture in await pictures.all():
        await picture.scroll_into_view_if_needed()
        await expect(picture).to_have_js_property("complete", value=True)
        assert await picture.evaluate("picture => picture.naturalWidth") > 0
    await expect(page.get_by_role("cell", name="1350")).to_be_visible()
    async with page.expect_download() as started:
        await page.get_by_role("link", name="r.pdf").click()
    assert (await started.value).suggested_filename == "r.pdf"
    assert await complaints(page) == []
    await page.get_by_role("button", name="Read resource x:/more").click()
    await expect(page.get_by_text("This is x:/more", exact=True)).to_be_visible()


async def test_picture_bombs_leave_the_tab_alive_and_say_why(api: Api, person: Person) -> None:
    bombs = [HANGS, nested_uses(), b"not a picture"]
    blocks = [{"type": "image", "mimeType": "image/svg+xml", "data": base64(each)} for each in bombs]
    icon = f"data:image/svg+xml,{quote(nested_uses())}"
    await api.in_state(await api.call("plain", "offer", {"name": "bomb", "icons": [{"src": icon}]}), "done")
    call = await api.in_state(await api.call("plain", "give", {"result": {"content": blocks}}), "done")
    page = person.page
    await page.goto(f"{person.served.base}/calls/{call['id']}")
    for refusal in (PictureRefusal.COSTLY, PictureRefusal.UNREADABLE):
        await expect(page.get_by_text(why(refusal)).first).to_be_visible()
    assert await complaints(page) == []
    # The browser complains of answers with an error status; here they are meant.
    person.complaints.clear()
    await page.goto(f"{person.served.base}/servers/{await api.server('plain')}")
    await expect(person.row("bomb")).to_be_visible()
    await expect(person.row("bomb").locator("img")).to_have_count(0)
    person.complaints.clear()


async def test_a_long_result_is_folded_and_can_be_folded_again(api: Api, person: Person) -> None:
    lines = "\n".join(f"Line {n}" for n in range(200))
    blocks = {"content": [{"type": "text", "text": lines}]}
    call = await api.in_state(await api.call("plain", "give", {"result": blocks}), "done")
    page = person.page
    await page.goto(f"{person.served.base}/calls/{call['id']}")
    body = page.locator(".excerpt__body")
    folded = await body.bounding_box()
    await page.get_by_text("Show all").click()
    whole = await body.bounding_box()
    assert folded
    assert whole
    assert whole["height"] > 3 * folded["height"]
    assert await complaints(page) == []
    await page.get_by_text("Show less").click()
    again = await body.bounding_box()
    assert again
    assert again["height"] == folded["height"]
