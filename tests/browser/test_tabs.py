"""Many tabs of one browser: one of them holds the stream, all of them are live, and none of them hangs.

A browser has six connections to a host over HTTP/1.1; headless tabs all count as visible, which is the worst case.
"""

from __future__ import annotations

import pytest
from playwright.async_api import BrowserContext, Request, expect

from tests.browser.person import Person

pytestmark = pytest.mark.anyio

TABS = 8
"""More than a browser has connections to one host."""


async def more_tabs(person: Person, count: int) -> list[Person]:
    tabs = []
    for _each in range(count):
        tab = Person(await person.page.context.new_page(), person.served, person.api)
        await tab.page.goto(person.served.base)
        await tab.live()
        tabs.append(tab)
    return tabs


def watch_streams(context: BrowserContext) -> set[Request]:
    """Return the open streams of all tabs, a set that goes on changing."""
    streams: set[Request] = set()

    def begun(request: Request) -> None:
        if "/stream?" in request.url and "once=" not in request.url:
            streams.add(request)

    def ended(request: Request) -> None:
        streams.discard(request)

    context.on("request", begun)
    context.on("requestfinished", ended)
    context.on("requestfailed", ended)
    return streams


async def test_eight_tabs_share_one_stream_and_all_work(person: Person, asker: str) -> None:
    streams = watch_streams(person.page.context)
    await person.page.reload()
    await person.live()
    tabs = [person, *await more_tabs(person, TABS - 1)]
    assert len(streams) == 1
    request = await person.ask(asker, "In every tab")
    for tab in tabs:
        await expect(tab.card(request)).to_be_visible()
        await expect(tab.page).to_have_title("(1) Inbox · mcp-webclient")
    await tabs[-1].page.goto(f"{person.served.base}/servers")
    await tabs[-1].live()
    await tabs[-2].press(tabs[-2].card(request), "decline")
    for tab in tabs[:-1]:
        await tab.settled(request, "declined")
    await expect(tabs[-1].page).to_have_title("Servers · mcp-webclient")


async def test_when_the_tab_with_the_stream_is_closed_another_takes_it(person: Person, asker: str) -> None:
    await person.live()
    first, second = await more_tabs(person, 2)
    await person.page.close()
    request = await person.ask(asker, "After the first tab", opened=False)
    for tab in (first, second):
        await expect(tab.card(request)).to_be_visible()


async def test_a_frozen_tab_loses_the_stream_to_one_that_is_awake(person: Person, asker: str) -> None:
    await person.live()
    [tab] = await more_tabs(person, 1)
    session = await person.page.context.new_cdp_session(person.page)
    await session.send("Page.setWebLifecycleState", {"state": "frozen"})
    request = await person.ask(asker, "While one is frozen", opened=False)
    await expect(tab.card(request)).to_be_visible(timeout=40_000)
    await session.send("Page.setWebLifecycleState", {"state": "active"})
    await session.detach()
    await expect(person.card(request)).to_be_visible()
