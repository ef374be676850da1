"""The plugin for ContextForge in its real framework: what a person has approved goes on, and nothing else."""

from __future__ import annotations

import asyncio
import json
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.gateway.agents import token
from tests.gateway.houses import open_requests
from tests.gateway.test_approvals import ASK, PAY, bank, put_rules
from tests.mcp_servers import ROOT
from tests.program import PATIENCE, Api
from webclient.domain.model import Json

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

PYTHON = ROOT / "build/contextforge/bin/python"
EXAMPLE = ROOT / "examples/gateways/contextforge"

GATEWAY = """
import asyncio, json, sys
from cpex.framework import GlobalContext, PluginManager, ToolHookType, ToolPreInvokePayload

async def main():
    manager = PluginManager(sys.argv[1])
    await manager.initialize()
    for line in iter(sys.stdin.readline, ""):
        payload, context = ToolPreInvokePayload(**json.loads(line)), GlobalContext(request_id="1")
        try:
            result, _contexts = await manager.invoke_hook(ToolHookType.TOOL_PRE_INVOKE, payload, context)
            said = result.violation and result.violation.description
            print(json.dumps({"runs": result.continue_processing, "said": said}), flush=True)
        except Exception as error:
            print(json.dumps({"runs": False, "said": repr(error)}), flush=True)

asyncio.run(main())
"""
"""The step of ContextForge before each tool call, with a line of JSON for each."""


class Gateway:
    """The process that calls the plugin."""

    def __init__(self, process: Process) -> None:
        self.process = process

    async def asks(self, name: str = "pay", args: Json = PAY) -> Json:
        """Return whether a call may go on, and what the model gets if not."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({"name": name, "args": args}).encode() + b"\n")
        async with asyncio.timeout(PATIENCE):
            found: Json = json.loads(await self.process.stdout.readline())
        return found


@asynccontextmanager
async def gateway(folder: Path, inbox: str, secret: str, seconds: int = 25) -> AsyncIterator[Gateway]:
    """Run the framework with the example's files."""
    if not PYTHON.exists():
        pytest.skip("cpex is not installed: make build/contextforge/.installed")
    changes = {"http://127.0.0.1:8765": inbox, "seconds: 25": f"seconds: {seconds}"}
    config = (EXAMPLE / "plugins.yaml").read_text("utf-8")
    for example, own in changes.items():
        assert config.count(example) == 1
        config = config.replace(example, own)
    written = folder / "plugins.yaml"
    written.write_text(config, "utf-8")
    variables = {"INBOX_TOKEN": secret, "PYTHONPATH": str(EXAMPLE)}
    process = await asyncio.create_subprocess_exec(
        *(str(PYTHON), "-c", GATEWAY, str(written)), cwd=folder, env=os.environ | variables, stdin=PIPE, stdout=PIPE
    )
    try:
        yield Gateway(process)
    finally:
        process.kill()
        await process.communicate()


@asynccontextmanager
async def guarded(folder: Path, *rules: Json, seconds: int = 25) -> AsyncIterator[tuple[Gateway, Api]]:
    """Start the program and the framework."""
    async with bank(folder, *rules) as (running, api):
        secret = await token(api, "ContextForge", scopes=["ask"])
        async with gateway(folder, running.base, secret, seconds) as asking:
            yield asking, api


async def test_an_approved_call_goes_on_and_a_rejected_one_stops(tmp_path: Path) -> None:
    async with guarded(tmp_path, ASK) as (asking, api), asyncio.TaskGroup() as tasks:
        assert (await asking.asks("look", {"path": "/"}))["runs"]
        for action, message in (("accept", None), ("decline", "Not on a Friday.")):
            call = tasks.create_task(asking.asks())
            (request,) = await open_requests(api)
            assert request["params"]["arguments"] == PAY
            words: Json = {"message": message} if message else {}
            await api.answer(request, action=action, **words)
            answer = await call
            assert answer["runs"] == (action == "accept")
            assert message is None or message in answer["said"]


async def test_a_late_decision_counts_for_the_next_equal_call(tmp_path: Path) -> None:
    async with guarded(tmp_path, ASK, seconds=1) as (asking, api):
        assert not (await asking.asks())["runs"]
        (request,) = await open_requests(api)
        await api.answer(request, action="accept")
        assert not (await asking.asks(args=PAY | {"amount": 999}))["runs"]
        assert (await asking.asks())["runs"]
        assert not (await asking.asks())["runs"]


async def test_a_call_stops_without_an_answer_of_the_inbox(tmp_path: Path) -> None:
    async with guarded(tmp_path, {"tool": "pay", "then": "refuse"}) as (asking, api):
        assert not (await asking.asks())["runs"]
        await put_rules(api)
        assert (await asking.asks())["runs"]
    async with gateway(tmp_path, "http://127.0.0.1:9", "none") as asking:
        assert not (await asking.asks())["runs"]
