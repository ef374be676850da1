"""Approvals in published agent frameworks: what ran is what the person approved, and the model gets their words."""

from __future__ import annotations

import asyncio
import json
import os
import re
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from mcp_webclient_client.frameworks import CAN

from tests.clients.conftest import Desk
from tests.gateway.houses import open_requests
from tests.mcp_servers import ROOT
from tests.program import PATIENCE
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

AGENTS = ROOT / "examples/approvals"


class Run(NamedTuple):
    """One way in which an agent of a framework runs; `resumes` says whether another process can go on with it."""

    framework: str
    command: str
    resumes: bool = False

    @property
    def python(self) -> Path:
        """The Python with the packages of the framework."""
        folder = self.command.partition("/")[0]
        own = (AGENTS / folder / "requirements.txt").exists()
        return ROOT / "build/examples" / ("approvals" if own else "agents") / folder / "bin/python"


RUNS = (
    Run("pydantic-ai", "pydantic-ai/agent.py"),
    Run("pydantic-ai", "pydantic-ai/agent.py stored", resumes=True),
    Run("LangChain", "langchain/agent.py", resumes=True),
    Run("LangChain", "langchain/agent.py batched", resumes=True),
    Run("LangChain", "langchain/graph.py", resumes=True),
    Run("Claude Agent SDK", "claude/agent.py"),
    Run("AG-UI", "ag-ui/agent.py", resumes=True),
    Run("OpenAI Agents", "openai-agents/agent.py", resumes=True),
    Run("Google ADK", "google-adk/agent.py"),
    Run("CrewAI", "crewai/agent.py"),
    Run("Agent Framework", "agent-framework/agent.py"),
)

EDITED = {"action": "accept", "content": {"arguments": {"amount": 25}}}
DECISIONS: dict[str, tuple[Json, list[float], str]] = {
    "approve": ({"action": "accept"}, [250], "Paid 250"),
    "edit": (EDITED, [25], "25"),
    "reject": ({"action": "decline", "message": "Not on a Friday."}, [], "Not on a Friday."),
    "respond": ({"action": "accept", "content": {"respond": "Paid by hand."}}, [], "Paid by hand."),
}
"""For each verb what the person answers, what ran then, and what the model got."""


@asynccontextmanager
async def agent(desk: Desk, run: Run, folder: Path) -> AsyncIterator[Process]:
    """Start an agent, which makes a call for every line; kill it at the end of the block, as a crash would."""
    if not run.python.exists():
        pytest.skip("make approvals installs it")
    script, *options = run.command.split()
    process = await asyncio.create_subprocess_exec(
        *(str(run.python), str(AGENTS / script), desk.program.base, desk.token, str(folder / "run"), *options),
        stdin=PIPE,
        stdout=PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT / "clients/python")},
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def goes(process: Process, line: str = "run") -> None:
    """Start a run, or go on with one."""
    assert process.stdin
    process.stdin.write(f"{line}\n".encode())


async def result_of(process: Process) -> Json:
    """Wait for what ran, and what the model says of it; other lines are the framework's own."""
    assert process.stdout
    async with asyncio.timeout(PATIENCE):
        while not (line := await process.stdout.readline()).startswith(b'{"ran"'):
            assert line, "The agent has ended."
    result: Json = json.loads(line)
    return result


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.command)
async def test_an_agent_runs_what_was_decided_and_nothing_else(desk: Desk, run: Run, tmp_path: Path) -> None:
    can = CAN[run.framework]
    async with agent(desk, run, tmp_path) as process:
        for verb, (answer, ran, said) in DECISIONS.items():
            goes(process)
            (request,) = await open_requests(desk.api)
            assert request["params"]["arguments"] == {"amount": 250}
            if verb not in can.verbs:
                await desk.api.answer(request, 422, **answer)
                await desk.api.answer(request, action="decline")
                assert (await result_of(process))["ran"] == []
                continue
            await desk.api.answer(request, **answer)
            result = await result_of(process)
            assert result["ran"] == ran
            assert said in result["said"]
            if verb == "edit":
                # More than the result of the tool, if the model knows of it.
                assert (result["said"].removesuffix(".0") != "Paid 25") == can.tells
        goes(process)
        (request,) = await open_requests(desk.api)
        await desk.api.answer(request, action="cancel")
        assert (await result_of(process))["ran"] == []


@pytest.mark.parametrize("run", [run for run in RUNS if run.resumes], ids=lambda run: run.command)
@pytest.mark.parametrize("verb", ["edit", "reject"])
async def test_an_agent_that_was_killed_goes_on_with_the_decision(
    desk: Desk, run: Run, verb: str, tmp_path: Path
) -> None:
    answer, ran, said = DECISIONS[verb]
    async with agent(desk, run, tmp_path) as process:
        goes(process)
        (request,) = await open_requests(desk.api)
    await desk.api.answer(request, **answer)
    async with agent(desk, run, tmp_path) as process:
        goes(process, "resume")
        result = await result_of(process)
    assert result["ran"] == ran
    assert said in result["said"]
    assert (await desk.api.json("GET", "/requests", params={"state": "pending"}))["requests"] == []


def test_the_documented_table_is_what_the_adapters_do() -> None:
    text = (ROOT / "docs/approvals.md").read_text("utf-8")
    rows = re.findall(r"^\| ([^|]+) \|((?: (?:yes|no) \|){6})$", text, re.MULTILINE)
    documented = {name: re.findall("yes|no", cells) for name, cells in rows}
    declared = {
        name: ["yes" if each else "no" for each in (*(verb in can.verbs for verb in DECISIONS), can.resumes, can.tells)]
        for name, can in CAN.items()
    }
    assert {name: documented.get(name) for name in declared} == declared
    # Each of them is what the tests above have seen.
    assert {run.framework for run in RUNS} == CAN.keys()
    assert {run.framework for run in RUNS if run.resumes} == {name for name, can in CAN.items() if can.resumes}
