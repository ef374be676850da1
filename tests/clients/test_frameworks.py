"""Approvals in published agent frameworks: what ran is what the person approved, and the model gets their words."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest
from mcp_webclient_client.frameworks import CAN, Abilities

from tests.clients.conftest import Desk
from tests.clients.installed import CLIENTS, PACKAGE, installed_beside
from tests.conformance.suites import NODE
from tests.gateway.houses import open_requests
from tests.mcp_servers import ROOT
from tests.program import PATIENCE
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

AGENTS = ROOT / "examples/approvals"
TYPED = Path(__file__).parent / "typed"


class Run(NamedTuple):
    """One way in which an agent of a framework runs; `resumes` says whether another process can go on with it.

    `verbs` are the decisions that this way can honour, if they are not all of the framework's.
    """

    framework: str
    command: str
    resumes: bool = False
    verbs: Sequence[str] = ()

    @property
    def folder(self) -> str:
        """The name of the folder with the agent."""
        return self.command.partition("/")[0]

    @property
    def packages(self) -> Path:
        """The folder with the packages of the framework."""
        own = any((AGENTS / self.folder / name).exists() for name in ("requirements.txt", "package.json"))
        return ROOT / "build/examples" / ("approvals" if own else "agents") / self.folder

    def line(self, folder: Path) -> list[str]:
        """Return the command line of the agent, without its arguments; those of Node.js are installed in a folder."""
        script = AGENTS / self.command.partition(" ")[0]
        if script.suffix == ".py":
            return [str(self.packages / "bin/python"), str(script)]
        if not (folder / script.name).exists():
            beside = [each for each in (self.packages / "node_modules").iterdir() if each.name[0] != "."]
            installed_beside(folder, beside, [script])
        return [str(NODE), str(folder / script.name)]


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
    Run("Vercel AI SDK", "vercel-ai/agent.mjs", resumes=True),
    Run("Vercel AI SDK", "vercel-ai/agent.mjs waiting"),
    Run("Vercel AI SDK", "vercel-ai/agent.mjs plain", resumes=True, verbs=("approve", "reject")),
    Run("OpenAI Agents JS", "openai-agents-js/agent.mjs", resumes=True),
    Run("OpenAI Agents JS", "openai-agents-js/agent.mjs plain", resumes=True, verbs=("approve", "reject")),
    Run("Mastra", "mastra/agent.mjs", resumes=True),
    Run("Mastra", "mastra/agent.mjs plain", resumes=True, verbs=("approve", "reject")),
)

EDITED = {"action": "accept", "content": {"arguments": {"amount": 25}}}
DECISIONS: dict[str, tuple[Json, list[float], str]] = {
    "approve": ({"action": "accept"}, [250], "Paid 250"),
    "edit": (EDITED, [25], "25"),
    "reject": ({"action": "decline", "message": "Not on a Friday."}, [], "Not on a Friday."),
    "respond": ({"action": "accept", "content": {"respond": "Paid by hand."}}, [], "Paid by hand."),
}
"""For each verb what the person answers, what ran then, and what the model got."""


@cache
def abilities() -> Mapping[str, Abilities]:
    """Return what the adapters of both packages say of their frameworks."""
    script = f"console.log(JSON.stringify((await import('{PACKAGE}/frameworks/calls.js')).CAN))"
    printed = subprocess.check_output(["node", "--input-type=module", "--eval", script])
    return {**CAN, **{name: Abilities(**can) for name, can in json.loads(printed).items()}}


@asynccontextmanager
async def agent(desk: Desk, run: Run, folder: Path) -> AsyncIterator[Process]:
    """Start an agent, which makes a call for every line; kill it at the end of the block, as a crash would."""
    if not (run.packages / ".installed").exists():
        pytest.skip("make approvals installs it")
    options = run.command.split()[1:]
    process = await asyncio.create_subprocess_exec(
        *(*run.line(folder), desk.program.base, desk.token, str(folder / "run"), *options),
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


async def killed_before_its_decision(desk: Desk, run: Run, folder: Path, answer: Json) -> None:
    """Kill an agent that waits, and take its decision afterwards."""
    async with agent(desk, run, folder) as process:
        goes(process)
        (request,) = await open_requests(desk.api)
    await desk.api.answer(request, **answer)


async def goes_on(desk: Desk, process: Process, ran: list[float], said: str) -> None:
    """Continue a killed run in another process; check that it does what was decided, once."""
    goes(process, "resume")
    result = await result_of(process)
    assert result["ran"] == ran
    assert said in result["said"]
    assert (await desk.api.json("GET", "/requests", params={"state": "pending"}))["requests"] == []


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.command)
async def test_an_agent_runs_what_was_decided_and_nothing_else(desk: Desk, run: Run, tmp_path: Path) -> None:
    """Also what was decided after it was killed, where a run can outlive its process."""
    can = abilities()[run.framework]
    decided = DECISIONS["approve" if run.verbs else "edit"]
    if run.resumes:
        await killed_before_its_decision(desk, run, tmp_path, decided[0])
    async with agent(desk, run, tmp_path) as process:
        if run.resumes:
            await goes_on(desk, process, *decided[1:])
        for verb, (answer, ran, said) in DECISIONS.items():
            goes(process)
            (request,) = await open_requests(desk.api)
            assert request["params"]["arguments"] == {"amount": 250}
            if run.framework == "Google ADK":
                assert request["params"]["tool"]["inputSchema"]["properties"]["amount"]["type"] == "number"
            if verb not in (run.verbs or can.verbs):
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


@pytest.mark.parametrize("name", sorted(path.stem for path in TYPED.glob("*.mts")))
async def test_each_typescript_adapter_compiles_strictly(name: str, tmp_path: Path) -> None:
    packages = ROOT / "build/examples/approvals" / name
    if not (packages / ".installed").exists():
        pytest.skip("make approvals installs it")
    beside = [each for each in (packages / "node_modules").iterdir() if each.name[0] != "."]
    installed_beside(tmp_path, beside, [TYPED / f"{name}.mts"])
    how = ["--strict", "--noUncheckedIndexedAccess", "--noEmit", "--skipLibCheck"]
    how += ["--module", "nodenext", "--target", "es2023", "--typeRoots", str(CLIENTS / "@types"), "--types", "node"]
    command = [str(NODE), str(CLIENTS / "typescript/bin/tsc"), *how, f"{name}.mts"]
    checked = await anyio.run_process(command, cwd=tmp_path, check=False)
    assert checked.stdout.decode() == ""
    assert checked.returncode == 0


def test_the_documented_table_is_what_the_adapters_do() -> None:
    text = (ROOT / "docs/approvals.md").read_text("utf-8")
    rows = re.findall(r"^\| ([^|]+) \|((?: (?:yes|no) \|){6})$", text, re.MULTILINE)
    documented = {name: re.findall("yes|no", cells) for name, cells in rows}
    declared = {
        name: ["yes" if each else "no" for each in (*(verb in can.verbs for verb in DECISIONS), can.resumes, can.tells)]
        for name, can in abilities().items()
    }
    assert {name: documented.get(name) for name in declared} == declared
    # Each of them is what the tests above have seen.
    assert {run.framework for run in RUNS} == abilities().keys()
    assert {run.framework for run in RUNS if run.resumes} == {name for name, can in abilities().items() if can.resumes}
