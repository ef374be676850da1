"""Following a resource in its page, without JavaScript and by the stream, and in the API."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence

import pytest

from tests.mcp_servers import asker_entries, entry
from tests.pages.person import Person, messages, stream_of, until
from tests.program import Api, Program, program

pytestmark = pytest.mark.anyio

TEXT = "asker://text"
PAGE = "/servers/{}/resources/asker%3A%2F%2Ftext"


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    servers = asker_entries() | {"raw": entry("raw", "no-message")}
    async with program(tmp_path_factory.mktemp("following"), servers=servers) as served:
        yield served


def _state(page: str) -> str:
    found = re.search(r'id="following" data-state="(\w+)"', page)
    return found[1] if found else ""


async def _until_state(person: Person, server: str, *states: str) -> str:
    """Return the page as soon as it shows one of the states; each change of the server comes by the stream."""
    page = await person.page(PAGE.format(server))
    async with person.stream("GET", stream_of(page)) as stream:
        pushed = messages(stream)
        while _state(page) not in states:
            await anext(pushed)
            page = await person.page(PAGE.format(server))
    return page


async def _updates(api: Api, server: str) -> Sequence[str]:
    [followed] = (await api.json("GET", f"/servers/{server}/followed"))["followed"]
    assert (followed["uri"], followed["omitted"]) == (TEXT, 0)
    return [update["uri"] for update in followed["updates"]]


@pytest.mark.parametrize("era", ["push", "rounds"])
async def test_a_resource_is_followed_until_the_person_stops(api: Api, person: Person, era: str) -> None:
    server = await api.server(era)
    page = await person.page(PAGE.format(server))
    assert _state(page) == "none"
    answer = await person.submit(f"/servers/{server}/follow", name=TEXT)
    assert answer.headers["location"].split("?")[0] == PAGE.format(server)
    page = await _until_state(person, server, "following")
    assert (await api.json("GET", f"/servers/{server}"))["followed"] == [TEXT]
    async with person.stream("GET", stream_of(page)) as stream:
        await api.in_state(await api.call(era, "update"), "done")
        # The list comes again, and filter_entries.js reads the open entry with it.
        await until(messages(stream), 'data-code="followed"')
    assert await _updates(api, server) == [TEXT]
    page = await person.page(PAGE.format(server))
    [updates] = re.findall(r'<ol class="following__updates.*?</ol>', page, re.DOTALL)
    assert updates.count("<li>") == 1
    scope = re.search(r'<form class="call-form"[^>]*id="([^"]+)"', page)
    assert scope
    assert f'form="{scope[1]}"' in page, "the button that reads it again"
    await person.submit(f"/servers/{server}/unfollow", name=TEXT)
    assert _state(await person.page(PAGE.format(server))) == "none"
    assert (await api.json("GET", f"/servers/{server}/followed"))["followed"] == []


async def test_a_refusal_is_shown_in_the_words_of_the_server(api: Api, person: Person) -> None:
    server = await api.server("push")
    changed = await api.json("PATCH", f"/servers/{server}", json={"followed": ["asker://closed", "asker://closed"]})
    assert changed["followed"] == ["asker://closed"]
    path = f"/servers/{server}/resources/asker%3A%2F%2Fclosed"
    page = await person.page(path)
    async with person.stream("GET", stream_of(page)) as stream:
        pushed = messages(stream)
        while _state(page) != "refused":
            await anext(pushed)
            page = await person.page(path)
    assert "No client can subscribe to that." in page
    await api.json("PATCH", f"/servers/{server}", json={"followed": []})


async def test_a_followed_resource_that_is_not_listed_can_be_found(api: Api, person: Person) -> None:
    server = await api.server("push")
    await api.json("PATCH", f"/servers/{server}", json={"followed": ["asker://<unlisted>"]})
    page = await person.page(f"/servers/{server}/resources")
    path = f"/servers/{server}/resources/asker%3A%2F%2F%3Cunlisted%3E"
    assert f'href="{path}"' in page
    shown = await person.page(path, status=404)
    assert _state(shown) in ("asking", "following")
    await person.submit(f"/servers/{server}/unfollow", name="asker://<unlisted>")
    assert f'href="{path}"' not in await person.page(f"/servers/{server}/resources")


async def test_a_server_without_subscriptions_has_no_button(api: Api, person: Person) -> None:
    server = await api.server("raw")
    page = await person.page(PAGE.format(server), status=404)
    assert _state(page) == ""
    await person.submit(f"/servers/{server}/follow", name=TEXT)
    assert _state(await person.page(PAGE.format(server), status=404)) == "unsupported"


async def test_too_many_followed_resources_are_refused(api: Api, person: Person) -> None:
    server = await api.server("rounds")
    followed = [f"{TEXT}/{number}" for number in range(20)]
    await api.json("PATCH", f"/servers/{server}", json={"followed": followed})
    await person.submit(f"/servers/{server}/follow", 422, name=TEXT)
    refused = await api.request("PATCH", f"/servers/{server}", json={"followed": [*followed, TEXT]})
    assert refused.status_code == 422
    await api.json("PATCH", f"/servers/{server}", json={"followed": []})
