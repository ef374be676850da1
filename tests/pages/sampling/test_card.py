"""The card of a sampling request as pages without JavaScript, with the person as the model."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from html import unescape
from typing import Any

import pytest

from tests.mcp_servers import running
from tests.pages.person import Person, card
from tests.pages.sampling.given import PIXEL, sampling_params, second_turn, with_tools
from tests.program import Api, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

FIELD = re.compile(r'<(?:input|textarea|select)\b[^>]*\bname="([^"]+)"[^>]*>')


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with running() as asker:
        servers = {
            "push": {"url": asker.address, "era": "2025-11-25"},
            "rounds": {"url": asker.address, "era": "2026-07-28"},
        }
        async with program(tmp_path_factory.mktemp("sampling"), servers=servers) as served:
            yield served


async def ask(api: Api, params: Json, server: str = "push") -> Json:
    """Have the server ask for an answer, and return the request."""
    [request] = await api.pending_requests(await api.call(server, "sample", {"params": params}))
    return request


def fields(page: str) -> dict[str, Any]:
    """Return what a browser would post of a card."""
    found: dict[str, list[str]] = {}
    for each in re.finditer(r'<input\b[^>]*\bname="([^"]+)"[^>]*>', page):
        ticked = 'type="checkbox"' not in each[0] or " checked" in each[0]
        value = re.search(r'\bvalue="([^"]*)"', each[0])
        if ticked and 'type="radio"' not in each[0]:
            found.setdefault(each[1], []).append(unescape(value[1] if value else ""))
    for each in re.finditer(r'<textarea\b[^>]*\bname="([^"]+)"[^>]*>\n?(.*?)</textarea>', page, re.DOTALL):
        found.setdefault(each[1], []).append(unescape(each[2]))
    found.pop("shown", None)
    return found


@pytest.mark.slow
async def test_the_card_shows_everything_that_the_server_sent(api: Api, person: Person) -> None:
    """MCP 2025-11-25, Sampling: the request SHOULD be shown; pictures by their size, tools with their schemas."""
    shown = card(await person.page(f"/requests/{(request := await ask(api, second_turn()))['id']}"), request)
    for text in ("Be brief.", "How is the weather in Lisbon?", "Let me look.", "get_weather", "Sunny", "70 B", "500"):
        assert text in shown, text
    # It is in the arguments of the call, above and below.
    assert PIXEL not in shown.partition("</header>")[2].partition("card__menu")[0]
    place = f"/requests/{request['id']}/contents/2.0.1/picture"
    assert f'src="{place}"' in shown
    assert (await person.get(place)).headers["content-type"] == "image/png"
    for nowhere in ("0.0", "9.9", "x", "2.0.1.0", "-1"):
        assert (await person.get(f"/requests/{request['id']}/contents/{nowhere}/picture")).status_code == 404
    whole = await person.get(f"/requests/{request['id']}/request.json")
    assert whole.headers["content-disposition"].startswith("attachment")
    assert whole.json()["messages"] == second_turn()["messages"]


@pytest.mark.parametrize("server", ["push", "rounds"])
async def test_a_person_writes_the_answer(api: Api, person: Person, server: str) -> None:
    """The person is the model by default: a text that they type is the message that the server gets."""
    request = await ask(api, sampling_params("What is the capital of France?"), server)
    path = f"/requests/{request['id']}"
    posted = fields(card(await person.page(path), request))
    empty = await person.submit(path, 422, **posted, action="accept")
    assert "error-summary" in card(empty.text, request)
    await person.submit(path, **posted | {"a.text.0": "Paris"}, action="accept")
    call = await api.in_state(await api.json("GET", f"/calls/{request['call_id']}"), "done")
    assert call["result"]["structuredContent"]["content"] == {"type": "text", "text": "Paris"}
    assert call["result"]["structuredContent"]["model"] == "written by a person"
    for page in ("/history", path, f"/calls/{call['id']}"):
        shown = unescape(await person.page(page))
        assert re.search(r'<div class="turn__text"[^>]*>What is the capital of France\?</div>', shown), page
        assert re.search(r'<div class="turn__text"[^>]*>Paris</div>', shown), page


async def test_a_tool_is_used_by_hand(api: Api, person: Person) -> None:
    """The form of the tool comes from its `inputSchema`; wrong values stay, and right ones are the input."""
    request = await ask(api, with_tools(toolChoice={"mode": "required"}))
    path = f"/requests/{request['id']}"
    posted = fields(card(await person.page(path), request))
    added = await person.submit(f"{path}/compose", 200, **posted, step="use.0")
    posted = fields(card(added.text, request))
    assert posted["part"] == ["text.0..", "use.1.0."]
    wrong = await person.submit(path, 422, **posted | {"f100": "Lisbon", "f101": "99"}, action="accept")
    posted = fields(card(wrong.text, request))
    assert (posted["f100"], posted["f101"]) == (["Lisbon"], ["99"])
    # What was typed is still there after a reload.
    assert fields(card(await person.page(path), request)) == posted
    await person.submit(path, **posted | {"f101": "2"}, action="accept")
    call = await api.in_state(await api.json("GET", f"/calls/{request['call_id']}"), "done")
    [use] = call["result"]["structuredContent"]["content"]
    assert (use["name"], use["input"]) == ("get_weather", {"city": "Lisbon", "days": 2})
    assert call["result"]["structuredContent"]["stopReason"] == "toolUse"


async def test_a_secret_in_the_answer_must_be_confirmed(api: Api, person: Person) -> None:
    """As in a form, once; and no draft keeps it."""
    request = await ask(api, sampling_params("What is your key?"))
    path = f"/requests/{request['id']}"
    posted = fields(card(await person.page(path), request)) | {"a.text.0": "sk-proj-" + "aB3dE6gH9j" * 5}
    stopped = await person.submit(path, 422, **posted, action="accept")
    assert 'name="confirmed"' in card(stopped.text, request)
    assert "sk-proj" not in card(await person.page(path), request)
    await person.submit(path, **posted, action="accept", confirmed="1")


@pytest.mark.parametrize(("server", "words"), [("push", "Decline"), ("rounds", "Decline and end the call")])
async def test_the_button_says_what_a_no_does(api: Api, person: Person, server: str, words: str) -> None:
    """MCP 2026-07-28 has no word for a declined request: the call ends, and the button says so."""
    request = await ask(api, sampling_params("May I?"), server)
    shown = card(await person.page(f"/requests/{request['id']}"), request)
    [button] = re.findall(r'<button[^>]*value="decline"[^>]*>(.*?)</button>', shown)
    assert button == words
    await person.submit(f"/requests/{request['id']}", action="decline")
    ended = await api.in_state(await api.json("GET", f"/calls/{request['call_id']}"), "failed", "done", "cancelled")
    assert (ended["state"] == "done") == (server == "push")


@pytest.mark.parametrize(
    "nonsense",
    [
        {"part": ["x", "use.999999999.0."], "a.text.0": "y" * 10_000},
        {"p.most": "abc", "p.tool": ["7", "x"], "step": "use.77", "edit": "add f9999"},
        {"step": "drop.0", "f0": "a", "f9999.json": "{"},
    ],
)
async def test_nonsense_is_posted_without_harm(api: Api, person: Person, nonsense: dict[str, Any]) -> None:
    """A client that posts what no card shows gets a card."""
    request = await ask(api, with_tools())
    path = f"/requests/{request['id']}"
    posted = fields(card(await person.page(path), request))
    for step in ("compose", "changes"):
        assert card((await person.submit(f"{path}/{step}", 200, **posted | nonsense)).text, request)
    await person.submit(path, action="decline")


async def test_a_form_has_no_model_routes(api: Api, person: Person) -> None:
    """The buttons belong to sampling requests only."""
    [request] = await api.pending_requests(await api.call("push", "ask_form"))
    for step in ("run", "compose", "changes"):
        await person.submit(f"/requests/{request['id']}/{step}", 404)
    await person.submit(f"/requests/{request['id']}", action="cancel")
