"""Approval of several questions together, over HTTP: a page lists exactly what is approved, and is fenced."""

from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator

import pytest

from tests.mcp_servers import running
from tests.pages.person import Person
from tests.program import Api, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

EMPTY: Json = {"type": "object", "properties": {}}
FIELD: Json = {"type": "object", "properties": {"name": {"type": "string"}}}


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with running() as asker:
        servers = {"push": {"url": asker.address, "era": "2025-11-25"}}
        async with program(tmp_path_factory.mktemp("together"), servers=servers) as served:
            yield served


async def _ask(api: Api, message: str, schema: Json) -> str:
    call = await api.call("push", "ask_form", {"message": message, "schema": schema})
    return str((await api.pending_requests(call))[0]["id"])


def _posted(page: str, name: str) -> list[str]:
    form = page.partition('action="/requests/approve"')[2].partition("</form>")[0]
    return [html.unescape(each) for each in re.findall(rf'name="{name}" value="([^"]+)"', form)]


async def _state(api: Api, id_: str) -> str:
    return str((await api.json("GET", f"/requests/{id_}"))["state"])


async def test_selected_requests_are_listed_then_approved(api: Api, person: Person) -> None:
    long = "Deploy " + "all " * 60 + "now?"
    plain = [await _ask(api, long, EMPTY), await _ask(api, "Restart?", EMPTY)]
    field = await _ask(api, "Your name?", FIELD)
    page = (await person.submit("/requests/approve", 200, request=[*plain, field])).text
    assert _posted(page, "request") == plain
    assert long in page
    assert "Your name?" in page.partition('id="left"')[2]
    assert [await _state(api, each) for each in [*plain, field]] == ["pending"] * 3
    sent: Json = {"request": plain, "fence": _posted(page, "fence"), "confirmed": "1"}
    await person.submit("/requests/approve", **sent)
    assert [await _state(api, each) for each in [*plain, field]] == ["accepted", "accepted", "pending"]


async def test_a_tool_is_not_approved_with_others(api: Api, person: Person) -> None:
    plain, body = await _ask(api, "Restart?", EMPTY), {"kind": "approval", "tool": {"name": "wipe"}, "arguments": {}}
    tool = str((await api.json("POST", "/requests", 201, json=body))["id"])
    page = (await person.submit("/requests/approve", 200, request=[plain, tool])).text
    assert _posted(page, "request") == [plain]
    sent: Json = {"request": [plain, tool], "fence": [*_posted(page, "fence"), f"{tool} "], "confirmed": "1"}
    await person.submit("/requests/approve", 200, **sent)
    assert [await _state(api, each) for each in (plain, tool)] == ["accepted", "pending"]


async def test_requests_that_were_not_listed_stay_pending(api: Api, person: Person) -> None:
    changed, field = await _ask(api, "Restart again?", EMPTY), await _ask(api, "Your name, again?", FIELD)
    sent: Json = {"request": [changed, field], "fence": [f"{changed} other", f"{field} "], "confirmed": "1"}
    page = (await person.submit("/requests/approve", 200, **sent)).text
    assert "Restart again?" in page.partition('id="left"')[2]
    assert [await _state(api, each) for each in (changed, field)] == ["pending"] * 2


async def test_one_answered_meanwhile_is_skipped_and_named(api: Api, person: Person) -> None:
    ids = [await _ask(api, "Stop it?", EMPTY), await _ask(api, "Go on?", EMPTY)]
    page = (await person.submit("/requests/approve", 200, request=ids)).text
    await api.answer({"id": ids[0]}, action="decline")
    page = (
        await person.submit("/requests/approve", 200, request=ids, fence=_posted(page, "fence"), confirmed="1")
    ).text
    left = page.partition('id="left"')[2]
    assert "Stop it?" in left
    assert "Go on?" not in left
    assert [await _state(api, each) for each in ids] == ["declined", "accepted"]


async def test_a_list_sent_twice_says_what_was_approved(api: Api, person: Person) -> None:
    ids = [await _ask(api, "Copy it?", EMPTY), await _ask(api, "Move it?", EMPTY)]
    sent: Json = {"request": ids, "confirmed": "1"}
    sent["fence"] = _posted((await person.submit("/requests/approve", 200, request=ids)).text, "fence")
    for said in ("Approved 2 questions.", "2 questions were already approved."):
        response = await person.submit("/requests/approve", **sent)
        assert f">{said}<" in await person.page(response.headers["location"])
    late = await _ask(api, "Delete it?", EMPTY)
    page = (await person.submit("/requests/approve", 200, **{**sent, "request": [*ids, late]})).text
    left = page.partition('id="left"')[2].partition("</ul>")[0]
    assert [each in left for each in ("Copy it?", "Move it?", "Delete it?")] == [False, False, True]
    assert "Approved 2 questions, not all" in page


async def test_one_that_takes_no_rejection_is_not_declined(api: Api, person: Person) -> None:
    plain = await _ask(api, "Reboot?", EMPTY)
    body = {"kind": "approval", "tool": {"name": "burn"}, "arguments": {}, "allow": ["approve", "respond"]}
    tool = str((await api.json("POST", "/requests", 201, json=body))["id"])
    page = (await person.submit("/requests/decline", 200, request=[plain, tool])).text
    form = page.partition('action="/requests/decline"')[2].partition("</form>")[0]
    assert [each in form for each in (plain, tool)] == [True, False]
    assert tool in page.partition('id="left"')[2]
    response = await person.submit("/requests/decline", request=[plain, tool], confirmed="1")
    assert "undo" in await person.page(response.headers["location"])
    page = (await person.submit("/requests/decline", 200, request=[tool], confirmed="1")).text
    assert 'name="confirmed"' not in page
    rows = {each["id"] for each in (await api.json("GET", "/requests?state=pending"))["requests"]}
    assert tool in rows
