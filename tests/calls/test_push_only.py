"""A server that can ask only by pushing, met in 2026-07-28: it is recognised, and there is a way out that works."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

from tests.mcp_servers import stdio
from tests.mcp_servers.dual import REFUSALS, UNRELATED
from tests.pages.person import Person
from tests.program import Program, program
from tests.tables import each_row
from webclient.calls.push_only import acted_unasked, may_ask_elsewhere, way_out
from webclient.domain.model import Era, Json, ReasonCode

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    """The program with servers that can only push: some fail their calls, one says so in a result."""
    servers = {says: stdio("dual", "--says", says) | {"env": {}} for says in ("tmcp", "typescript", "go")}
    servers |= {"both": stdio("dual", "--both") | {"env": {}}, "newest": stdio("dual") | {"env": {}}}
    servers |= {each: stdio("dual", "--only", Era.ROUNDS) | {"env": {}} for each in ("modern", "modern-api")}
    servers |= {"proxy": stdio("dual", "--empty") | {"env": {}}}
    async with program(tmp_path_factory.mktemp("push-only"), servers=servers) as running:
        yield running


def said(refusal: Json) -> str:
    """Return the words of a refusal."""
    return str(refusal["error"]["message"] if "error" in refusal else refusal["result"]["content"][0]["text"])


@each_row("sdk", REFUSALS)
def test_every_sdks_refusal_to_push_gets_a_way_out(sdk: str) -> None:
    way = way_out(Era.ROUNDS, {}, said(REFUSALS[sdk]), has_required=False)
    assert way is not None
    assert way.code in (ReasonCode.PUSH_NOT_ALLOWED, ReasonCode.PUSH_PERHAPS_NEEDED)


def test_a_refusal_explained_in_a_result_gets_a_way_out() -> None:
    # As apple-mail-fast-mcp 0.11.0 says it, in a result that is not marked as an error.
    words = (
        '{"success":false,"error":"Confirmation is required, but the client\'s elicitation capability is unavailable."}'
    )
    way = way_out(Era.ROUNDS, {}, words, has_required=False, failed=False)
    assert way is not None
    assert way.code is ReasonCode.PUSH_REPORTED_MISSING


@pytest.mark.parametrize("words", ["Echo: elicitation", "Servers use elicitation. Sampling is not supported."])
def test_a_result_that_only_names_elicitation_gets_no_way_out(words: str) -> None:
    assert way_out(Era.ROUNDS, {}, words, has_required=False, failed=False) is None


@pytest.mark.parametrize("reason", UNRELATED)
def test_another_failure_gets_no_way_out(reason: str) -> None:
    assert way_out(Era.ROUNDS, {}, said(UNRELATED[reason]), has_required=False) is None


@pytest.mark.parametrize(("version", "has_required"), [(Era.PUSH, False), (None, False), (Era.ROUNDS, True)])
def test_a_server_that_can_ask_gets_no_way_out(version: str | None, has_required: bool) -> None:
    assert way_out(version, {}, said(REFUSALS["go"]), has_required=has_required) is None


def test_a_server_that_lacks_the_other_era_gets_no_way_out() -> None:
    assert way_out(Era.ROUNDS, {"lacks": [Era.PUSH]}, said(REFUSALS["go"]), has_required=False) is None


def test_a_hint_is_not_presented_as_a_fact() -> None:
    certain, hint = (way_out(Era.ROUNDS, {}, said(REFUSALS[sdk]), has_required=False) for sdk in ("go", "csharp"))
    assert certain is not None
    assert hint is not None
    assert (certain.code, hint.code) == (ReasonCode.PUSH_NOT_ALLOWED, ReasonCode.PUSH_PERHAPS_NEEDED)


@pytest.mark.parametrize(("label", "state"), [("tmcp", "failed"), ("typescript", "done")])
async def test_one_action_reconnects_and_runs_again(served: Program, label: str, state: str) -> None:
    async with served.client() as api:
        failed = await api.in_state(await api.call(label, "ask"), "failed", "done")
        assert (failed["state"], failed["error"]["reconnect_with"]) == (state, "2025-11-25")
        body = {"era": failed["error"]["reconnect_with"]}
        again = await api.json("POST", f"/calls/{failed['id']}/retry", 202, json=body)
        [request] = await api.pending_requests(again)
        await api.answer(request, action="accept", content={"name": "Ada"})
        done = await api.in_state(again, "done")
        assert "Ada" in done["result"]["content"][0]["text"]
        server = await api.json("GET", f"/servers/{failed['server_id']}")
        assert (server["era"], server["protocol_version"]) == ("2025-11-25", "2025-11-25")


async def test_a_refusal_keeps_the_servers_own_words(served: Program) -> None:
    async with served.client() as api:
        calls = (await api.json("GET", "/calls"))["calls"]
        failed = next(call for call in calls if call["state"] == "failed")
        assert failed["error"]["said"] == said(REFUSALS["tmcp"])


async def test_the_page_of_a_refusal_has_one_button_for_all(served: Program) -> None:
    async with served.client() as api, Person(served) as person:
        failed = await api.in_state(await api.call("go", "ask"), "failed")
        path = f"/calls/{failed['id']}/retry"
        page = await person.page(f"/calls/{failed['id']}")
        [fields] = [found for found in re.findall(rf'action="{path}">(.*?)</form>', page, re.DOTALL) if "era" in found]
        posted = dict(re.findall(r'name="(\w+)" value="([^"]+)"', fields))
        again = (await person.submit(path, **posted)).headers["location"].removeprefix("/calls/")
        [request] = await api.pending_requests(await api.json("GET", f"/calls/{again}"))
        elsewhere = await person.submit(path, 409, era="auto")
        assert 'id="confirmation"' in elsewhere.text
        assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"


@pytest.mark.parametrize(
    ("annotations", "is_noted"),
    [
        ({"destructiveHint": True}, True),
        ({"destructiveHint": True, "readOnlyHint": True}, False),
        ({"destructiveHint": "yes"}, False),
        ({}, False),
        ("no", False),
    ],
)
def test_only_a_tool_annotated_as_destructive_is_noted(annotations: object, is_noted: bool) -> None:
    assert (acted_unasked({"name": "t", "annotations": annotations}) is not None) is is_noted
    assert acted_unasked(None) is None


def test_a_call_without_questions_might_have_asked_elsewhere() -> None:
    both = {"speaks": [Era.ROUNDS, Era.PUSH]}
    assert may_ask_elsewhere(Era.ROUNDS, both, has_required=False)
    assert not may_ask_elsewhere(Era.ROUNDS, both, has_required=True)
    assert not may_ask_elsewhere(Era.PUSH, both, has_required=False)
    assert not may_ask_elsewhere(Era.ROUNDS, {"speaks": [Era.ROUNDS]}, has_required=False)


async def test_a_destructive_tool_that_ran_unasked_is_noted(served: Program) -> None:
    async with served.client() as api, Person(served) as person:
        # The tool is looked up although the page of the server was never shown.
        call = await api.in_state(await api.call("both", "wipe"), "done")
        assert (call["error"]["reason_code"], "reconnect_with" in call["error"]) == ("ran_without_asking", False)
        page = await person.page(f"/calls/{call['id']}")
        path = f"/servers/{call['server_id']}/era"
        [fields] = re.findall(rf'action="{path}">(.*?)</form>', page, re.DOTALL)
        await person.submit(path, **dict(re.findall(r'name="(\w+)" value="([^"]+)"', fields)))
        # Asked now; what ran is not run again.
        assert len((await api.json("GET", "/calls", params={"server_id": call["server_id"]}))["calls"]) == 1
        again = await api.call("both", "wipe")
        [request] = await api.pending_requests(again)
        await api.answer(request, action="decline")
        assert "error" not in await api.in_state(again, "done")
        assert f'action="{path}"' not in await person.page(f"/calls/{call['id']}")


async def test_running_a_destructive_tool_again_asks_first(served: Program) -> None:
    async with served.client() as api, Person(served) as person:
        call = await api.in_state(await api.call("newest", "wipe"), "done")
        path = f"/calls/{call['id']}/retry"
        page = (await person.submit(path, 200)).text
        assert ('class="button button--destroy">Run again<' in page, f'href="/calls/{call["id"]}">Cancel' in page) == (
            True,
            True,
        )
        count = len((await api.json("GET", "/calls"))["calls"])
        again = await person.submit(path, confirmed="1")
        assert again.headers["location"] != f"/calls/{call['id']}"
        assert len((await api.json("GET", "/calls"))["calls"]) == count + 1


async def test_a_destructive_tool_is_not_noted_if_one_era_is_known(served: Program) -> None:
    async with served.client() as api:
        # It announces 2026-07-28 alone, and was never connected in the other.
        assert "error" not in await api.in_state(await api.call("newest", "wipe"), "done")


async def test_a_refused_reconnect_restores_the_server(served: Program) -> None:
    async with served.client() as api, Person(served) as person:
        failed = await api.in_state(await api.call("modern", "ask"), "failed")
        assert failed["error"]["reconnect_with"] == "2025-11-25"
        posted = await person.submit(f"/calls/{failed['id']}/retry", era="2025-11-25")
        assert posted.headers["location"].startswith(f"/calls/{failed['id']}?flash=")
        page = await person.page(f"/calls/{failed['id']}")
        # The button is gone: it led nowhere.
        assert 'name="era"' not in page
        assert 'data-code="era_refused"' in page
        await api.server("modern")
        server = await api.json("GET", f"/servers/{failed['server_id']}")
        assert (server["era"], server["state"]) == ("auto", "connected")


async def test_a_refused_reconnect_is_a_conflict_for_a_program(served: Program) -> None:
    async with served.client() as api:
        failed = await api.in_state(await api.call("modern-api", "ask"), "failed")
        problem = await api.json("POST", f"/calls/{failed['id']}/retry", 409, json={"era": "2025-11-25"})
        assert problem["reason_code"] == "era_refused"
        await api.server("modern-api")
        assert (await api.json("GET", f"/servers/{failed['server_id']}"))["era"] == "auto"


async def test_an_empty_catalog_suggests_the_other_era(served: Program) -> None:
    async with served.client() as api, Person(served) as person:
        server = await api.server("proxy")
        path = f"/servers/{server}/era"
        assert f'action="{path}"' in await person.page(f"/servers/{server}/tools")
        await person.submit(path, era="2025-11-25", trial="tools")
        await api.server("proxy")
        page = await person.page(f"/servers/{server}/tools")
        assert "wipe" in page
        assert f'action="{path}"' not in page
