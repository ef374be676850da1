"""The command `stdio` in front of the real program: what an agent that only starts commands gets."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.deploy.front import free_port
from tests.forks import launched
from tests.gateway.agents import MODES, subscribe, token, unsubscribe
from tests.gateway.houses import house, open_requests
from tests.mcp_servers import asker_entries, entry
from tests.process import HANGS, PROGRAM, environment
from tests.program import PATIENCE, Api, program
from webclient.domain.model import Era, Json
from webclient.runtime.exit_status import USAGE

pytestmark = pytest.mark.anyio

DISCOVER = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "server/discover",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": Era.ROUNDS.value,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}


@asynccontextmanager
async def started(address: str, secret: str, era: Era) -> AsyncIterator[Client]:
    """Start the command as an agent does, and connect through it."""
    env = {"WEBCLIENT_AGENT_TOKEN": secret}
    program, *arguments = launched("webclient", "stdio", "--url", address)
    command = StdioServerParameters(command=program, args=arguments, env=env, cwd=Path.cwd())
    async with Client(stdio_client(command), mode=MODES[era]) as client:
        assert client.session.protocol_version == era
        yield client


async def spoken(address: str, secret: str, *lines: str, forked: bool = True) -> tuple[list[Json], str]:
    """Write lines to the command; return a message for each, and its standard error."""
    pipe = asyncio.subprocess.PIPE
    line = [*(launched("webclient") if forked else PROGRAM), "stdio", "--url", address]
    env = environment(WEBCLIENT_AGENT_TOKEN=secret)
    process = await asyncio.create_subprocess_exec(*line, stdin=pipe, stdout=pipe, stderr=pipe, env=env)
    assert process.stdin
    assert process.stdout
    async with asyncio.timeout(HANGS):
        messages = []
        for each in lines:
            process.stdin.write(f"{each}\n".encode())
            messages.append(cast("Json", json.loads(await process.stdout.readline())))
        output, errors = await process.communicate(b"")
    assert (output, process.returncode) == (b"", 0)
    assert not secret or secret not in errors.decode()
    return messages, errors.decode()


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_a_question_is_answered_through_the_command(tmp_path: Path, era: Era) -> None:
    async with house(tmp_path, **asker_entries()) as (running, api):
        secret = await token(api, patience=PATIENCE)
        for server in ("push", "rounds"):
            async with started(f"{running.base}/mcp/{server}", secret, era) as agent:
                await _answered(api, agent)
                # In 2026-07-28 a cancelled request looks like an agent that has gone, for which the question waits.
                if (server, era) == ("push", Era.PUSH):
                    await _cancelled(api, agent)


async def _answered(api: Api, agent: Client) -> None:
    """Check that progress and a question reach both ends."""
    reported: list[tuple[float, float | None, str | None]] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        reported.append((progress, total, message))

    await agent.call_tool("progress", {"steps": 2}, progress_callback=report)
    call = asyncio.create_task(agent.call_tool("ask_form", {}))
    (request,) = await open_requests(api)
    await api.answer(request, action="accept", content={"name": "Änn"})
    assert (await call).structured_content == {"action": "accept", "content": {"name": "Änn"}}
    assert reported[-1] == (2, 2, "Step 2")


async def _cancelled(api: Api, agent: Client) -> None:
    """Check that a call which the agent cancels is cancelled in the inbox."""
    call = asyncio.create_task(agent.call_tool("ask_form", {}))
    (request,) = await open_requests(api)
    call.cancel()
    while (await api.json("GET", f"/requests/{request['id']}", params={"wait": 30}))["state"] == "pending":
        pass
    assert (await agent.list_tools()).tools


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_a_killed_inbox_fails_calls_and_is_found_again(tmp_path: Path, era: Era) -> None:
    options = ["--port", str(free_port())]
    async with program(tmp_path, servers=asker_entries(), options=options) as running, running.client() as api:
        await api.server("push")
        secret = await token(api, patience=PATIENCE)
        async with started(f"{running.base}/mcp/push", secret, era) as agent:
            call = asyncio.create_task(agent.call_tool("ask_form", {}))
            await open_requests(api)
            os.kill(running.pid, signal.SIGKILL)
            with pytest.raises(MCPError, match="The inbox cannot be reached"):
                await call
            with pytest.raises(MCPError, match="The inbox cannot be reached"):
                await agent.list_tools()
            async with program(tmp_path, servers=asker_entries(), options=options):
                result = await agent.call_tool("progress", {"steps": 1})
                assert not result.is_error


async def test_subscriptions_go_on_after_the_inbox_was_killed(tmp_path: Path) -> None:
    options = ["--port", str(free_port())]
    async with program(tmp_path, servers=asker_entries(), options=options) as running, running.client() as api:
        await api.server("push")
        async with started(f"{running.base}/mcp/push", await token(api), Era.PUSH) as agent:
            await subscribe(agent, "asker://text")
            await subscribe(agent, "asker://more")
            await unsubscribe(agent, "asker://more")
            os.kill(running.pid, signal.SIGKILL)
            async with program(tmp_path, servers=asker_entries(), options=options):
                result = await agent.call_tool("update", {"uri": "asker://text"})
                assert result.content[0].text == "asker://text"  # type: ignore[union-attr]


async def test_garbage_on_the_input_is_answered_and_ends_nothing(tmp_path: Path) -> None:
    async with house(tmp_path, echoing=entry("echoing")) as (running, api):
        lines = ["{", "[]", '{"id": 4}', "\x00\ud83d".encode("utf-8", "replace").decode(), json.dumps(DISCOVER)]
        messages, errors = await spoken(f"{running.base}/mcp/echoing", await token(api), *lines, forked=False)
        assert [(each["id"], each["error"]["code"]) for each in messages[:-1]] == [(None, -32700)] * 4
        assert (messages[-1]["id"], messages[-1]["result"]["resultType"]) == (7, "complete")
        assert errors == ""


async def test_each_refusal_is_a_sentence_and_an_error(tmp_path: Path) -> None:
    async with house(tmp_path, echoing=entry("echoing")) as (running, api):
        secret, asking = await token(api), await token(api, scopes=["ask"])
        echoing = f"{running.base}/mcp/echoing"
        for address, given, words in (
            (echoing, "mcpweb_wrong", "The inbox refuses the token: it is wrong"),
            (echoing, asking, "The inbox refuses the token for this address: "),
            (f"{running.base}/mcp/nothing", secret, "The inbox knows no such address: "),
            (f"{running.base}/healthz", secret, "does not speak MCP"),
            (f"http://127.0.0.1:{free_port()}/mcp/x", secret, "The inbox cannot be reached at http://127.0.0.1"),
        ):
            messages, errors = await spoken(address, given, json.dumps(DISCOVER), json.dumps(DISCOVER))
            assert [each["id"] for each in messages] == [7, 7]
            # A sentence that has been said is not said again.
            assert errors == f"{messages[0]['error']['message']}\n" == f"{messages[1]['error']['message']}\n"
            assert words in errors


@pytest.mark.parametrize(
    ("arguments", "env", "words"),
    [
        (["--url", "http://127.0.0.1/mcp/x"], {}, "A token is missing."),
        (["--url", "127.0.0.1/mcp/x"], {"WEBCLIENT_AGENT_TOKEN": "a"}, "This address cannot be used."),
        (["--url", "http://inbox.example/mcp/x"], {"WEBCLIENT_AGENT_TOKEN": "a"}, "This address cannot be used."),
        (["--url", "https://inbox.example/mcp/x"], {"WEBCLIENT_AGENT_TOKEN": "a\nb"}, "The token has characters"),
        (
            ["--url", "https://inbox.example/mcp/x", "--ca-file", "/nowhere"],
            {"WEBCLIENT_AGENT_TOKEN": "a"},
            "The file /nowhere with certificate authorities cannot be read",
        ),
    ],
)
async def test_a_wrong_option_ends_the_command(arguments: list[str], env: dict[str, str], words: str) -> None:
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), asyncio.subprocess.PIPE)
    line = launched("webclient", "stdio", *arguments)
    # Its input stays open.
    process = await asyncio.create_subprocess_exec(*line, **pipes, env=environment(**env))
    async with asyncio.timeout(HANGS):
        assert await process.wait() == USAGE
        assert process.stdout
        assert process.stderr
        assert await process.stdout.read() == b""
        assert words in (await process.stderr.read()).decode()
