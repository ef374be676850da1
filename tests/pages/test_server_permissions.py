"""A user's permissions for a server, and the confirmation before work ends, as pages without JavaScript."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

from tests.mcp_servers import asker_entries, running
from tests.pages.person import Person, card
from tests.program import Api, Program, program

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    with pytest.MonkeyPatch.context() as environment:
        # So long that it never ends during a test.
        environment.setenv("WEBCLIENT_UNDO_SECONDS", "60")
        async with program(tmp_path_factory.mktemp("asking"), servers=asker_entries()) as served:
            yield served


def _checked(page: str) -> list[str]:
    return re.findall(r'name="mode" value="(\w+)" checked', page)


async def test_a_mode_is_switched_off_and_on_again(api: Api, person: Person) -> None:
    server = await api.server("rounds")
    assert _checked(await person.page(f"/servers/{server}/permissions")) == ["form", "url", "sampling"]
    await person.submit(f"/servers/{server}/modes", mode="form")
    assert _checked(await person.page(f"/servers/{server}/permissions")) == ["form"]
    await person.submit(f"/servers/{server}/modes", mode=["form", "url"])
    assert _checked(await person.page(f"/servers/{server}/permissions")) == ["form", "url"]
    await person.submit(f"/servers/{server}/modes", 422, mode="dance")


async def test_a_change_that_would_cut_something_off_says_so_first(api: Api, person: Person) -> None:
    server = await api.server("push")
    [request] = await api.pending_requests(await api.call("push", "ask_form"))
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
        while len(await api.pending_requests(call)) < 2:
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
            await person.submit(f"/servers/{added['id']}/delete", confirmed="1")


async def test_another_era_says_first_what_it_cuts_off(api: Api, person: Person) -> None:
    server = await api.server("push")
    [request] = await api.pending_requests(await api.call("push", "ask_form"))
    path = f"/servers/{server}/era"
    said = await person.submit(path, 409, era="auto")
    assert 'id="confirmation"' in said.text
    assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"
    [fields] = re.findall(rf'action="{path}">(.*?)</form>', said.text, re.DOTALL)
    confirmed = dict(re.findall(r'name="(\w+)" value="([^"]+)"', fields))
    assert (await person.submit(path, **confirmed)).headers["location"].startswith(f"/servers/{server}/settings?")
    cut = await api.json("GET", f"/requests/{request['id']}")
    assert (cut["state"], cut["reason_code"]) == ("interrupted", "era_changed")
    assert (await api.json("GET", f"/servers/{server}"))["era"] == "auto"
    await person.submit(path, era="2025-11-25")
    await api.server("push")


async def test_muting_is_confirmed_shown_and_undone(api: Api, person: Person) -> None:
    server = await api.server("rounds")
    call = await api.call("rounds", "ask_form")
    [request] = await api.pending_requests(call)
    path = f"/servers/{server}/mute"
    assert f'href="{path}"' in card(await person.page(f"/requests/{request['id']}"), request)
    for said in (await person.page(path), (await person.submit(path, 409)).text):
        assert "1 question is waiting for you. It will be dismissed" in said
    await person.submit(path, confirmed="1")
    page = await person.page(f"/servers/{server}")
    assert f'action="/servers/{server}/unmute"' in page
    assert ">Muted</span>" in await person.page("/")
    assert (await api.json("GET", f"/requests/{request['id']}"))["reason_code"] == "server_muted"
    await person.submit(f"/servers/{server}/unmute")
    assert f'action="/servers/{server}/unmute"' not in await person.page(f"/servers/{server}")


async def test_to_decline_all_is_confirmed_with_how_many(api: Api, person: Person) -> None:
    server = await api.server("rounds")
    waiting = await api.pending_requests(await api.call("rounds", "ask_many", {"n": 2}))
    path = f"/servers/{server}/decline-all"
    for said in (await person.page(path), (await person.submit(path, 409)).text):
        assert "2 questions are waiting for you. Each will be declined" in said
    declined = (await person.submit(path, confirmed="1")).headers["location"]
    assert declined.startswith("/?")
    page = await person.page(declined)
    assert "Declined 2 questions from rounds." in page
    ids = [str(request["id"]) for request in waiting]
    said = page.partition('id="flash"')[2].partition("</form>")[0]
    assert sorted(re.findall(r'name="request" value="([^"]+)">', said)) == sorted(ids)
    back = (await person.submit("/requests/undo", request=ids)).headers["location"]
    assert "2 questions are waiting again." in await person.page(back)
    assert {(await api.json("GET", f"/requests/{id_}"))["state"] for id_ in ids} == {"pending"}
    await person.submit(path, confirmed="1")
    await person.submit(path, confirmed="1")
    for id_ in ids:
        assert (await api.json("GET", f"/requests/{id_}"))["state"] == "declined"
    assert "No questions from this server are waiting." in await person.page(path)


async def test_folders_are_shared_changed_and_no_longer_shared(api: Api, person: Person) -> None:
    """F10 (MCP 2025-11-25, Roots, Implementation): clients SHOULD prompt for consent, with a clear interface."""
    async with running() as asker:
        body = {"label": "folders", "transport": {"type": "http", "url": asker.address}, "era": "2026-07-28"}
        server = (await api.json("POST", "/servers", 201, json=body))["id"]
        page, path = f"/servers/{server}/permissions", f"/servers/{server}/roots"
        assert 'name="share" value="yes" checked' not in await person.page(page)
        wrong = await person.submit(path, 422, share="yes", folder=["/home/me/notes", "../etc"], name=["<b>Notes", ""])
        assert 'value="../etc"' in wrong.text
        assert wrong.text.count('aria-invalid="true"') == 1
        assert "&lt;b&gt;Notes" in wrong.text
        assert "roots" not in await api.json("GET", f"/servers/{server}")
        await person.submit(path, share="yes", folder=["/home/me/notes", "", "/"], name=["Notes", "", ""])
        shared = [{"uri": "file:///home/me/notes", "name": "Notes"}, {"uri": "file:///"}]
        assert (await api.json("GET", f"/servers/{server}"))["roots"] == shared
        shown = await person.page(page)
        assert re.findall(r'name="folder"[^>]*? value="([^"]*)"', shown) == ["/home/me/notes", "/", "", ""]
        assert 'id="root-2-notes"' in shown, "a whole disk is named as such"
        await person.submit(path, folder="/home/me/notes")
        assert "roots" not in await api.json("GET", f"/servers/{server}")


async def test_sharing_folders_says_what_reconnecting_ends(api: Api, person: Person) -> None:
    async with running() as asker:
        body = {"label": "busy", "transport": {"type": "http", "url": asker.address}, "era": "2025-11-25"}
        server = (await api.json("POST", "/servers", 201, json=body))["id"]
        await api.json("POST", f"/servers/{server}/connect", 202)
        [request] = await api.pending_requests(await api.call("busy", "ask_form"))
        path = f"/servers/{server}/roots"
        said = await person.submit(path, 409, share="yes", folder="/a b", name="")
        assert "roots" not in await api.json("GET", f"/servers/{server}")
        [fields] = re.findall(rf'action="{path}">(.*?)</form>', said.text, re.DOTALL)
        confirmed = dict(re.findall(r'name="(\w+)" value="([^"]*)"', fields))
        await person.submit(path, **confirmed)
        assert (await api.json("GET", f"/servers/{server}"))["roots"] == [{"uri": "file:///a%20b"}]
        assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "interrupted"
        # The list may change at any time after that.
        await person.submit(path, share="yes", folder="/c", name="")


async def test_folders_of_a_program_on_this_computer_are_shown_alone(api: Api, person: Person) -> None:
    server = await api.server("push")
    page = await person.page(f"/servers/{server}/permissions")
    assert 'name="folder"' not in page
    await person.submit(f"/servers/{server}/roots", 403, share="yes", folder="/")


async def test_the_level_of_log_messages_is_chosen(api: Api, person: Person) -> None:
    server = await api.server("push")
    await person.submit(f"/servers/{server}/log-level", level="warning")
    page = await person.page(f"/servers/{server}/log")
    assert '<option value="warning" selected>' in page
    assert (await api.json("GET", f"/servers/{server}"))["log_level"] == "warning"
    await person.submit(f"/servers/{server}/log-level", 422, level="loud")
    assert (await api.json("PATCH", f"/servers/{server}", json={"log_level": "debug"}))["log_level"] == "debug"
    call = await api.in_state(await api.call("push", "log", {"text": "<b>Looking"}), "done")
    shown = await person.page(f"/servers/{server}/log")
    assert "&lt;b&gt;Looking" in shown
    assert 'data-level="error"' in shown
    messages = (await api.json("GET", f"/servers/{server}/messages"))["entries"]
    assert [each["level"] for each in messages] == ["debug", "error"]
    assert call["state"] == "done"
