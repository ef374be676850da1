"""The client package for the TypeScript SDK, run by node, against the running program."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from anyio import open_process
from anyio.abc import Process
from anyio.streams.text import TextReceiveStream

from tests.clients.conftest import Desk
from tests.mcp_servers import ROOT
from tests.mcp_servers.proxy import proxied
from tests.real.published import NODE
from webclient.model import Json

pytestmark = pytest.mark.anyio

ACCEPTED: Json = {"action": "accept", "content": {"name": "Ada"}}
AGENT = str(Path(__file__).with_name("agent.mjs"))
ASKER = [sys.executable, "-m", "tests.mcp_servers.asker"]


@asynccontextmanager
async def agent(address: str, token: str, message: str, **options: Any) -> AsyncIterator[Process]:
    """Run an agent that calls a tool which asks with this message."""
    arguments = [json.dumps(options), "ask_form", json.dumps({"message": message})]
    line = ["node", AGENT, str(NODE), address, token, *arguments, *ASKER]
    async with await open_process(line, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, stderr=None) as process:
        yield process


async def printed(process: Process) -> Json:
    """Return the JSON that the agent prints."""
    assert process.stdout
    text = "".join([part async for part in TextReceiveStream(process.stdout)])
    result: Json = json.loads(text)
    return result


async def test_the_typescript_sdk_carries_a_form_and_its_answer(desk: Desk) -> None:
    # The first response is lost on its way back, then the connection of the long poll.
    async with proxied(desk.program.base) as (proxy, address):
        proxy.tear(b'"pending"')
        async with agent(address, desk.token, "From TypeScript?", label="asker") as process:
            request = await desk.pending("From TypeScript?")
            proxy.tear(b"")
            await proxy.expect(f"GET /api/v1/requests/{request['id']}".encode()).wait()
            proxy.cut()
            assert request["asked_by"]["claims"] == "asker"
            await desk.api.answer(request, **ACCEPTED)
            assert await printed(process) == ACCEPTED
    found = (await desk.api.json("GET", "/requests"))["requests"]
    assert [each["id"] for each in found if each["params"]["message"] == "From TypeScript?"] == [request["id"]]


async def test_a_cancelled_typescript_agent_withdraws_its_question(desk: Desk) -> None:
    async with agent(desk.program.base, desk.token, "Cancelled in TypeScript?") as process:
        request = await desk.pending("Cancelled in TypeScript?")
        assert process.stdin
        await process.stdin.aclose()
        while request["state"] == "pending":
            request = await desk.api.json("GET", f"/requests/{request['id']}", params={"wait": 30})
    assert request["state"] == "withdrawn"


async def test_a_time_out_in_typescript_answers_cancel(desk: Desk) -> None:
    async with agent(desk.program.base, desk.token, "Too late?", timeout=1) as process:
        answer = await printed(process)
    assert answer["action"] == "cancel"
    assert answer["_meta"]["mcp-webclient/reason"]
