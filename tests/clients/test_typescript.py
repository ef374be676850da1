"""The client package for the TypeScript SDK, run by node, against the running program."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from anyio import open_process, run_process
from anyio.abc import Process
from anyio.streams.text import TextReceiveStream

from tests.clients.conftest import Desk
from tests.clients.installed import CLIENTS, installed
from tests.forks import launched
from tests.mcp_servers import ROOT
from tests.mcp_servers.proxy import proxied
from tests.receiver import Receiver
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

ACCEPTED: Json = {"action": "accept", "content": {"name": "Ada"}}

Start = Callable[..., AbstractAsyncContextManager[Process]]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(tmp_path_factory.mktemp("package"))


@pytest.fixture
def agent(package: Path) -> Start:
    """Return what runs an agent that calls a tool which asks with this message."""

    @asynccontextmanager
    async def run(address: str, token: str, message: str, version: str = "1", **options: Any) -> AsyncIterator[Process]:
        arguments = [json.dumps(options), "ask_form", json.dumps({"message": message})]
        line = ["node", str(package / "agent.mjs"), version, address, token, *arguments]
        line += launched("tests.mcp_servers.asker")
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        async with await open_process(line, cwd=ROOT, env=environment, stderr=None) as process:
            yield process

    return run


async def printed(process: Process) -> Json:
    """Return the JSON that the agent prints."""
    result: Json = json.loads(await said_by(process))
    return result


async def said_by(process: Process) -> str:
    """Return all that the agent prints."""
    assert process.stdout
    return "".join([part async for part in TextReceiveStream(process.stdout)])


async def test_the_typescript_sdk_carries_a_form_and_its_answer(desk: Desk, agent: Start) -> None:
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


@pytest.mark.parametrize("version", ["1", "auto"], ids=["sdk-1", "sdk-2"])
async def test_a_cancelled_typescript_agent_withdraws_its_question(desk: Desk, agent: Start, version: str) -> None:
    message = f"Cancelled on {version}?"
    async with agent(desk.program.base, desk.token, message, version) as process:
        request = await desk.pending(message)
        assert process.stdin
        await process.stdin.aclose()
        while request["state"] == "pending":
            request = await desk.api.json("GET", f"/requests/{request['id']}", params={"wait": 30})
    assert request["state"] == "withdrawn"


async def test_a_killed_typescript_agent_finds_its_answer(desk: Desk, agent: Start) -> None:
    """Version 2 of the SDK, in the rounds of 2026-07-28."""
    async with agent(desk.program.base, desk.token, "Killed?", "auto", key="trip-7") as process:
        request = await desk.pending("Killed?")
        process.kill()
        assert await process.wait() == -signal.SIGKILL
    await desk.api.answer(request, **ACCEPTED)
    async with agent(desk.program.base, desk.token, "Killed?", "auto", key="trip-7") as process:
        assert await printed(process) == ACCEPTED
    found = (await desk.api.json("GET", "/requests"))["requests"]
    assert [each["id"] for each in found if each["params"]["message"] == "Killed?"] == [request["id"]]


async def test_a_time_out_in_typescript_answers_cancel(desk: Desk, agent: Start) -> None:
    async with agent(desk.program.base, desk.token, "Too late?", timeout=1) as process:
        answer = await printed(process)
    assert answer["action"] == "cancel"
    assert answer["_meta"]["mcp-webclient/reason"]


async def test_each_export_compiles_strictly(package: Path) -> None:
    strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noEmit"]
    how = ["--module", "nodenext", "--target", "es2023", "--types", "node", "--skipLibCheck"]
    compiler = str(CLIENTS / "typescript/bin/tsc")
    checked = await run_process(["node", compiler, *strict, *how, "uses.mts"], cwd=package, check=False)
    assert checked.stdout.decode() == ""
    assert checked.returncode == 0


async def test_a_typescript_agent_over_the_rate_asks_again(receiver: Receiver, agent: Start) -> None:
    receiver.statuses = [429, 404]
    receiver.headers = [("retry-after", "1"), ("content-type", "application/problem+json")]
    receiver.body = b'{"detail": "Too often."}'
    async with agent(receiver.url, "token", "Again?") as process:
        first, second = await receiver.next(), await receiver.next()
        # No answer, so what it prints is of no interest.
        process.terminate()
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    assert second.at - first.at >= 1


@pytest.mark.parametrize("limited_desk", [0.001], indirect=True)
async def test_a_typescript_agent_waits_within_its_deadline(limited_desk: Desk, agent: Start) -> None:
    form = {"kind": "form", "message": "The first", "requestedSchema": {"type": "object", "properties": {}}}
    asker = {"Authorization": f"Bearer {limited_desk.token}"}
    await limited_desk.api.json("POST", "/requests", 201, json=form, headers=asker)
    async with agent(limited_desk.program.base, limited_desk.token, "The second", expiresIn=600) as process:
        assert (await said_by(process)).startswith("Error")


async def test_a_full_inbox_is_an_error_in_typescript(receiver: Receiver, agent: Start) -> None:
    receiver.statuses = [429]
    receiver.headers = [("content-type", "application/problem+json")]
    receiver.body = b'{"detail": "As many as may wait already."}'
    async with agent(receiver.url, "token", "Full?") as process:
        assert (await said_by(process)).startswith("Error")
    assert len(receiver.all) == 1
