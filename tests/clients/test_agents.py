"""`mcp-webclient-client` with FastMCP's client, version 1 of the SDK, and LangChain, each on its own Python."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from anyio import create_task_group, run_process

from tests.clients.conftest import Desk
from tests.forks import launched
from tests.mcp_servers import ROOT
from tests.real.published import MCP_1, MCP_2
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

ACCEPTED = {"action": "accept", "content": {"name": "Ada"}}
DECLINED = {"action": "decline"}
AGENTS = [
    ("fastmcp", MCP_1, ACCEPTED),
    ("fastmcp", MCP_1, DECLINED),
    ("fastmcp", MCP_2, ACCEPTED),
    ("fastmcp", MCP_2, DECLINED),
    ("mcp_1", MCP_1, ACCEPTED),
    ("langchain", MCP_1, ACCEPTED),
]


@pytest.mark.parametrize(("kind", "place", "given"), AGENTS)
async def test_an_agent_carries_a_form_and_its_answer(desk: Desk, kind: str, place: Path, given: Json) -> None:
    script = str(Path(__file__).with_name("agents.py"))
    arguments = json.dumps({"message": f"{given['action']} {kind} on {place.name}?"})
    line = [str(place / "bin/python"), script, kind, desk.program.base, desk.token, "ask_form", arguments]
    command = [*line, *launched("tests.mcp_servers.asker")]
    printed: list[str] = []

    async def run() -> None:
        environment = os.environ | {"PYTHONPATH": f"{ROOT / 'clients/python'}{os.pathsep}{ROOT}"}
        ended = await run_process(command, env=environment, stderr=None)
        printed.append(ended.stdout.decode())

    async with create_task_group() as group:
        group.start_soon(run)
        request = await desk.pending(f"{given['action']} {kind} on {place.name}")
        if kind == "langchain":
            assert (request["asked_by"]["claims"], request["during"]["name"]) == ("asker", "ask_form")
        await desk.api.answer(request, **given)
    assert json.loads(printed[0]) == given
