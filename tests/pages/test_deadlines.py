"""Deadlines and repeated questions on the cards of a page without JavaScript."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import datetime, timedelta

import pytest

from tests.mcp_servers import asker_entries
from tests.pages.person import Person, card
from tests.program import Api, Program, program
from webclient.domain.model import Json
from webclient.web.pages.inbox.cards import LONG_CALL

pytestmark = pytest.mark.anyio

LENGTH = timedelta(minutes=9)
SCHEMA = {"type": "object", "properties": {"name": {"type": "string", "title": "Your name"}}}


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEBCLIENT_DEADLINE_PUSH", str(LENGTH.total_seconds()))
        async with program(tmp_path_factory.mktemp("deadlines"), servers=asker_entries()) as served:
            yield served


async def _decline(api: Api, request: Json) -> None:
    """Decline, and wait for the end: of two calls at once over stdio, the asking one is unknown."""
    await api.answer(request, action="decline")
    await api.in_state(await api.json("GET", f"/calls/{request['call_id']}"), "done")


async def test_a_card_says_when_its_time_runs_out_and_gives_more(api: Api, person: Person) -> None:
    [request] = await api.pending_requests(await api.call("push", "ask_form", {"schema": SCHEMA}))
    expires_at = datetime.fromisoformat(request["expires_at"])
    shown = card(await person.page(f"/requests/{request['id']}"), request)
    assert f"at {expires_at:%H:%M} UTC</time>" in shown
    path = f"/requests/{request['id']}/more-time"
    assert f'formaction="{path}"' in shown
    assert shown.index('value="accept"') < shown.index(path)
    await person.submit(path, f0="half typed")
    extended = await api.json("GET", f"/requests/{request['id']}")
    assert datetime.fromisoformat(extended["expires_at"]) == expires_at + LENGTH
    shown = card(await person.page(f"/requests/{request['id']}"), request)
    assert path not in shown
    assert 'value="half typed"' in shown
    await _decline(api, request)
    assert "It was declined" in (await person.submit(path, 409)).text


async def test_extending_an_untouched_form_saves_no_draft(api: Api, person: Person) -> None:
    [request] = await api.pending_requests(await api.call("push", "ask_form", {"schema": SCHEMA}))
    await person.submit(f"/requests/{request['id']}/more-time", f0="")
    assert re.search(
        r'<span class="draft"[^>]*></span>', card(await person.page(f"/requests/{request['id']}"), request)
    )
    await _decline(api, request)


async def test_htmx_gets_the_two_parts_and_leaves_the_card(api: Api, served: Program) -> None:
    [request] = await api.pending_requests(await api.call("push", "ask_form", {"schema": SCHEMA}))
    async with Person(served, htmx=True) as browser:
        answer = await browser.submit(f"/requests/{request['id']}/more-time", 200, f0="typed")
    assert answer.headers["HX-Reswap"] == "none"
    assert answer.text.count("<hx-partial") == 2
    assert "<article" not in answer.text
    await _decline(api, request)


async def test_the_api_gives_more_time_to_what_runs_out(api: Api) -> None:
    for label, status in (("push", 200), ("rounds", 409)):
        [request] = await api.pending_requests(await api.call(label, "ask_form", {"schema": SCHEMA}))
        response = await api.json("POST", f"/requests/{request['id']}/more-time", status)
        if status == 200:
            extended = datetime.fromisoformat(response["expires_at"]) - datetime.fromisoformat(request["expires_at"])
            assert extended == LENGTH
        else:
            assert "expires_at" not in request
            assert "no deadline" in response["detail"]
        await _decline(api, request)


async def test_a_call_says_no_hurry_only_without_a_deadline(api: Api, person: Person) -> None:
    for label, hurries in (("push", True), ("rounds", False)):
        [request] = await api.pending_requests(await api.call(label, "ask_form", {"schema": SCHEMA}))
        page = await person.page(f"/calls/{request['call_id']}")
        assert 'data-state="input_required"' in page
        assert ("No time limit" not in page) is hurries
        await _decline(api, request)


async def test_a_request_that_was_declined_before_says_so(api: Api, person: Person) -> None:
    for times, words in ((0, None), (1, "You&#39;ve declined this 1 time."), (2, "this 2 times.")):
        [request] = await api.pending_requests(
            await api.call("push", "ask_form", {"schema": SCHEMA, "message": "Again?"})
        )
        shown = card(await person.page(f"/requests/{request['id']}"), request)
        assert ("declined this" in shown) is (times > 0)
        assert words is None or words in shown
        wrong = await person.submit(f"/requests/{request['id']}", 422, action="accept", json="{")
        assert ("declined this" in wrong.text) is (times > 0)
        await _decline(api, request)


@pytest.mark.parametrize("htmx", [False, True])
async def test_from_the_twentieth_round_a_card_has_a_stop_button(served: Program, api: Api, htmx: bool) -> None:
    call = await api.call("rounds", "ask_forever")
    async with Person(served, htmx=htmx) as person:
        for number in range(1, LONG_CALL + 1):
            requests: list[Json] = []
            while not requests:
                # The call may still be in the state of the round before.
                requests = await api.pending_requests(call)
            [request] = requests
            stop = f'formaction="/requests/{request["id"]}/stop-call"'
            assert (stop in await person.page(f"/requests/{request['id']}")) is (number == LONG_CALL)
            if number < LONG_CALL:
                await api.answer(request, action="accept", content={"name": "again"})
        shown = card(await person.page(f"/requests/{request['id']}"), request)
        assert shown.index('value="accept"') < shown.index(stop)
        path = f"/requests/{request['id']}/stop-call"
        answer = await person.submit(path, 200 if htmx else 303, f0="half typed")
    assert ("<html" in answer.text) is False
    assert (await api.json("GET", f"/calls/{call['id']}"))["state"] == "cancelled"
    assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "cancelled"
    async with Person(served, htmx=htmx) as person:
        assert "half typed" in await person.page(f"/requests/{request['id']}")
        await person.submit(path, 409)
