"""Undo of an approval, and of a decline or cancel with typed text, over HTTP, with and without JavaScript."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import AsyncIterator

import httpx2
import pytest

from tests.mcp_servers import running
from tests.pages.person import Person, card, messages, stream_of, until
from tests.program import Api, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "api_key": {"type": "string"},
        "size": {"type": "integer", "default": 3},
    },
}
UNTOUCHED: Json = {"f0": "", "f1": "", "f2": "3"}
TYPED: Json = {"f0": "Ada", "f1": "hunter2", "f2": "3"}


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with running() as asker:
        servers = {"push": {"url": asker.address, "era": "2025-11-25"}}
        with pytest.MonkeyPatch.context() as environment:
            # So long that it never ends during a test.
            environment.setenv("WEBCLIENT_UNDO_SECONDS", "60")
            environment.setenv("WEBCLIENT_UNDO_APPROVAL_SECONDS", "60")
            async with program(tmp_path_factory.mktemp("undo"), servers=servers) as served:
                yield served


async def ask_for_yes(api: Api, message: str) -> Json:
    """Have the server ask for a yes and nothing else."""
    arguments: Json = {"message": message, "schema": {"type": "object", "properties": {}}}
    [request] = await api.pending_requests(await api.call("push", "ask_form", arguments))
    return request


@pytest.fixture
async def request_(api: Api) -> Json:
    [request] = await api.pending_requests(await api.call("push", "ask_form", {"schema": SCHEMA}))
    return request


async def state(api: Api, request: Json) -> str:
    return str((await api.json("GET", f"/requests/{request['id']}"))["state"])


def decided(page: str, request: Json) -> str:
    found = re.search(rf'<div class="outcome [^>]*id="undo-{request["id"]}".*?</div>', page, re.DOTALL)
    assert found, page
    return found[0]


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_typed_text_delays_a_refusal_on_every_page(api: Api, person: Person, request_: Json, action: str) -> None:
    answered = await person.submit(f"/requests/{request_['id']}", action=action, **TYPED)
    assert answered.headers["location"] == f"/requests/{request_['id']}"
    assert await state(api, request_) == "pending"
    for page in (f"/requests/{request_['id']}", f"/calls/{request_['call_id']}"):
        line = decided(html := await person.page(page), request_)
        assert f'data-decided="{action}"' in line
        assert 'role="status"' in line
        assert f'action="/requests/{request_["id"]}/undo"' in line
        assert f'id="request-{request_["id"]}"' not in html


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_refusal_without_typed_text_is_sent_at_once(
    api: Api, person: Person, request_: Json, action: str
) -> None:
    await person.submit(f"/requests/{request_['id']}", action=action, **UNTOUCHED)
    assert await state(api, request_) == {"decline": "declined", "cancel": "cancelled"}[action]


@pytest.mark.parametrize("answer", [{"action": "accept"}, {"respond": "Nothing to wipe.", "with_response": "1"}])
async def test_a_decision_on_a_tool_without_arguments_is_sent_at_once(api: Api, person: Person, answer: Json) -> None:
    proposal = {"kind": "approval", "tool": {"name": "wipe"}, "arguments": {}}
    request = await api.json("POST", "/requests", 201, json=proposal)
    await person.submit(f"/requests/{request['id']}", **answer)
    assert await state(api, request) == "accepted"


async def test_undo_brings_the_card_back_with_all_typed_text(api: Api, person: Person, request_: Json) -> None:
    await person.submit(f"/requests/{request_['id']}", action="decline", **TYPED)
    back = await person.submit(f"/requests/{request_['id']}/undo", 200)
    # Even what may be a secret, which no draft keeps.
    assert 'value="Ada"' in card(back.text, request_)
    assert "hunter2" in card(back.text, request_)
    assert 'value="Ada"' in (later := card(await person.page(f"/requests/{request_['id']}"), request_))
    assert "hunter2" not in later
    assert await state(api, request_) == "pending"
    await api.answer(request_, action="accept", content={"name": "Ada"})


async def test_each_page_says_the_seconds_that_are_left(person: Person, request_: Json) -> None:
    # Only a secret is typed: it makes no draft, so nothing but the seconds can differ.
    await person.submit(f"/requests/{request_['id']}", action="decline", **UNTOUCHED | {"f1": "hunter2"})
    first = decided(await person.page(f"/requests/{request_['id']}"), request_)
    await asyncio.sleep(1.1)
    assert decided(await person.page(f"/requests/{request_['id']}"), request_) != first


async def test_a_second_refusal_is_sent_at_once_and_keeps_the_text(api: Api, person: Person, request_: Json) -> None:
    await person.submit(f"/requests/{request_['id']}", action="decline", **TYPED)
    await person.submit(f"/requests/{request_['id']}", action="cancel", **TYPED)
    assert await state(api, request_) == "cancelled"
    assert f'<a href="/requests/{request_["id"]}"' in await person.page("/")
    assert "name: Ada" in await person.page(f"/requests/{request_['id']}")


async def test_undo_after_an_answer_elsewhere_shows_that_answer(api: Api, person: Person, request_: Json) -> None:
    await person.submit(f"/requests/{request_['id']}", action="decline", **TYPED)
    await api.answer(request_, action="accept", content={"name": "Bob"})
    late = await person.submit(f"/requests/{request_['id']}/undo", 409)
    assert f'id="outcome-{request_["id"]}" data-state="accepted"' in late.text


async def test_the_api_answers_at_once_beside_a_draft(api: Api, person: Person, request_: Json) -> None:
    await person.submit(f"/requests/{request_['id']}/draft", 200, **TYPED)
    assert (await api.answer(request_, action="decline"))["state"] == "declined"
    assert "name: Ada" in await person.page(f"/requests/{request_['id']}")


async def test_other_tabs_see_the_decision_and_its_undo(person: Person, request_: Json) -> None:
    id_ = request_["id"]
    async with person.stream("GET", stream_of(await person.page(f"/requests/{id_}"))) as stream:
        pushed = messages(stream)
        await person.submit(f"/requests/{id_}", action="decline", **TYPED)
        assert f'hx-target="#request-{id_}, #undo-{id_}"' in await until(pushed, f'id="undo-{id_}"')
        await person.submit(f"/requests/{id_}/undo", 200)
        assert f'hx-target="#detail-{id_} #cards" hx-swap="once"' in await until(pushed, f'id="request-{id_}"')


async def test_selected_requests_are_restored_together(api: Api, person: Person) -> None:
    requests = [(await api.pending_requests(await api.call("push", "ask_form", {"schema": SCHEMA})))[0] for _ in "123"]
    ids = [request["id"] for request in requests]
    await person.submit(f"/requests/{ids[0]}/draft", 200, **TYPED)
    page = await person.page((await person.submit("/requests/decline", request=ids, confirmed="1")).headers["location"])
    said = page.partition('id="flash"')[2].partition("</form>")[0]
    assert "Declined 3 questions." in said
    assert {html.unescape(each) for each in re.findall(r'name="request" value="([^"]+)"', said)} == set(ids)
    assert [await state(api, request) for request in requests] == ["pending"] * 3
    # Only the first has text to keep, and none of them can be selected again.
    lines = [decided(await person.page(f"/requests/{id_}"), {"id": id_}) for id_ in ids]
    assert ["kept for one day" in line for line in lines] == [True, False, False]
    assert f'name="request" value="{ids[0]}" aria' not in await person.page("/")
    again = await person.submit("/requests/decline", 200, request=ids, confirmed="1")
    assert "no longer waiting" in again.text
    # One of them is answered elsewhere before.
    await api.answer(requests[2], action="decline")
    back = await person.submit("/requests/undo", request=ids)
    sentence = (await person.page(back.headers["location"])).partition('id="flash"')[2]
    assert "2 questions are waiting again. 1 question had ended before." in sentence
    assert 'value="Ada"' in card(await person.page(f"/requests/{ids[0]}"), requests[0])
    assert [await state(api, request) for request in requests] == ["pending", "pending", "declined"]
    await api.answer(requests[0], action="decline")
    await api.answer(requests[1], action="decline")


async def test_htmx_swaps_the_line_for_the_card(served: Program, request_: Json) -> None:
    async with Person(served, htmx=True) as person:
        line: httpx2.Response = await person.submit(f"/requests/{request_['id']}", 200, action="cancel", **TYPED)
        assert "<html" not in line.text
        assert decided(line.text, request_)
        back = await person.submit(f"/requests/{request_['id']}/undo", 200)
        assert card(back.text, request_).startswith("<article")


async def test_an_approval_can_be_undone_until_the_next_answer(api: Api, person: Person) -> None:
    first, second, third = [await ask_for_yes(api, f"Deploy {n}?") for n in range(3)]
    await person.submit(f"/requests/{first['id']}", action="accept")
    line = decided(await person.page(f"/requests/{first['id']}"), first)
    assert 'data-decided="accept"' in line
    assert "or when you go on" in line
    assert await state(api, first) == "pending"
    await person.submit(f"/requests/{first['id']}/undo", 200)
    await person.submit(f"/requests/{second['id']}", action="accept")
    assert [await state(api, each) for each in (first, second)] == ["pending", "pending"]
    await person.submit(f"/requests/{third['id']}", action="decline")
    assert [await state(api, each) for each in (first, second, third)] == ["pending", "accepted", "declined"]
    await person.submit(f"/requests/{first['id']}", action="accept")
    await person.submit("/requests/send", 204)
    assert await state(api, first) == "accepted"


async def test_answers_with_fields_and_of_programs_are_sent_at_once(api: Api, person: Person, request_: Json) -> None:
    await person.submit(f"/requests/{request_['id']}", action="accept", **TYPED, confirmed="1")
    assert await state(api, request_) == "accepted"
    request = await ask_for_yes(api, "Publish?")
    assert (await api.answer(request, action="accept"))["state"] == "accepted"
    listed = await ask_for_yes(api, "Archive?")
    page = (await person.submit("/requests/approve", 200, request=listed["id"])).text
    fence = re.findall(r'name="fence" value="([^"]+)"', page)
    await person.submit("/requests/approve", request=listed["id"], fence=fence, confirmed="1")
    assert await state(api, listed) == "accepted"
