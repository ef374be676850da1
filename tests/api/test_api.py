"""The JSON contract, spoken by another program to the real one over HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.mcp_servers import asker_entries, running
from tests.program import Api, Program, program

pytestmark = [pytest.mark.anyio, pytest.mark.smoke]

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "colour": {"type": "string", "enum": ["red"], "default": "red"}},
    "required": ["name"],
}


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with program(tmp_path_factory.mktemp("api"), servers=asker_entries()) as served:
        yield served


@pytest.mark.parametrize("label", ["push", "rounds"])
async def test_a_request_is_answered_and_its_call_ends(api: Api, label: str) -> None:
    call = await api.call(label, "ask_form", {"schema": SCHEMA, "message": "Who?"})
    [request] = await api.pending_requests(call)
    assert (request["kind"], request["state"], request["call_id"]) == ("form", "pending", call["id"])
    assert request["params"]["requestedSchema"] == SCHEMA
    answered = await api.answer(request, action="accept", content={"name": "Ada"})
    assert (answered["state"], answered["content"]) == ("accepted", {"name": "Ada"})
    done = await api.in_state(call, "done")
    assert done["result"]["structuredContent"] == {"action": "accept", "content": {"name": "Ada"}}


async def test_a_call_names_its_server_by_id_or_config_name(api: Api) -> None:
    body = {"server_id": "push", "kind": "tool", "name": "echo", "arguments": {}}
    call = await api.json("POST", "/calls", 202, json=body)
    assert call["server_id"] == await api.server("push")
    assert (await api.post("/calls", json=body | {"server_id": "nothing"})).status_code == 404


async def test_a_long_poll_with_a_cursor_misses_no_change(api: Api) -> None:
    call = await api.call("push", "ask_form")
    [request] = await api.pending_requests(call)
    path = f"/calls/{call['id']}"
    # Another client got this change already, so a poll without a cursor would wait for the next one.
    asking = await api.json("GET", path, params={"wait": 600, "since": call["cursor"]})
    assert asking["state"] == "input_required"
    assert asking["cursor"] == (await api.json("GET", path))["cursor"]
    await api.answer(request, action="decline")
    assert "cursor" not in await api.in_state(call, "done")


async def test_accept_without_content_sends_the_form_as_prefilled(api: Api) -> None:
    call = await api.call("push", "ask_form", {"schema": {**SCHEMA, "required": []}})
    [request] = await api.pending_requests(call)
    await api.answer(request, action="accept")
    done = await api.in_state(call, "done")
    assert done["result"]["structuredContent"]["content"] == {"colour": "red"}


async def test_the_second_answer_gets_409_with_the_request(api: Api) -> None:
    call = await api.call("push", "ask_form")
    [request] = await api.pending_requests(call)
    await api.answer(request, action="decline")
    problem = await api.answer(request, 409, action="accept", content={})
    assert problem["request"]["state"] == "declined"
    assert "declined" in problem["detail"]


async def test_an_invalid_answer_gets_422_by_field(api: Api) -> None:
    call = await api.call("push", "ask_form", {"schema": SCHEMA})
    [request] = await api.pending_requests(call)
    problem = await api.answer(request, 422, action="accept", content={"colour": "blue"})
    assert set(problem["errors"]) == {"name", "colour"}
    await api.answer(request, action="accept", content={"name": "Ada"})


@pytest.mark.parametrize("ghost", [{}, {"ghost": {"type": "object"}}])
async def test_point_41_an_unanswerable_form_is_never_accepted(api: Api, ghost: Any) -> None:
    schema = {"type": "object", "properties": ghost, "required": ["ghost"]}
    call = await api.call("push", "ask_form", {"schema": schema})
    [request] = await api.pending_requests(call)
    contents: list[dict[str, Any]] = [{}, {"ghost": "boo"}, {"ghost": {}}]
    for content in contents:
        problem = await api.answer(request, 422, action="accept", content=content)
        assert "“ghost”" in str(problem["errors"][""])
    await api.answer(request, action="decline")


async def test_content_beyond_json_gets_422(api: Api) -> None:
    call = await api.call("push", "ask_form", {"schema": SCHEMA})
    [request] = await api.pending_requests(call)
    for name in ('"\\ud800"', "NaN", "1e999", "[" * 3000 + "]" * 3000):
        body = f'{{"action": "accept", "content": {{"name": {name}}}}}'
        response = await api.post(
            f"/requests/{request['id']}/answer", content=body, headers={"Content-Type": "application/json"}
        )
        assert response.status_code in (400, 422), (name, response.text)
        assert response.headers["content-type"] == "application/problem+json"
    await api.answer(request, action="cancel")


@pytest.mark.parametrize(
    ("kind", "body", "status", "words"),
    [
        ("application/json", b"{", 400, "not valid JSON: Expecting property name"),
        ("application/json", b"\xff", 400, "not UTF-8, or is nested too deeply"),
        ("application/json", b"[" * 100_000, 400, "not UTF-8, or is nested too deeply"),
        ("application/x-www-form-urlencoded", b"{}", 415, "expected one of application/json."),
    ],
)
async def test_a_body_without_json_gets_a_sentence(api: Api, kind: str, body: bytes, status: int, words: str) -> None:
    response = await api.post("/calls", content=body, headers={"Content-Type": kind})
    assert response.status_code == status
    assert words in response.json()["detail"]


async def test_the_catalog_of_a_server_is_verbatim(api: Api) -> None:
    server_id = await api.server("push")
    tools = (await api.json("GET", f"/servers/{server_id}/tools"))["tools"]
    assert "inputSchema" in next(tool for tool in tools if tool["name"] == "ask_form")
    assert (await api.json("GET", f"/servers/{server_id}/prompts"))["prompts"]
    assert (await api.json("GET", f"/servers/{server_id}/resource-templates"))["resource_templates"]
    assert "resources" in await api.json("GET", f"/servers/{server_id}/resources")


async def test_a_server_is_added_used_disconnected_and_removed(api: Api) -> None:
    async with running() as server:
        transport = {"type": "http", "url": server.address, "headers": {"X-Key": "secret"}}
        added = await api.json("POST", "/servers", 201, json={"label": "mine", "transport": transport})
        assert added["state"] == "disconnected"
        assert "secret" not in json.dumps(added)
        path = f"/servers/{added['id']}"
        assert (await api.json("GET", f"{path}/tools", 409))["detail"]
        await api.json("POST", f"{path}/connect", 202)
        await api.server("mine")
        await api.json("POST", f"{path}/connect", 202)
        connected = await api.json("GET", path)
        assert connected["server_info"]["name"]
        assert connected["protocol_version"] == "2026-07-28"
        assert (await api.json("POST", f"{path}/disconnect"))["state"] == "disconnected"
        assert (await api.delete(path)).status_code == 204
        assert (await api.get(path)).status_code == 404


async def test_the_api_runs_no_command(api: Api) -> None:
    transport = {"type": "stdio", "command": "touch", "args": ["/tmp/owned"], "url": "x"}  # noqa: S108
    problem = await api.json("POST", "/servers", 403, json={"label": "evil", "transport": transport})
    assert "config file" in problem["detail"]


@pytest.mark.parametrize(
    "url", ["", "ftp://x/", "javascript:alert(1)", "http://", "/etc/passwd", "http://0177.0.0.1/", "http://a\u200b.b/"]
)
async def test_a_server_needs_a_web_address(api: Api, url: str) -> None:
    body = {"label": "odd", "transport": {"type": "http", "url": url}}
    assert "url" in (await api.json("POST", "/servers", 422, json=body))["errors"]


async def no_call_runs(api: Api) -> None:
    """Wait until the calls of earlier tests have ended: over stdio, a question could belong to any that runs."""
    for state in ("running", "input_required"):
        for call in (await api.json("GET", "/calls", params={"state": state}))["calls"]:
            await api.in_state(call, "done", "failed")


async def test_a_call_can_be_cancelled_and_repeated(api: Api) -> None:
    await no_call_runs(api)
    call = await api.call("push", "ask_form", {"message": "again?"})
    [request] = await api.pending_requests(call)
    assert (await api.json("POST", f"/calls/{call['id']}/cancel"))["state"] == "cancelled"
    assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "cancelled"
    await api.json("POST", f"/calls/{call['id']}/cancel", 409)
    again = await api.json("POST", f"/calls/{call['id']}/retry", 202)
    assert (again["name"], again["arguments"]) == ("ask_form", {"message": "again?"})
    [request] = await api.pending_requests(again)
    await api.answer(request, action="decline")
    listed = await api.json("GET", "/calls", params={"state": "cancelled"})
    assert call["id"] in [each["id"] for each in listed["calls"]]


async def test_a_link_is_accepted_and_finished(api: Api) -> None:
    call = await api.call("push", "ask_url", {"url": "https://example.com/x"})
    [request] = await api.pending_requests(call)
    assert request["kind"] == "url"
    await api.json("POST", f"/requests/{request['id']}/finished", 409)
    assert (await api.answer(request, action="accept"))["state"] == "waiting"
    assert (await api.json("POST", f"/requests/{request['id']}/finished"))["state"] == "completed"
    await api.in_state(call, "done")


async def test_a_link_that_was_opened_can_be_given_up(api: Api) -> None:
    call = await api.call("push", "ask_url", {"url": "https://example.com/x"})
    [request] = await api.pending_requests(call)
    await api.json("POST", f"/requests/{request['id']}/give-up", 409)
    assert (await api.answer(request, action="accept"))["opened_at"]
    given_up = await api.json("POST", f"/requests/{request['id']}/give-up")
    assert (given_up["state"], given_up["reason_code"]) == ("cancelled", "person_gave_up")
    await api.json("POST", f"/requests/{request['id']}/give-up", 409)
    await api.json("POST", f"/requests/{request['id']}/finished", 409)
    await api.in_state(call, "done")


async def test_the_stream_reports_changes_and_resumes(api: Api) -> None:
    server_id = await api.server("push")
    async with api.stream("GET", "/events", timeout=None) as response:
        call = await api.call("push", "ask_form")
        events = _events(response)
        started = await anext(events)
        assert (started["event"], started["data"]["id"]) == ("call", call["id"])
    [request] = await api.pending_requests(call)
    await api.answer(request, action="decline")
    await api.in_state(call, "done")
    async with api.stream("GET", "/events", headers={"Last-Event-ID": started["id"]}, timeout=None) as response:
        missed = [await anext(events) async for events in _repeat(_events(response), 3)]
        assert {(each["event"], each["data"]["id"]) for each in missed} <= {
            ("request", request["id"]),
            ("call", call["id"]),
        }
    async with api.stream("GET", "/events", headers={"Last-Event-ID": "gone-1"}, timeout=None) as response:
        first = await anext(_events(response))
        assert (first["event"], first["data"]["id"]) == ("server", server_id)


async def _events(response: Any) -> AsyncIterator[dict[str, Any]]:
    fields: dict[str, Any] = {}
    async for line in response.aiter_lines():
        if not line and fields:
            yield {**fields, "data": json.loads(fields["data"])}
            fields = {}
        elif line and not line.startswith(":"):
            key, _, value = line.partition(": ")
            fields[key] = value


async def _repeat(events: Any, times: int) -> AsyncIterator[Any]:
    for _time in range(times):
        yield events


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/servers/none"),
        ("DELETE", "/servers/none"),
        ("POST", "/servers/none/connect"),
        ("GET", "/servers/none/tools"),
        ("GET", "/calls/none"),
        ("POST", "/calls/none/cancel"),
        ("POST", "/calls/none/retry"),
        ("GET", "/requests/none"),
        ("POST", "/requests/none/finished"),
        ("POST", "/requests/none/give-up"),
        ("GET", "/nothing"),
    ],
)
async def test_an_unknown_path_gets_a_problem_document(api: Api, method: str, path: str) -> None:
    response = await api.request(method, path)
    assert response.status_code == 404
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["detail"]


async def test_an_unknown_parameter_is_refused_with_the_known_ones(api: Api) -> None:
    refused = await api.request("PUT", "/servers")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, POST")


@pytest.mark.parametrize("day", ["0", "1e9", "20261224", "2026-12-32"])
async def test_a_day_is_a_date_and_no_number(api: Api, day: str) -> None:
    assert (await api.json("GET", "/history", 422, params={"to": day}))["errors"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"server_id": "x", "kind": "tool"},
        {"server_id": "x", "kind": "resource", "name": "y"},
        {"server_id": "x", "kind": "prompt", "name": "y", "arguments": {"a": 1}},
        {"server_id": "x", "kind": "spell", "name": "y"},
        {"server_id": "x", "kind": "tool", "name": "y", "surprise": 1},
    ],
)
async def test_a_call_that_is_not_whole_gets_422(api: Api, body: dict[str, Any]) -> None:
    assert (await api.json("POST", "/calls", 422, json=body))["errors"]
