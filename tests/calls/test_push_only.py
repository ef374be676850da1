"""A server that can ask only by pushing, met in 2026-07-28: it is recognised, and there is a way out that works."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

from tests.mcp_servers import stdio
from tests.mcp_servers.dual import REFUSALS, UNRELATED
from tests.pages.person import Person
from tests.program import Program, program
from webclient.calls.push_only import way_out
from webclient.model import Era, Json, ReasonCode

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    """The program with two servers that can only push: one fails its call, one says so in a result."""
    servers = {says: stdio("dual", "--says", says) | {"env": {}} for says in ("tmcp", "typescript", "go")}
    async with program(tmp_path_factory.mktemp("push-only"), servers=servers) as running:
        yield running


def said(refusal: Json) -> str:
    """Return the words of a refusal."""
    return str(refusal["error"]["message"] if "error" in refusal else refusal["result"]["content"][0]["text"])


@pytest.mark.parametrize("sdk", REFUSALS)
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
        [request] = await api.asked(again)
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
        [request] = await api.asked(await api.json("GET", f"/calls/{again}"))
        elsewhere = await person.submit(path, 409, era="auto")
        assert "1 question is waiting for you" in elsewhere.text
        assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"
