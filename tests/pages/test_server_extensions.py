"""The switches of extensions on the page of a server."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

from tests.mcp_servers import asker_entries, running
from tests.pages.person import Person
from tests.program import Api, Program, program
from webclient.domain.model import Extension

pytestmark = pytest.mark.anyio

AUTHORIZATION = [Extension.CLIENT_CREDENTIALS.value, Extension.ENTERPRISE.value]
EVERY = [each.value for each in Extension]


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with program(tmp_path_factory.mktemp("extensions"), servers=asker_entries()) as served:
        yield served


async def switches(person: Person, server: str) -> dict[str, bool]:
    """Return the switches on the page, and whether each is on."""
    page = await person.page(f"/servers/{server}/permissions")
    return {name: bool(on) for name, on in re.findall(r'name="extension" value="([\w./-]+)"( checked)?', page)}


async def test_a_switch_is_turned_off_and_on_again(api: Api, person: Person) -> None:
    async with running() as asker:
        body = {"label": "far", "transport": {"type": "http", "url": asker.address}}
        server = (await api.json("POST", "/servers", 201, json=body))["id"]
        assert await switches(person, server) == dict.fromkeys(EVERY, True)
        await person.submit(f"/servers/{server}/extensions", extension=[Extension.TASKS.value])
        assert await switches(person, server) == dict.fromkeys(AUTHORIZATION, False) | {Extension.TASKS: True}
        await person.submit(f"/servers/{server}/extensions", extension=EVERY)
        assert await switches(person, server) == dict.fromkeys(EVERY, True)
        await person.submit(f"/servers/{server}/extensions", 422, extension="dance")


async def test_a_server_over_stdio_has_no_switch_for_authorization(api: Api, person: Person) -> None:
    server = await api.server("rounds")
    await person.submit(f"/servers/{server}/extensions")
    assert await switches(person, server) == {Extension.TASKS: False}
    assert (await api.json("GET", f"/servers/{server}"))["extensions"] == AUTHORIZATION


async def test_a_switch_that_would_cut_something_off_says_so_first(api: Api, person: Person) -> None:
    async with running() as asker:
        body = {"label": "cut", "transport": {"type": "http", "url": asker.address}, "era": "2025-11-25"}
        server = (await api.json("POST", "/servers", 201, json=body))["id"]
        await api.json("POST", f"/servers/{server}/connect", 202)
        [request] = await api.pending_requests(await api.call("cut", "ask_form"))
        path = f"/servers/{server}/extensions"
        said = await person.submit(path, 409, extension=[Extension.TASKS.value])
        assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"
        [fields] = re.findall(rf'action="{path}">(.*?)</form>', said.text, re.DOTALL)
        confirmed = dict(re.findall(r'name="(\w+)" value="([\w./-]+)"', fields))
        await person.submit(path, **confirmed)
        assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "interrupted"
        assert await switches(person, server) == dict.fromkeys(AUTHORIZATION, False) | {Extension.TASKS: True}
