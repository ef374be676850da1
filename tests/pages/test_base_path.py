"""Every page under the path of a proxy: no address on it leads away from that path."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from html.parser import HTMLParser
from urllib.parse import urldefrag

import pytest

from tests.pages.person import Person, messages, stream_of
from tests.program import Api, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

BASE = "/inbox"
TEXTS = {"value", "title", "placeholder", "alt", "aria-label", "aria-keyshortcuts", "d"}
"""Attributes whose values are texts, which may begin with a slash."""

MOST = 2
"""Addresses of one shape that are opened: pages of the same route are alike."""


@pytest.fixture(scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:
    """The demo under a path, as a public URL names it."""
    options = ["--public-url", f"http://localhost{BASE}"]
    async with program(tmp_path_factory.mktemp("base"), "demo", options=options) as served:
        yield served


@pytest.fixture(scope="module")
async def booking(served: Program) -> Json:
    """The question of a booking; other questions wait beside it, and one was answered."""
    async with served.client() as api:
        answered = await api.call("Demo trips", "book_trip", {"date": "2026-12-24"})
        [request] = await api.pending_requests(answered)
        await api.answer(request, action="decline")
        for label, tool in (("Demo trips", "every_field"), ("Demo office", "set_api_key")):
            await api.pending_requests(await api.call(label, tool))
        [request] = await api.pending_requests(await api.call("Demo trips", "book_trip", {"date": "2027-12-24"}))
        return request


class Addresses(HTMLParser):
    """Collects what a page leads to, and what of it is outside the path."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.pages: list[str] = []
        self.outside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            address = (value or "").removeprefix("0;url=")
            if not address.startswith("/") or name in TEXTS:
                continue
            if not f"{address}/".startswith(f"{BASE}/") or address.startswith(BASE * 2):
                self.outside.append(f"<{tag} {name}={address}>")
            elif name in ("href", "src", "hx-get"):
                self.pages.append(urldefrag(address).url)


def shape(address: str) -> str:
    """Return an address without what differs between pages of one route."""
    path, _, query = address.partition("?")
    path = re.sub(r"[^/]*[0-9A-Z_%][^/]*", "ID", path.removesuffix("/"))
    return f"{path}?{re.sub('=[^&]*', '', query)}"


def due(found: list[str], opened: dict[str, int]) -> Iterator[str]:
    """Yield the addresses of shapes that were not opened often."""
    for address in dict.fromkeys(found):
        key = shape(address)
        if opened.setdefault(key, 0) < MOST:
            opened[key] += 1
            yield address


@pytest.mark.usefixtures("booking")
async def test_no_address_of_any_page_leaves_the_path(person: Person) -> None:
    opened: dict[str, int] = {}
    seen: set[str] = set()
    waiting = list(due([f"{BASE}/", f"{BASE}/demo?scene=two", f"{BASE}/calls/none", f"{BASE}/login"], opened))
    while waiting:
        address = waiting.pop(0)
        seen.add(address)
        response = await person.get(address, follow_redirects=True)
        assert response.status_code < 500, address
        assert response.url.path.startswith(f"{BASE}/"), address
        if "text/html" in response.headers["content-type"]:
            found = Addresses(response.text)
            assert found.outside == [], address
            waiting += [each for each in due(found.pages, opened) if each not in seen]
    rooms = {address.split("/")[2].partition("?")[0] for address in seen}
    assert rooms >= {"", "calls", "demo", "history", "login", "requests", "servers", "static"}
    assert len(seen) > 50


async def test_pushed_parts_stay_below_the_path(person: Person, booking: Json) -> None:
    page = await person.page(f"{BASE}/requests/{booking['id']}")
    async with person.stream("GET", stream_of(page), timeout=None) as pushed:
        await person.submit(f"{BASE}/servers/{booking['server_id']}/mute", 303, confirmed="1")
        async for _id, data in messages(pushed):
            assert Addresses(data).outside == []
            if "href=" in data:
                break
    response = await person.submit(f"{BASE}/servers/{booking['server_id']}/unmute", 303)
    assert response.headers["location"].startswith(f"{BASE}/servers/")


async def test_signing_in_sets_a_cookie_of_the_path_and_leads_below_it(served: Program) -> None:
    assert f"{BASE}/login?token=" in served.login
    async with Person(served) as browser:
        del browser.headers["Authorization"]
        response = await browser.get(f"{BASE}/calls")
        assert response.status_code == 401
        assert f"{BASE}/login?next=/calls" in response.text
        response = await browser.post(f"{BASE}/login", data={"token": served.token}, headers={"Origin": served.base})
        assert f"Path={BASE}/;" in response.headers["set-cookie"]
        assert Addresses(response.text).outside == []
        assert (await browser.get(f"{BASE}/calls")).status_code == 200


async def test_the_description_of_the_api_names_the_path(api: Api) -> None:
    assert (await api.json("GET", "/openapi.json"))["servers"] == [{"url": BASE}]
