"""Envoy itself before a server that counts: it passes on what a person has approved, once, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from tests.deploy.front import free_port
from tests.gateway.agents import MODES, token
from tests.gateway.houses import open_requests
from tests.gateway.test_approvals import ASK, PAY, put_rules, ran, text
from tests.mcp_servers import ROOT, command, started
from tests.program import PATIENCE, Api, Program, program
from webclient.domain.model import Era

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

ENVOY = ROOT / "build/gateways/bin/envoy"
EXAMPLE = ROOT / "examples/gateways/envoy.yaml"


@asynccontextmanager
async def envoy(folder: Path, inbox: Program, secret: str, bank: str, seconds: int = 50) -> AsyncIterator[str]:
    """Run Envoy with the example's file, and give the address of the server behind it."""
    if not ENVOY.exists():
        pytest.skip("Envoy is not installed: make build/gateways/.installed")
    port = free_port()
    changes = {
        "port_value: 8080": f"port_value: {port}",
        "port_value: 8000": f"port_value: {bank}",
        "port_value: 8765": f"port_value: {inbox.base.rpartition(':')[2]}",
        "mcpweb_...": secret,
        "timeout: 50s": f"timeout: {seconds}s",
    }
    config = EXAMPLE.read_text("utf-8")
    for example, own in changes.items():
        assert config.count(example) == 1
        config = config.replace(example, own)
    (folder / "envoy.yaml").write_text(config, "utf-8")
    # Several of one machine share memory by a number by default.
    options = ["--use-dynamic-base-id", "--concurrency", "1", "--log-level", "error"]
    with (folder / "envoy.log").open("w", encoding="utf-8") as log:
        running = [str(ENVOY), "-c", str(folder / "envoy.yaml"), *options]
        async with await anyio.open_process(running, stdin=None, stdout=log, stderr=log) as process:
            try:
                await _until_ready(f"http://127.0.0.1:{port}/mcp")
                yield f"http://127.0.0.1:{port}/mcp"
            finally:
                process.terminate()


@asynccontextmanager
async def guarded(folder: Path, era: Era, seconds: int = 50) -> AsyncIterator[tuple[Api, Client]]:
    """Start all of it; give the person and an agent, which knows nothing of this program."""
    bank = started(command("counting", str(folder / "runs"), "http"), announce="Listening")
    async with bank as server, program(folder) as inbox, inbox.client() as api:
        await put_rules(api, ASK)
        secret = await token(api, "Envoy", scopes=["ask"])
        async with (
            envoy(folder, inbox, secret, str(server.port), seconds) as address,
            httpx2.AsyncClient(timeout=None) as http,
            Client(streamable_http_client(address, http_client=http), mode=MODES[era]) as agent,
        ):
            assert agent.session.protocol_version == era
            yield api, agent


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_an_approved_call_runs_once_and_a_rejected_one_never(tmp_path: Path, era: Era) -> None:
    async with guarded(tmp_path, era) as (api, agent), asyncio.TaskGroup() as tasks:
        assert "pay" in [tool.name for tool in (await agent.list_tools()).tools]
        assert text(await agent.call_tool("look", {"path": "/"})) == "/"
        calling = tasks.create_task(agent.call_tool("pay", PAY))
        (request,) = await open_requests(api)
        assert ran(tmp_path)[1:] == []
        await api.answer(request, action="accept", digest=request["digest"])
        assert text(await calling).startswith("Paid")
        again = tasks.create_task(_refused(agent))
        (other,) = await open_requests(api)
        await api.answer(other, action="decline", message="Ask the finance team.")
        assert "Ask the finance team." in await again
        assert ran(tmp_path)[1:] == [("pay", PAY)]


async def test_an_agent_that_comes_again_gets_the_decision(tmp_path: Path) -> None:
    async with guarded(tmp_path, Era.ROUNDS, 8) as (api, agent):
        assert "again" in await _refused(agent)
        (request,) = await open_requests(api)
        await api.answer(request, action="accept")
        assert text(await agent.call_tool("pay", PAY)).startswith("Paid")
        assert "again" in await _refused(agent)
        assert ran(tmp_path) == [("pay", PAY)]


async def _refused(agent: Client) -> str:
    """Return what the model of an agent sees of a payment that does not run."""
    with pytest.raises(MCPError) as refused:
        await agent.call_tool("pay", PAY)
    return str(refused.value)


async def _until_ready(address: str) -> None:
    async with asyncio.timeout(PATIENCE), httpx2.AsyncClient() as http:
        while True:
            try:
                await http.get(address)
            except httpx2.TransportError:
                await asyncio.sleep(0.05)
            else:
                return
