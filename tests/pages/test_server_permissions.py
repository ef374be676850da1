"""What a user lets a server ask, and what is said before something ends, as pages without JavaScript."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

from tests.mcp_servers import running, stdio
from tests.pages.person import Person, card
from tests.program import Api, Program, program

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    entry = {key: value for key, value in stdio("asker").items() if key != "type" and value}
    servers = {"push": {**entry, "era": "2025-11-25"}, "rounds": {**entry, "era": "2026-07-28"}}
    async with program(tmp_path_factory.mktemp("asking"), servers=servers) as served:
        yield served


def _checked(page: str) -> list[str]:
    return re.findall(r'name="mode" value="(\w+)" checked', page)


async def test_a_mode_is_switched_off_and_on_again(api: Api, person: Person) -> None:
    server = await api.server("rounds")
    assert _checked(await person.page(f"/servers/{server}")) == ["form", "url"]
    await person.submit(f"/servers/{server}/modes", mode="form")
    assert _checked(await person.page(f"/servers/{server}")) == ["form"]
    await person.submit(f"/servers/{server}/modes", mode=["form", "url"])
    assert _checked(await person.page(f"/servers/{server}")) == ["form", "url"]
    await person.submit(f"/servers/{server}/modes", 422, mode="dance")


async def test_a_change_that_would_cut_something_off_says_so_first(api: Api, person: Person) -> None:
    server = await api.server("push")
    [request] = await api.asked(await api.call("push", "ask_form"))
    path = f"/servers/{server}/modes"
    said = await person.submit(path, 409, mode="form")
    assert "1 question is waiting for you. It will be interrupted" in said.text
    assert "1 call is running. It will be interrupted" in said.text
    assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"
    [fields] = re.findall(rf'action="{path}">(.*?)</form>', said.text, re.DOTALL)
    confirmed = dict(re.findall(r'name="(\w+)" value="(\w+)"', fields))
    await person.submit(path, **confirmed)
    assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "interrupted"
    await api.server("push")


@pytest.mark.parametrize("what", ["disconnect", "delete"])
async def test_open_work_is_listed_before_disconnecting(api: Api, person: Person, what: str) -> None:
    async with running() as asker:
        body = {"label": what, "transport": {"type": "http", "url": asker.address}, "era": "2025-11-25"}
        added = await api.json("POST", "/servers", 201, json=body)
        await api.json("POST", f"/servers/{added['id']}/connect", 202)
        call = await api.call(what, "ask_many", {"n": 2})
        call = await api.in_state(call, "input_required")
        while len(await api.asked(call)) < 2:
            pass
        path = f"/servers/{added['id']}/{what}"
        for said in (await person.page(path), (await person.submit(path, 409)).text):
            assert "2 questions are waiting for you. They will be interrupted" in said
            assert f'action="{path}"' in said
        await api.json("GET", f"/servers/{added['id']}")
        await person.submit(path, confirmed="1")
        for request in (await api.json("GET", "/requests", params={"call_id": call["id"]}))["requests"]:
            assert request["state"] == "interrupted"
        if what == "disconnect":
            await person.submit(f"/servers/{added['id']}/delete")


async def test_another_era_says_first_what_it_cuts_off(api: Api, person: Person) -> None:
    server = await api.server("push")
    [request] = await api.asked(await api.call("push", "ask_form"))
    path = f"/servers/{server}/era"
    said = await person.submit(path, 409, era="auto")
    assert "1 question is waiting for you. It will be interrupted" in said.text
    assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"
    [fields] = re.findall(rf'action="{path}">(.*?)</form>', said.text, re.DOTALL)
    confirmed = dict(re.findall(r'name="(\w+)" value="([^"]+)"', fields))
    assert (await person.submit(path, **confirmed)).headers["location"] == f"/servers/{server}"
    cut = await api.json("GET", f"/requests/{request['id']}")
    assert (cut["state"], cut["reason_code"]) == ("interrupted", "era_changed")
    assert (await api.json("GET", f"/servers/{server}"))["era"] == "auto"
    await person.submit(path, era="2025-11-25")
    await api.server("push")


async def test_muting_is_confirmed_shown_and_undone(api: Api, person: Person) -> None:
    server = await api.server("rounds")
    call = await api.call("rounds", "ask_form")
    [request] = await api.asked(call)
    path = f"/servers/{server}/mute"
    assert f'href="{path}"' in card(await person.page("/"), request)
    for said in (await person.page(path), (await person.submit(path, 409)).text):
        assert "1 question is waiting for you. It will be cancelled" in said
    await person.submit(path, confirmed="1")
    page = await person.page(f"/servers/{server}")
    assert "Muted. Questions from this server are cancelled automatically." in page
    assert ">muted</span>" in await person.page("/")
    assert (await api.json("GET", f"/requests/{request['id']}"))["reason_code"] == "server_muted"
    await person.submit(f"/servers/{server}/unmute")
    assert "You muted" not in await person.page(f"/servers/{server}")


async def test_to_decline_all_is_confirmed_with_how_many(api: Api, person: Person) -> None:
    server = await api.server("rounds")
    waiting = await api.asked(await api.call("rounds", "ask_many", {"n": 2}))
    path = f"/servers/{server}/decline-all"
    for said in (await person.page(path), (await person.submit(path, 409)).text):
        assert "2 questions are waiting for you. Each will be declined" in said
    assert (await person.submit(path, confirmed="1")).headers["location"] == "/"
    for request in waiting:
        assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "declined"
    assert "No questions from this server are waiting." in await person.page(path)
