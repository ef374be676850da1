"""One program and one browser for all page tests; each test has tabs of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from itertools import count

import pytest
from playwright.async_api import Browser, BrowserContext, Page, Playwright, async_playwright, expect

from tests.browser.embedding import BASE_PATH, Embedded, embedding
from tests.browser.person import Person
from tests.chromium import LESS_WORK, launched
from tests.mcp_servers import RunningServer, running
from tests.program import Api, Program, program

_numbers = count(1)

expect.set_options(timeout=30_000)


@pytest.fixture(scope="session")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    """The program with its demo server. Every refusal is sent at once, so that no test waits for one."""
    async with AsyncExitStack() as stack:
        # Only while it starts: other tests of this worker run programs in this process.
        with pytest.MonkeyPatch.context() as environment:
            # What can be undone: test_undo.py and test_guide_walk.py.
            environment.setenv("WEBCLIENT_UNDO_SECONDS", "0")
            # A trip that takes a second.
            environment.setenv("MCP_DEMO_PACE", "0.02")
            served = await stack.enter_async_context(program(tmp_path_factory.mktemp("pages"), "demo"))
        yield served


@pytest.fixture(scope="session")
async def playwright(anyio_backend: str) -> AsyncIterator[Playwright]:  # noqa: ARG001
    """What drives browsers."""
    async with async_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
async def chromium(playwright: Playwright) -> AsyncIterator[Browser]:
    """The browser."""
    async with launched(playwright, arguments=LESS_WORK) as browser:
        yield browser


@pytest.fixture(scope="session")
async def embedded(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Embedded]:  # noqa: ARG001
    """A chat app that embeds the inbox, and the program that serves it."""
    async with embedding(tmp_path_factory.mktemp("embedded")) as embedded:
        yield embedded


@pytest.fixture
async def page(chromium: Browser, embedded: Embedded) -> AsyncIterator[Page]:
    """A tab of a fresh browser profile for the chat app; script errors and requests outside the inbox fail the test."""
    context = await chromium.new_context(viewport={"width": 900, "height": 700})
    page = await context.new_page()
    strays: list[str] = []
    own = embedded.served.base
    page.on("request", lambda sent: strays.append(sent.url) if sent.url.startswith(own) else None)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(error.message))
    yield page
    await context.close()
    assert errors == []
    assert [each for each in strays if not each.startswith(f"{own}{BASE_PATH}/")] == []


@pytest.fixture
async def context(chromium: Browser) -> AsyncIterator[BrowserContext]:
    """A fresh browser profile at 1280 by 900."""
    context = await chromium.new_context(viewport={"width": 1280, "height": 900})
    yield context
    await context.close()


@pytest.fixture
async def ended(api: Api) -> AsyncIterator[None]:
    """End the requests that a test leaves open."""
    yield
    for request in (await api.json("GET", "/requests", params={"state": "pending"}))["requests"]:
        # The time of one may run out at this moment.
        answered = await api.post(f"/requests/{request['id']}/answer", json={"action": "cancel"})
        assert answered.status_code in (200, 409), answered.text
    for request in (await api.json("GET", "/requests", params={"state": "waiting"}))["requests"]:
        # Tried in any case: its server may have reported completion a moment ago.
        await api.post(f"/requests/{request['id']}/give-up")


@pytest.fixture
async def person(context: BrowserContext, served: Program, api: Api, ended: None) -> AsyncIterator[Person]:  # noqa: ARG001
    """A person who is signed in and sees the inbox."""
    page: Page = await context.new_page()
    person = Person(page, served, api)
    await person.sign_in()
    yield person
    assert person.complaints == []


@pytest.fixture
async def plain(chromium: Browser, served: Program, api: Api, ended: None) -> AsyncIterator[Person]:  # noqa: ARG001
    """A person in a browser without JavaScript."""
    async with await chromium.new_context(java_script_enabled=False) as context:
        plain = Person(await context.new_page(), served, api, scripts=False)
        await plain.sign_in()
        yield plain


@pytest.fixture(params=["person", "plain"])
def writer(request: pytest.FixtureRequest) -> Person:
    """A person with JavaScript, and without."""
    writer: Person = request.getfixturevalue(request.param)
    return writer


@pytest.fixture(scope="module")
async def asking(anyio_backend: str) -> AsyncIterator[RunningServer]:  # noqa: ARG001
    """The asking server of the tests of a file; it remembers names and ids."""
    async with running() as server:
        yield server


@pytest.fixture
async def asker(api: Api, asking: RunningServer) -> AsyncIterator[str]:
    """The label under which the test has added the asking server; it speaks 2025-11-25."""
    async for label in _added(api, asking, "2025-11-25"):
        yield label


@pytest.fixture
async def round_asker(api: Api, asking: RunningServer) -> AsyncIterator[str]:
    """The label under which the test has added the asking server; it speaks 2026-07-28."""
    async for label in _added(api, asking, "2026-07-28"):
        yield label


async def _added(api: Api, server: RunningServer, era: str) -> AsyncIterator[str]:
    label = f"asker {next(_numbers)}"
    body = {"label": label, "transport": {"type": "http", "url": server.address}, "era": era}
    added = await api.json("POST", "/servers", 201, json=body)
    await api.json("POST", f"/servers/{added['id']}/connect", 202)
    await api.server(label)
    yield label
    await api.delete(f"/servers/{added['id']}")
