"""Approvals in published agent frameworks: what ran is what the person approved, and the model gets their words."""

from __future__ import annotations

import asyncio
import json
import os
from asyncio.subprocess import PIPE

import pytest

from tests.clients.conftest import Desk
from tests.gateway.houses import open_requests
from tests.mcp_servers import ROOT
from tests.program import PATIENCE
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

BUILT = ROOT / "build/examples/agents"


@pytest.mark.parametrize("name", ["pydantic-ai", "langchain"])
async def test_an_agent_runs_what_was_decided_and_nothing_else(desk: Desk, name: str) -> None:
    python = BUILT / name / "bin/python"
    if not python.exists():
        pytest.skip(f"{name} is not installed: make build/examples/agents/{name}/.installed")
    script = ROOT / "examples/approvals" / f"{name.replace('-', '_')}_agent.py"
    process = await asyncio.create_subprocess_exec(
        *(str(python), str(script), desk.program.base, desk.token),
        stdin=PIPE,
        stdout=PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT / "clients/python")},
    )
    assert process.stdin
    assert process.stdout
    decisions: list[tuple[Json, list[float], str]] = [
        ({"action": "accept"}, [250.0], "Paid 250"),
        ({"action": "accept", "content": {"arguments": {"amount": 25}}}, [25.0], "25"),
        ({"action": "decline", "message": "Not on a Friday."}, [], "Not on a Friday."),
    ]
    try:
        for answer, ran, said in decisions:
            process.stdin.write(b"run\n")
            (request,) = await open_requests(desk.api)
            await desk.api.answer(request, **answer)
            async with asyncio.timeout(PATIENCE):
                result: Json = json.loads(await process.stdout.readline())
            assert result["ran"] == ran
            assert said in result["said"]
    finally:
        process.stdin.close()
        async with asyncio.timeout(PATIENCE):
            await process.wait()
