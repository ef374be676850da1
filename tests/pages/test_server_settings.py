"""A server that was added is changed: name, address and headers, tried first, and no open work is lost silently."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator

import pytest

from tests.mcp_servers import RunningServer, running
from tests.pages.person import Person
from tests.program import Api, Program, program
from webclient.domain.model import Json, ReasonCode

pytestmark = pytest.mark.anyio

NOWHERE = "http://127.0.0.1:9/mcp"


@pytest.fixture(scope="module")
async def asker(anyio_backend: str) -> AsyncIterator[RunningServer]:  # noqa: ARG001
    async with running() as asker:
        yield asker


@pytest.fixture(scope="module")
async def served(
    anyio_backend: str,  # noqa: ARG001
    asker: RunningServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Program]:
    servers = {"configured": {"url": asker.address, "headersHelper": "/bin/token", "timeout": 7}}
    async with program(tmp_path_factory.mktemp("settings"), servers=servers) as served:
        yield served


@pytest.fixture
async def server(api: Api, asker: RunningServer) -> AsyncIterator[Json]:
    """A server that was added, connected."""
    headers = {"X-Key": "s3cret-value", "X-Team": "blue"}
    transport = {"type": "auto", "url": asker.address, "headers": headers}
    added = await api.json("POST", "/servers", 201, json={"label": "it", "transport": transport})
    await api.json("POST", f"/servers/{added['id']}/connect", 202)
    await api.server("it")
    yield added
    await api.delete(f"/servers/{added['id']}")


async def test_a_new_name_is_saved_without_reconnecting(api: Api, person: Person, server: Json) -> None:
    call = await api.call("it", "ask_form")
    [request] = await api.pending_requests(call)
    path = f"/servers/{server['id']}/settings"
    url = server["transport"]["url"]
    saved = await person.submit(path, label="renamed", url=url, type="auto")
    assert "Saved." in await person.page(saved.headers["location"])
    assert (await api.json("GET", f"/servers/{server['id']}"))["label"] == "renamed"
    assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"
    await api.answer(request, action="cancel")


async def test_headers_are_named_and_their_values_never_shown(api: Api, person: Person, server: Json) -> None:
    path = f"/servers/{server['id']}/settings"
    page = await person.page(path)
    assert 'name="remove" value="X-Key"' in page
    assert "s3cret-value" not in page
    await person.submit(path, label="it", remove="X-Key", headers="x-team: v3rmilion\nX-New: 1", type="auto")
    page = await person.page(path)
    assert re.findall(r'name="remove" value="([^"]+)"', page) == ["x-team", "X-New"]
    assert "v3rmilion" not in page
    assert (await api.json("GET", f"/servers/{await api.server('it')}"))["state"] == "connected"


async def test_an_address_that_does_not_answer_is_not_saved(api: Api, person: Person, server: Json) -> None:
    path = f"/servers/{server['id']}/settings"
    page = (await person.submit(path, 422, label="it", url=NOWHERE, type="auto")).text
    assert f'data-reason="{ReasonCode.NOTHING_LISTENS}"' in page
    assert f'value="{NOWHERE}"' in page
    now = await api.json("GET", f"/servers/{server['id']}")
    assert (now["transport"]["url"], now["state"]) == (server["transport"]["url"], "connected")
    await person.submit(path, label="it", url=NOWHERE, type="auto", save="anyway")
    assert (await api.json("GET", f"/servers/{server['id']}"))["transport"]["url"] == NOWHERE


async def test_open_work_is_named_before_it_ends(api: Api, person: Person, server: Json) -> None:
    call = await api.call("it", "ask_form")
    [request] = await api.pending_requests(call)
    path, typed = f"/servers/{server['id']}/settings", {"label": "it", "headers": "X-New: 1", "type": "auto"}
    page = (await person.post(path, data=typed)).text
    assert "1 question is waiting for you. It will be interrupted" in page
    assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"
    await person.submit(path, save="confirmed", **typed)  # type: ignore[arg-type]
    ended = await api.json("GET", f"/requests/{request['id']}")
    assert (ended["state"], ended["reason_code"]) == ("interrupted", ReasonCode.ADDRESS_CHANGED)
    await api.server("it")


async def test_a_wrong_field_has_its_error_and_changes_nothing(api: Api, person: Person, server: Json) -> None:
    path = f"/servers/{server['id']}/settings"
    for wrong in ({"label": ""}, {"label": "x", "url": "ftp://a"}, {"label": "x", "headers": "no colon"}):
        page = (await person.post(path, data=wrong)).text
        assert page.count("autofocus") == 1
    assert (await api.json("GET", f"/servers/{server['id']}"))["label"] == "it"


async def test_a_server_of_the_config_file_is_changed_there(api: Api, person: Person) -> None:
    path = f"/servers/{await api.server('configured')}/settings"
    assert 'name="url"' not in await person.page(path)
    await person.submit(path, 403, label="configured", url=NOWHERE, type="auto", save="anyway")


async def test_keys_of_an_entry_without_an_effect_are_listed(api: Api, person: Person, asker: RunningServer) -> None:
    configured = await api.server("configured")
    page = await person.page(f"/servers/{configured}/settings")
    assert re.search(r"data-unused>[^<]*headersHelper[^<]*timeout", page)
    entry = {"url": asker.address, "sandbox": {"a": 1}}
    saved = await person.submit("/servers", url=json.dumps({"mcpServers": {"pasted": entry}}))
    assert "sandbox" in await person.page(saved.headers["location"])
