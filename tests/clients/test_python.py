"""`mcp-webclient-client` with the MCP SDK's own client, in both eras, against the running program."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Literal
from unittest.mock import Mock

import anyio
import pytest
from anyio.abc import TaskGroup
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import ElicitRequestFormParams, ErrorData
from mcp_webclient_client import MESSAGE, REASON, Answer, Inbox, InboxError, TooManyQuestionsError

from tests.clients.conftest import Desk, embedded_user
from tests.embedders.minting import minted
from tests.forks import launched
from tests.mcp_servers import ROOT
from tests.mcp_servers.proxy import proxied
from tests.program import Program, program
from tests.receiver import Receiver
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def asker() -> StdioServerParameters:
    """Return how the server that asks is started."""
    program, *arguments = launched("tests.mcp_servers.asker")
    return StdioServerParameters(command=program, args=arguments, cwd=ROOT)


@asynccontextmanager
async def asking(ask: Callable[[], Awaitable[Any]]) -> AsyncIterator[tuple[TaskGroup, list[Any]]]:
    """Ask in a task of its own while the block runs; what comes of it is in the list afterwards."""
    results: list[Any] = []

    async def run() -> None:
        results.append(await ask())

    async with anyio.create_task_group() as group:
        group.start_soon(run)
        yield group, results


def inbox_of(desk: Desk, **options: Any) -> Inbox:
    """Return the inbox as the agent has it."""
    # As read from a file.
    return Inbox(desk.program.base, f"{desk.token}\n", **options)


@pytest.mark.parametrize("mode", ["legacy", "auto"], ids=["2025-11-25", "2026-07-28"])
async def test_the_sdk_carries_a_form_and_its_answer(desk: Desk, mode: Literal["legacy", "auto"]) -> None:
    async with Client(asker(), mode=mode, elicitation_callback=inbox_of(desk, label="asker")) as client:

        async def call() -> Json:
            result = await client.call_tool("ask_form", {"message": f"Name for {mode}?"})
            answered: Json = json.loads(result.content[0].text)  # type: ignore[union-attr]
            return answered

        async with asking(call) as (_group, results):
            request = await desk.pending(mode)
            assert request["asked_by"]["claims"] == "asker"
            await desk.api.answer(request, action="accept", content={"name": "Ada"})
    assert results == [{"action": "accept", "content": {"name": "Ada"}}]


async def test_the_sdk_carries_a_link(desk: Desk) -> None:
    async with Client(asker(), mode="legacy", elicitation_callback=inbox_of(desk)) as client:

        async def call() -> str:
            result = await client.call_tool("ask_url", {"url": "https://bank.example/pay"})
            return str(result.content[0].text)  # type: ignore[union-attr]

        async with asking(call) as (_group, results):
            request = await desk.pending("sign in")
            assert request["kind"] == "url"
            await desk.api.answer(request, action="accept")
    assert "accept" in results[0]


async def test_a_cancelled_agent_withdraws_its_question(desk: Desk) -> None:
    async with asking(lambda: inbox_of(desk).ask({"message": "Still there?", "requestedSchema": SCHEMA})) as (group, _):
        request = await desk.pending("Still there?")
        group.cancel_scope.cancel()
    withdrawn = await desk.api.json("GET", f"/requests/{request['id']}")
    assert (withdrawn["state"], withdrawn["reason_code"]) == ("withdrawn", "withdrawn_because")


async def test_a_time_out_answers_cancel_with_a_reason(desk: Desk) -> None:
    answer = await inbox_of(desk, timeout=1).ask({"message": "Too late?", "requestedSchema": SCHEMA})
    assert answer.action == "cancel"
    assert answer.result.meta is not None
    assert answer.result.meta[REASON]


async def test_a_muted_agent_gets_cancel_with_a_reason(desk: Desk) -> None:
    inbox = inbox_of(desk)
    async with asking(lambda: inbox.ask({"message": "First?", "requestedSchema": SCHEMA})) as (_group, results):
        request = await desk.pending("First?")
        await desk.api.answer(request, action="decline")
    assert results == [Answer("decline")]
    token = request["asked_by"]["token_id"]
    await desk.api.post(f"{desk.program.base}/tokens/{token}/mute")
    answer = await inbox.ask({"message": "Second?", "requestedSchema": SCHEMA})
    assert answer.action == "cancel"
    assert answer.reason


async def test_a_wrong_token_is_an_error_of_the_call(desk: Desk) -> None:
    wrong = Inbox(desk.program.base, "mcpweb_wrong")
    with pytest.raises(InboxError, match="401"):
        await wrong.ask({"message": "?", "requestedSchema": SCHEMA})
    async with Client(asker(), mode="legacy", elicitation_callback=wrong) as client:
        result = await client.call_tool("ask_form", {})
        assert result.is_error


async def test_an_agent_that_comes_back_finds_its_answer_once(desk: Desk) -> None:
    properties = {"name": {"type": "string"}, "password": {"type": "string"}}
    params = {"message": "Back?", "requestedSchema": {"type": "object", "properties": properties}}
    posted = await inbox_of(desk).post(params, key="trip-8")
    content = {"name": "Ada", "password": "hunter2hunter2"}
    await desk.api.answer(await desk.pending("Back?"), action="accept", content=content)
    again = inbox_of(desk, key=lambda params: {"Back?": "trip-8"}[params["message"]])
    assert await again.ask(params) == Answer("accept", content)
    # It counts as fetched, so that its secret values were erased.
    with pytest.raises(InboxError):
        await again.answer(posted)


async def test_another_user_is_asked_if_there_is_one(desk: Desk) -> None:
    body = {"label": "Chat", "scopes": ["ask"], "may_ask": "everyone"}
    token = (await desk.api.json("POST", "/tokens", 201, json=body))["secret"]
    inbox = Inbox(desk.program.base, token, user={"issuer": "host:chat", "subject": "bob"})
    params = {"message": "Bob?", "requestedSchema": SCHEMA}
    with pytest.raises(InboxError, match="404"):
        await inbox.ask(params)
    async with embedded_user(desk.program, "bob") as bob:
        async with asking(lambda: inbox.ask(params)) as (_group, results):
            request = await Desk(desk.program, bob, "").pending("Bob?")
            await bob.answer(request, action="decline")
        assert results == [Answer("decline")]
        assert await inbox.answer(request["id"]) == Answer("decline")


async def test_a_revoked_token_ends_the_question(desk: Desk) -> None:
    async def ask() -> str:
        try:
            return (await inbox_of(desk).ask({"message": "Revoked?", "requestedSchema": SCHEMA})).action
        except InboxError as error:
            return str(error)[:22]

    async with asking(ask) as (_group, results):
        request = await desk.pending("Revoked?")
        await desk.api.delete(f"/tokens/{request['asked_by']['token_id']}")
    # A long poll that was open brings the withdrawal; one that comes later is refused.
    assert results[0] in {"cancel", "The inbox answered 401"}
    assert await ask() == "The inbox answered 401"


async def test_a_proxy_that_is_busy_is_asked_again(receiver: Receiver) -> None:
    receiver.statuses = [429, 408, 404]
    with pytest.raises(InboxError, match="404"):
        await Inbox(receiver.url, "token").ask({"message": "Busy?", "requestedSchema": SCHEMA})
    assert len({each.headers["idempotency-key"] for each in receiver.all}) == 1
    assert len(receiver.all) == 3


@pytest.mark.parametrize("limited_desk", [0.1], indirect=True)
async def test_an_agent_over_the_rate_asks_again(limited_desk: Desk) -> None:
    inbox = inbox_of(limited_desk)
    await inbox.post({"message": "The first", "requestedSchema": SCHEMA})
    async with asking(lambda: inbox.ask({"message": "The second", "requestedSchema": SCHEMA})) as (_group, results):
        assert (await limited_desk.pending("The second", "refused"))["reason_code"] == "rate_limit"
        await limited_desk.api.answer(await limited_desk.pending("The second"), action="decline")
    assert [answer.action for answer in results] == ["decline"]


@pytest.mark.parametrize("limited_desk", [0.001], indirect=True)
async def test_an_agent_waits_for_the_rate_within_its_deadline(limited_desk: Desk) -> None:
    params = {"message": "Again", "requestedSchema": SCHEMA}
    await inbox_of(limited_desk).post({"message": "The first", "requestedSchema": SCHEMA})
    for limits in ({"expires_in": 600}, {"timeout": 0.5}):
        with pytest.raises(TooManyQuestionsError, match="faster"):
            await inbox_of(limited_desk, **limits).ask(params)
    # What was not asked is not withdrawn either.
    assert {each["state"] for each in (await limited_desk.api.json("GET", "/requests"))["requests"]} == {
        "pending",
        "refused",
    }


async def test_a_full_inbox_is_not_a_cancel(receiver: Receiver) -> None:
    receiver.statuses = [429] * 3
    receiver.headers = [("content-type", "application/problem+json")]
    receiver.body = b'{"detail": "As many as may wait already."}'
    inbox = Inbox(receiver.url, "token")
    params = ElicitRequestFormParams.model_validate({"message": "Full?", "requestedSchema": SCHEMA})
    answered = await inbox(None, params)
    assert isinstance(answered, ErrorData)
    assert "may wait already" in answered.message
    for ask in (inbox.ask, inbox.post):
        with pytest.raises(TooManyQuestionsError, match="may wait already"):
            await ask({"message": "Full?", "requestedSchema": SCHEMA})
    # It was not asked, so it was neither sent again nor withdrawn.
    assert len(receiver.all) == 3


@pytest.mark.parametrize(
    ("url", "token"),
    [("inbox.example.com", "t"), ("ftp://inbox", "t"), ("https://inbox", "a b"), ("https://inbox", "")],
)
def test_an_address_that_cannot_be_right_is_refused_at_once(url: str, token: str) -> None:
    with pytest.raises(ValueError, match="This is not"):
        Inbox(url, token)


async def test_an_application_mints_for_each_session(running: Program) -> None:
    mint = Mock(side_effect=lambda: minted(sub="ada", scope="ask"))
    inbox = Inbox(running.base, mint=mint)
    async with embedded_user(running, "grace") as grace:
        # A session ends within two seconds: the questions before that are of the first one.
        while mint.call_count < 2:
            async with embedded_user(running, "ada") as ada:
                async with asking(lambda: inbox.ask({"message": "Me?", "requestedSchema": SCHEMA})) as (
                    _group,
                    results,
                ):
                    request = await Desk(running, ada, "").pending("Me?")
                    assert request["asked_by"]["label"] == "chat"
                    assert (await grace.json("GET", "/requests"))["requests"] == []
                    await ada.answer(request, action="accept", content={"name": "Ada"})
                assert results == [Answer("accept", {"name": "Ada"})]
                manage = {"Authorization": f"Bearer {minted(sub='chat', scope='embed:admin')}"}
                await ada.json("DELETE", "/embed/sessions?sub=ada", headers=manage)


async def test_a_refused_mint_is_an_error_of_the_call(running: Program) -> None:
    with pytest.raises(InboxError, match=r"401.*expired"):
        await Inbox(running.base, mint=lambda: minted(exp=1, scope="ask")).ask({"message": "?"})


async def test_a_question_is_asked_once_however_the_network_fails(desk: Desk) -> None:
    params = {"message": "Through it all?", "requestedSchema": SCHEMA}
    async with proxied(desk.program.base) as (proxy, address):
        # The first response is lost on its way back, then the connection of the long poll.
        proxy.tear(b'"pending"')
        async with asking(lambda: Inbox(address, desk.token).ask(params)) as (_group, results):
            request = await desk.pending("Through it all?")
            proxy.tear(b"")
            reached = proxy.expect(f"GET /api/v1/requests/{request['id']}".encode())
            await reached.wait()
            proxy.cut()
            await desk.api.answer(request, action="accept", content={"name": "Ada"})
        assert results == [Answer("accept", {"name": "Ada"})]
    found = (await desk.api.json("GET", "/requests"))["requests"]
    assert [each["id"] for each in found if each["params"]["message"] == "Through it all?"] == [request["id"]]


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
async def test_a_question_outlives_a_restart_of_the_inbox(tmp_path: Path, ending: signal.Signals) -> None:
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(AsyncExitStack())
        first = await running.enter_async_context(program(tmp_path))
        api = await stack.enter_async_context(first.client())
        token = (await api.json("POST", "/tokens", 201, json={"label": "Agent", "scopes": ["ask"]}))["secret"]
        proxy, address = await stack.enter_async_context(proxied(first.base))
        inbox = Inbox(address, token)
        async with asking(lambda: inbox.ask({"message": "Still?", "requestedSchema": SCHEMA})) as (_group, results):
            await Desk(first, api, token).pending("Still?")
            os.kill(first.pid, ending)
            await running.aclose()
            second = await stack.enter_async_context(program(tmp_path))
            again = await stack.enter_async_context(second.client())
            proxy.server_port = int(second.base.rpartition(":")[2])
            request = await Desk(second, again, token).pending("Still?")
            assert "reason_code" not in request
            await again.answer(request, action="accept", content={"name": "Ada"})
            proxy.cut()
        found = (await again.json("GET", "/requests"))["requests"]
        assert [each["id"] for each in found] == [request["id"]]
        assert results == [Answer("accept", {"name": "Ada"})]


async def test_an_agent_gets_the_reason_of_a_decline(desk: Desk) -> None:
    inbox = inbox_of(desk)
    async with asking(lambda: inbox.ask({"message": "Why not?", "requestedSchema": SCHEMA})) as (_group, results):
        await desk.api.answer(await desk.pending("Why not?"), action="decline", message="It is Sunday.")
    assert results == [Answer("decline", message="It is Sunday.")]
    assert results[0].result.model_dump(by_alias=True)["_meta"] == {MESSAGE: "It is Sunday."}
