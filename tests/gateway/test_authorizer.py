"""Gateways of others ask before each tool call: rules or a person decide, and a decision counts once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from tests.gateway.agents import token
from tests.gateway.houses import open_requests
from tests.gateway.test_approvals import ASK, PAY, bank, counting, put_rules
from tests.gateway.test_user_headers import chat_house
from tests.program import PATIENCE, Api, Program, program
from tests.test_reload import as_user
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

HEADER = "X-OpenWebUI-User-Email"


class Elsewhere(httpx2.AsyncClient):
    """A gateway of others, with the address that it puts before each of its requests."""

    async def asks(self, name: str = "pay", arguments: Json | None = None, **params: object) -> httpx2.Response:
        """Ask whether it may pass on a tool call."""
        params = {"name": name, "arguments": PAY if arguments is None else arguments} | params
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
        return await self.post("/mcp", json=message)


def denied(response: httpx2.Response) -> tuple[str, str]:
    """Return the state and the words of a denial, an error of JSON-RPC."""
    assert (response.status_code, response.headers["content-type"]) == (403, "application/json")
    body = response.json()
    assert body["id"] == 7
    return body["error"]["data"]["state"], body["error"]["message"]


def elsewhere(running: Program, secret: str, server: str = "bank", **headers: str) -> Elsewhere:
    """Return a gateway with this token, before a server."""
    return Elsewhere(
        base_url=f"{running.base}/api/v1/authorize/{server}",
        headers={"Authorization": f"Bearer {secret}"} | headers,
        timeout=PATIENCE,
    )


@asynccontextmanager
async def gateway(
    folder: Path, *rules: Json, server: str = "bank", patience: float = 60
) -> AsyncIterator[tuple[Elsewhere, Api]]:
    """Start the program with the server that counts, and a gateway before it."""
    async with bank(folder, *rules) as (running, api):
        secret = await token(api, "Envoy", scopes=["ask"])
        milliseconds = str(round(1000 * patience / 0.8))
        async with elsewhere(running, secret, server, **{"x-envoy-expected-rq-timeout-ms": milliseconds}) as asking:
            yield asking, api


@pytest.mark.smoke
async def test_an_approved_call_may_run_once(tmp_path: Path) -> None:
    async with gateway(tmp_path, ASK) as (asking, api), asyncio.TaskGroup() as tasks:
        first = tasks.create_task(asking.asks())
        (request,) = await open_requests(api)
        assert (request["kind"], request["asked_by"]["kind"], request["asked_by"]["label"]) == (
            "approval",
            "program",
            "Envoy",
        )
        assert request["params"]["arguments"] == PAY
        assert request["params"]["tool"]["annotations"]["destructiveHint"] is True
        await api.answer(request, 422, action="accept", content={"arguments": PAY | {"amount": 1}})
        await api.answer(request, action="accept", digest=request["digest"])
        assert (await first).status_code == 200
        again = tasks.create_task(asking.asks())
        (other,) = await open_requests(api)
        assert other["id"] != request["id"]
        await api.answer(other, action="decline", message="Once is enough.")
        state, words = denied(await again)
        assert state == "rejected"
        assert "Once is enough." in words


async def test_rules_let_calls_run_and_refuse_them(tmp_path: Path) -> None:
    async with gateway(tmp_path, {"tool": "pay", "then": "refuse"}) as (asking, api):
        assert (await asking.asks("look", {"path": "/"})).status_code == 200
        assert denied(await asking.asks())[0] == "refused"
        assert (await api.json("GET", "/requests"))["requests"] == []


async def test_other_messages_pass_and_unclear_ones_do_not(tmp_path: Path) -> None:
    async with gateway(tmp_path, {"then": "refuse"}) as (asking, _api):
        assert (await asking.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).status_code == 200
        assert (await asking.get("/mcp?a=b")).status_code == 200
        assert (await asking.delete("")).status_code == 200
        assert (await asking.put("/mcp", json={})).status_code == 403
        as_json = {"content-type": "application/json"}
        assert (await asking.post("/mcp", content=b"{", headers=as_json)).status_code == 403
        listing = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
        for header in ({"content-encoding": "gzip"}, {"x-envoy-auth-partial-body": "true"}):
            assert (await asking.post("/mcp", content=listing, headers=as_json | header)).status_code == 403
        assert (await asking.post("/mcp", content=listing, headers={"content-type": "text/plain"})).status_code == 415


async def test_a_late_decision_counts_for_one_equal_call(tmp_path: Path) -> None:
    async with gateway(tmp_path, ASK, patience=0.1) as (asking, api):
        response = await asking.asks()
        assert denied(response)[0] == "pending"
        assert int(response.headers["retry-after"]) > 0
        (request,) = await open_requests(api)
        assert denied(await asking.asks())[0] == "pending"
        assert [each["id"] for each in await open_requests(api)] == [request["id"]]
        await api.answer(request, action="accept")
        assert denied(await asking.asks(arguments=PAY | {"amount": 9000}))[0] == "pending"
        assert denied(await asking.asks(inputResponses={"code": {"action": "accept"}}))[0] == "pending"
        assert denied(await asking.asks(task={}))[0] == "pending"
        assert [(await asking.asks()).status_code for _time in range(2)] == [200, 403]
        answered = await api.json("GET", f"/requests/{request['id']}")
        assert answered["delivery"] == "delivered"


async def test_of_two_equal_calls_at_once_one_may_run(tmp_path: Path) -> None:
    async with gateway(tmp_path, ASK, patience=5) as (asking, api), asyncio.TaskGroup() as tasks:
        both = [tasks.create_task(asking.asks()) for _number in range(2)]
        (request,) = await open_requests(api)
        await api.answer(request, action="accept")
        (other,) = await open_requests(api)
        await api.answer(other, action="decline")
        assert sorted([(await each).status_code for each in both]) == [200, 403]


async def test_a_decision_waits_for_a_gateway_that_had_gone(tmp_path: Path) -> None:
    async with gateway(tmp_path, ASK, patience=1) as (asking, api):
        with pytest.raises(httpx2.ReadTimeout):
            await asking.post("/mcp", json=_pay(), timeout=httpx2.Timeout(PATIENCE, read=0.3))
        (request,) = await open_requests(api)
        await api.answer(request, action="accept")
        # The request of the gateway that has gone still waits here, and must not use the decision up.
        await asyncio.sleep(0.2)
        assert (await asking.asks()).status_code == 200


async def test_a_dismissed_question_lets_nothing_run(tmp_path: Path) -> None:
    async with gateway(tmp_path, ASK, patience=0.1) as (asking, api):
        await asking.asks()
        (request,) = await open_requests(api)
        await api.answer(request, action="cancel")
        assert denied(await asking.asks())[0] == "undecided"
        assert denied(await asking.asks())[0] == "pending"


async def test_a_decision_outlives_a_restart_and_is_used_up_for_good(tmp_path: Path) -> None:
    soon = {"x-envoy-expected-rq-timeout-ms": "100"}
    async with bank(tmp_path, ASK) as (running, api):
        secret = await token(api, scopes=["ask"])
        async with elsewhere(running, secret, **soon) as asking:
            await _pending_then_approved(asking, api)
            assert (await asking.asks()).status_code == 200
            await _pending_then_approved(asking, api)
    async with program(tmp_path, servers=counting(tmp_path)) as running, elsewhere(running, secret, **soon) as asking:
        assert [(await asking.asks()).status_code for _time in range(2)] == [200, 403]


async def test_a_tool_that_changed_since_is_asked_about_again(tmp_path: Path) -> None:
    async with gateway(tmp_path, ASK, patience=0.1) as (asking, api):
        await asking.asks()
        (request,) = await open_requests(api)
        await api.in_state(await api.call("bank", "renew"), "done")
        await _until_renewed(api)
        await api.answer(request, action="accept")
        assert denied(await asking.asks())[0] == "pending"
        (other,) = await open_requests(api)
        assert other["params"]["tool"]["description"] == "Send money to any account."
        assert other["params"]["message"]
        await api.answer(other, action="accept")
        assert (await asking.asks()).status_code == 200


async def test_another_version_of_the_rule_asks_again(tmp_path: Path) -> None:
    async with gateway(tmp_path, ASK, patience=0.1) as (asking, api):
        await asking.asks()
        (request,) = await open_requests(api)
        assert request["params"]["rule"]
        await api.answer(request, action="accept")
        await put_rules(api, {"tool": "p*", "then": "ask"})
        assert denied(await asking.asks())[0] == "pending"
        (other,) = await open_requests(api)
        assert other["params"]["rule"] != request["params"]["rule"]
        assert other["params"]["message"]
        await api.answer(other, action="accept")
        await put_rules(api, {"tool": "other", "then": "refuse"}, {"tool": "p*", "then": "ask"})
        assert (await asking.asks()).status_code == 200


async def test_a_rule_made_while_the_person_was_asked_refuses(tmp_path: Path) -> None:
    async with gateway(tmp_path, ASK) as (asking, api), asyncio.TaskGroup() as tasks:
        first = tasks.create_task(asking.asks())
        (request,) = await open_requests(api)
        await put_rules(api, {"tool": "pay", "then": "refuse"})
        await api.answer(request, action="accept")
        assert denied(await first)[0] == "refused"


async def test_a_rule_that_lets_later_calls_run_keeps_the_approval(tmp_path: Path) -> None:
    async with gateway(tmp_path, ASK) as (asking, api), asyncio.TaskGroup() as tasks:
        first = tasks.create_task(asking.asks())
        (request,) = await open_requests(api)
        await put_rules(api, {"tool": "pay", "then": "run"}, ASK)
        await api.answer(request, action="accept")
        assert (await first).status_code == 200
        assert (await api.json("GET", f"/requests/{request['id']}"))["delivery"] == "delivered"


async def test_a_server_that_is_unknown_here_is_matched_by_its_name(tmp_path: Path) -> None:
    ask = {"server": "Far away", "then": "ask"}
    async with gateway(tmp_path, ask, {"then": "refuse"}, server="Far%20away", patience=0.1) as (asking, api):
        assert denied(await asking.asks())[0] == "pending"
        (request,) = await open_requests(api)
        assert (request["params"]["tool"], request["asked_by"]["claims"]) == ({"name": "pay"}, "Far away")
        card = {"Accept": "text/html"}
        form = {"action": "accept", "allow": "hour"}
        assert 'value="hour"' in (await api.get(f"{_origin(api)}/requests/{request['id']}", headers=card)).text
        await api.post(f"{_origin(api)}/requests/{request['id']}", data=form, headers=card)
        assert [(await asking.asks(arguments={"to": each, "amount": 1})).status_code for each in "ab"] == [200, 200]
        (first, *_others) = (await api.json("GET", "/rules"))["rules"]
        assert (first["server"], first["tool"], first["then"]) == ("Far away", "pay", "run")


async def test_arguments_without_an_exact_digest_are_refused(tmp_path: Path) -> None:
    async with gateway(tmp_path, ASK) as (asking, api):
        assert denied(await asking.asks(arguments=PAY | {"amount": 2**60}))[0] == "refused"
        await put_rules(api)
        assert (await asking.asks(arguments=PAY | {"amount": 2**60})).status_code == 200


async def test_the_user_is_the_one_whom_a_header_names(tmp_path: Path) -> None:
    async with (
        chat_house(tmp_path, **counting(tmp_path)) as (running, _root, secret),
        as_user(running, "ada") as ada,
        as_user(running, "bob") as bob,
        elsewhere(running, secret, **{HEADER: "ada"}) as asking,
        elsewhere(running, secret) as nameless,
        asyncio.TaskGroup() as tasks,
    ):
        await put_rules(ada, ASK)
        first = tasks.create_task(asking.asks())
        (request,) = await open_requests(ada)
        assert (await bob.json("GET", "/requests"))["requests"] == []
        assert request["asked_by"]["label"] == "Open WebUI"
        await ada.answer(request, action="accept")
        assert (await first).status_code == 200
        assert (await nameless.asks()).status_code == 403


async def _pending_then_approved(asking: Elsewhere, api: Api) -> None:
    assert denied(await asking.asks())[0] == "pending"
    (request,) = await open_requests(api)
    await api.answer(request, action="accept")


async def _until_renewed(api: Api) -> None:
    server = await api.server("bank")
    async with asyncio.timeout(PATIENCE), api.stream("GET", "/events", timeout=None) as events:
        lines = events.aiter_lines()
        while (await api.json("GET", f"/servers/{server}/tools"))["tools"][-1]["name"] != "pay":
            await anext(lines)


def _pay() -> Json:
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "pay", "arguments": PAY}}


def _origin(api: Api) -> str:
    return str(api.base_url).partition("/api/")[0]
