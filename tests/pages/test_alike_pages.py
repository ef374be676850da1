"""Calls that are alike, over HTTP: shown whole on one page, and decided on as they were shown."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.forms.filling import Page
from tests.gateway.agents import connected, token
from tests.gateway.houses import house, open_requests
from tests.mcp_servers import entry
from tests.mcp_servers.counting import runs
from tests.pages.person import Person
from tests.program import Api, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

WIPE: Json = {"name": "wipe", "title": "Delete file", "annotations": {"destructiveHint": True}}


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEBCLIENT_UNDO_SECONDS", "0")
        async with program(tmp_path_factory.mktemp("alike")) as served:
            yield served


async def _ask(api: Api, folder: str, *names: str, tool: Json = WIPE, **more: Any) -> list[str]:
    """Propose to delete these files of a folder, and return the ids of the questions."""
    bodies = [{"kind": "approval", "tool": tool, "arguments": {"path": f"{folder}/{name}"}, **more} for name in names]
    return [str((await api.json("POST", "/requests", 201, json=body))["id"]) for body in bodies]


async def _key(person: Person, id_: str) -> str:
    """Return the key of the group in which the inbox shows a question, "" if that stands alone."""
    for each in (await person.page("/")).split("<li ")[1:]:
        if f'id="row-{id_}"' in each:
            found = re.search(r"/requests/alike\?key=(\w+)", each)
            return found[1] if found else ""
    raise AssertionError(id_)


def _fences(page: str) -> list[str]:
    return re.findall(r'name="fence" value="([^"]+)"', page)


async def _states(api: Api, ids: list[str]) -> list[str]:
    return [(await api.json("GET", f"/requests/{each}"))["state"] for each in ids]


async def test_the_page_shows_all_arguments_and_approves_these_calls(api: Api, person: Person) -> None:
    ids = await _ask(api, "/srv/one", "a.txt", "b.txt", "c.txt")
    key = await _key(person, ids[0])
    page = await person.page(f"/requests/alike?key={key}")
    text = Page(page).text
    assert all(f"/srv/one/{name}.txt" in text for name in "abc")
    assert [each.split()[0] for each in _fences(page)] == ids
    # It comes after the page was shown.
    (late,) = await _ask(api, "/srv/one", "d.txt")
    response = await person.submit("/requests/alike", key=key, fence=_fences(page), action="accept")
    assert await _states(api, [*ids, late]) == ["accepted"] * 3 + ["pending"]
    assert "3" in await person.page(response.headers["location"])
    verbs = [(await api.json("GET", f"/requests/{each}"))["decision"]["verb"] for each in ids]
    assert verbs == ["approve"] * 3


async def test_words_reach_the_agent_of_each_declined_call(api: Api, person: Person) -> None:
    ids = await _ask(api, "/srv/two", "a.txt", "b.txt")
    key = await _key(person, ids[0])
    sent: Json = {"key": key, "fence": _fences(await person.page(f"/requests/alike?key={key}")), "with_message": "1"}
    await person.submit("/requests/alike", 422, **sent, decline_message="x" * 2001)
    await person.submit("/requests/alike", 422, **{**sent, "with_message": ""}, action="other")
    assert await _states(api, ids) == ["pending"] * 2
    await person.submit("/requests/alike", **sent, decline_message="Ask me in May.")
    decisions = [(await api.json("GET", f"/requests/{each}"))["decision"] for each in ids]
    assert [(each["verb"], each["message"]) for each in decisions] == [("reject", "Ask me in May.")] * 2


@pytest.mark.parametrize("button", [{"action": "accept"}, {"with_message": "1", "decline_message": "Not now."}])
async def test_a_decision_on_all_can_be_undone(button: Json, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WEBCLIENT_UNDO_SECONDS", "WEBCLIENT_UNDO_APPROVAL_SECONDS"):
        monkeypatch.setenv(name, "60")
    async with program(tmp_path) as served, served.client() as api, Person(served) as person:
        ids = await _ask(api, "/srv/one", "a.txt", "b.txt")
        key = await _key(person, ids[0])
        for _time in range(2):
            fences = _fences(await person.page(f"/requests/alike?key={key}"))
            response = await person.submit("/requests/alike", key=key, fence=fences, **button)
            assert await _states(api, ids) == ["pending"] * 2
            # Each of them stands alone by now.
            assert await _key(person, ids[0]) == ""
            page = await person.page(response.headers["location"])
            assert f'name="request" value="{ids[1]}"' in page.split('action="/requests/undo"')[1].split("</form>")[0]
            await person.submit("/requests/undo", request=ids)
            assert await _key(person, ids[0]) == key
            # Untouched: what would be sent are the arguments as they were proposed.
            assert "data-typed" not in await person.page(f"/requests/{ids[0]}")
        await person.submit("/requests/alike", key=key, fence=fences, **button)
        await person.submit(f"/requests/{ids[0]}/undo", 200)
        assert "data-typed" not in await person.page(f"/requests/{ids[0]}")


async def test_calls_of_an_agent_run_once_after_a_decision_on_all(tmp_path: Path) -> None:
    paths = ["/srv/a.txt", "/srv/b.txt", "/srv/c.txt"]
    async with (
        house(tmp_path, bank=entry("counting", str(tmp_path / "runs"))) as (running, api),
        Person(running) as person,
        connected(running.base, await token(api, patience=60), "bank") as agent,
        asyncio.TaskGroup() as tasks,
    ):
        await api.json("PUT", "/rules", json={"rules": [{"tool": "look", "then": "ask"}]})
        calling = [tasks.create_task(agent.call_tool("look", {"path": each})) for each in paths]
        requests = await open_requests(api, len(paths))
        key = await _key(person, requests[0]["id"])
        # The agent takes one of them back.
        calling.pop().cancel()
        gone = next(each["id"] for each in requests if each["params"]["arguments"]["path"] == paths[-1])
        fences = _fences(await person.page(f"/requests/alike?key={key}"))
        assert (await api.json("GET", f"/requests/{gone}", params={"wait": 20}))["state"] != "pending"
        await person.submit("/requests/alike", key=key, fence=fences, action="accept")
        assert [result.is_error for result in await asyncio.gather(*calling)] == [False, False]
        assert sorted(str(arguments["path"]) for _tool, arguments in runs(tmp_path / "runs")) == paths[:-1]


async def test_calls_that_were_not_shown_stay_pending(api: Api, person: Person) -> None:
    ids = await _ask(api, "/srv/three", "a.txt", "b.txt")
    (other,) = await _ask(api, "/srv/keys", "b.txt")
    key = await _key(person, ids[0])
    fences = _fences(await person.page(f"/requests/alike?key={key}"))
    changed = [f"{ids[0]} {'0' * 64}", f"{other} {fences[1].split()[1]}"]
    await person.submit("/requests/alike", key=key, fence=changed, action="accept")
    await person.submit("/requests/alike", key=key, action="accept")
    await person.submit("/requests/alike", key="", fence=fences, action="accept")
    assert await _states(api, [*ids, other]) == ["pending"] * 3
    # One was answered alone, and a second click sends the same again.
    await api.answer({"id": ids[0]}, action="decline")
    for _click in range(2):
        await person.submit("/requests/alike", key=key, fence=fences, action="accept")
    assert await _states(api, ids) == ["declined", "accepted"]


async def test_a_dangerous_call_does_not_hide_among_others(api: Api, person: Person) -> None:
    usual = await _ask(api, "/srv/four", *(f"report-{n}.pdf" for n in range(11)))
    disguised = [
        *await _ask(api, "/srv/keys", "report-7.pdf"),
        *await _ask(api, "/srv/four", "report-7.pem", "*.pdf", "rep\u043ert-7.pdf", "report\u200b-7.pdf"),
        *await _ask(api, "/srv/four", "report-7.pdf", tool=WIPE | {"description": "Wipes the disk."}),
        *await _ask(api, "/srv/four", "report-7.pdf", message="The person has agreed."),
        *await _ask(api, "/srv/four", "report-7.pdf", label="Another agent"),
        *await _ask(api, "/srv/four", "report-7.pdf", allow=["approve"]),
    ]
    key = await _key(person, usual[0])
    assert [await _key(person, each) for each in disguised] == [""] * len(disguised)
    shown = [each.split()[0] for each in _fences(await person.page(f"/requests/alike?key={key}"))]
    assert shown == usual


async def test_a_call_that_is_left_alone_has_no_group(api: Api, person: Person) -> None:
    ids = await _ask(api, "/srv/five", "a.txt", "b.txt")
    key = await _key(person, ids[0])
    await api.answer({"id": ids[0]}, action="decline")
    assert await _key(person, ids[1]) == ""
    assert (await person.get(f"/requests/alike?key={key}")).status_code == 303


async def test_a_secret_argument_makes_a_call_stand_alone(api: Api, person: Person) -> None:
    arguments = {"path": "a.txt", "password": "hunter2!x"}
    body = {"kind": "approval", "tool": WIPE, "arguments": arguments}
    ids = [str((await api.json("POST", "/requests", 201, json=body))["id"]) for _n in range(2)]
    assert [await _key(person, each) for each in ids] == ["", ""]
