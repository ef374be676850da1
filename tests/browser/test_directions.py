"""Text of servers in other scripts: each in an element of its own, whose direction and language are not the page's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.person import Person
from tests.mcp_servers import entry
from tests.program import LONG_POLL, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

NARROW = 390
LABEL = "خادم 服务器"
ANSWER: Json = {
    "name": "مرحبا",
    "plan": "b",
    "size": "l",
    "meals": ["x"],
    "seats": 2,
    "sure": True,
    "when": "2026-12-24",
}

FOREIGN = r"""(label) => {
  const foreign = /[\u0600-\u06ff\u4e00-\u9fff]/
  const isOwn = (element) => element.closest("button[name=language], title, script, style, [hidden] > template")
  const found = new Set()
  const complain = (element, why) => {
    if (!isOwn(element)) found.add(`${why}: ${element.outerHTML.slice(0, 160)}`)
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement
    const text = walker.currentNode.data.trim()
    // A sentence of ours may have the person's own name for the server in it.
    if (!foreign.test(text === label ? text : text.replaceAll(label, ""))) continue
    if (element.closest("[lang]").lang !== "") complain(element, "lang")
    const isolated = element.closest("bdi, [dir]")
    const direction = isolated?.dir || (isolated?.matches("bdi") ? "auto" : "")
    // JSON is written from left to right.
    if (direction !== "auto" && !(direction === "ltr" && element.closest("pre, code"))) complain(element, "dir")
  }
  for (const field of document.querySelectorAll("input:not([type=hidden]), textarea, option")) {
    const text = field.matches("option") ? field.text : field.value
    const isIsolated = (field.closest("[dir]") ?? {}).dir === "auto"
    if (foreign.test(text) && !["checkbox", "radio"].includes(field.type)) {
      if (!isIsolated) complain(field, "dir of a field")
      if (field.closest("[lang]").lang !== "") complain(field, "lang of a field")
    }
  }
  return [...found]
}"""
"""The elements whose own text is of a server, and has the direction or the language of the page."""


@pytest.fixture
async def reader(chromium: Browser, tmp_path: Path) -> AsyncIterator[Person]:
    """A person at a program with one server, which writes Arabic and Chinese."""
    async with (
        program(tmp_path, servers={LABEL: entry("foreign", era="2025-11-25")}) as served,
        served.client() as api,
        await chromium.new_context(viewport={"width": 1280, "height": 900}) as context,
    ):
        person = Person(await context.new_page(), served, api)
        await person.sign_in()
        yield person
        assert person.complaints == []


async def run(person: Person, tool: str, **arguments: object) -> Json:
    """Run a tool until it asks or ends."""
    call = await person.api.call(LABEL, tool, dict(arguments))
    while call["state"] == "running":
        call = await person.api.json("GET", f"/calls/{call['id']}", params={"wait": LONG_POLL})
    return call


async def faults(page: Page, name: str) -> list[str]:
    """Return what is wrong on the page, wide and narrow, with everything unfolded."""
    await page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    wrong = list(await page.evaluate(FOREIGN, LABEL))
    await page.set_viewport_size({"width": NARROW, "height": 844})
    width = await page.evaluate("document.documentElement.scrollWidth")
    await page.set_viewport_size({"width": 1280, "height": 900})
    return [f"{name}: {each}" for each in [*wrong, *([f"{width} px wide"] if width > NARROW else [])]]


async def test_text_of_a_server_has_its_own_direction_and_language(reader: Person) -> None:
    page, base = reader.page, reader.served.base
    ask, secret, link, again = [await run(reader, tool) for tool in ("ask", "secret", "link", "ask")]
    ended = [
        await run(reader, tool, text="你好 مرحبا", deep={"inner": "你好"}, list=["مرحبا"])
        for tool in ("fail", "wrong", "show")
    ]
    requests = {call["id"]: (await reader.api.pending_requests(call))[0]["id"] for call in (ask, secret, link, again)}
    server = ask["server_id"]
    await reader.api.answer({"id": requests[again["id"]]}, action="accept", content=ANSWER)
    answered = await reader.api.in_state(again, "done")
    found = []

    async def look(path: str) -> None:
        await page.goto(base + path)
        found.extend(await faults(page, path))

    for path in (
        "/",
        *(f"/requests/{each}" for each in requests.values()),
        *(f"/calls/{call['id']}" for call in [ask, secret, link, answered, *ended]),
        "/calls",
        "/history",
        f"/history?call={answered['id']}",
        "/servers",
        f"/servers/{server}",
        *(f"/servers/{server}/{tab}" for tab in ("prompts", "resources", "permissions", "settings", "log")),
        *(f"/servers/{server}/{entry_}" for entry_ in ("tools/ask", "prompts/打招呼", "mute", "decline-all", "delete")),
        f"/calls/{ask['id']}/log",
    ):
        await look(path)
    await page.goto(f"{base}/requests/{requests[ask['id']]}")
    card = page.locator(f"#request-{requests[ask['id']]}")
    await card.get_by_role("textbox").first.fill("")
    await page.wait_for_timeout(800)
    await card.locator("button[value=accept]").click()
    await expect(card.get_by_role("alert")).to_be_visible()
    found += await faults(page, "a form with errors")
    await card.locator("button[name=edit][value=json]").click()
    await expect(card.locator("textarea[name=json]")).to_be_visible()
    found += await faults(page, "a form as JSON")
    assert found == []
