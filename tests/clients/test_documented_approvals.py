"""The programs of docs/approvals.md, as they stand there, with published frameworks and a scripted model."""

from __future__ import annotations

import asyncio
import os
import re
import runpy
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest

from tests.clients.conftest import Desk
from tests.gateway.houses import open_requests
from tests.mcp_servers import ROOT
from tests.program import PATIENCE

pytestmark = pytest.mark.anyio

scripted_model = runpy.run_path(str(ROOT / "examples/agents/model.py"))["scripted_model"]

PROGRAMS = {
    "pydantic-ai": "agents/pydantic-ai",
    "LangChain and LangGraph": "agents/langchain",
    "Claude Agent SDK": "agents/claude",
    "OpenAI Agents": "agents/openai-agents",
    "Google ADK": "approvals/google-adk",
    "CrewAI": "agents/crewai",
}
"""The headings of programs that need nothing but what is installed for other tests, and the folders with that."""


def documented(heading: str) -> str:
    """Return the program below a heading."""
    text = (ROOT / "docs/approvals.md").read_text("utf-8").split(f"### {heading}\n")[1]
    found = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert found
    return found[1]


@pytest.mark.parametrize("heading", PROGRAMS)
async def test_a_documented_program_asks_and_books(desk: Desk, heading: str, tmp_path: Path) -> None:
    packages = ROOT / "build/examples" / PROGRAMS[heading]
    if not (packages / ".installed").exists():
        pytest.skip("make approvals installs it")
    with scripted_model() as address:
        variables = {
            "INBOX_URL": desk.program.base,
            "INBOX_TOKEN": desk.token,
            "OPENAI_BASE_URL": f"{address}/v1",
            "OPENAI_API_KEY": "none",
            "OPENAI_AGENTS_DISABLE_TRACING": "1",
            "ANTHROPIC_BASE_URL": address,
            "ANTHROPIC_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": address,
            "GEMINI_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CREWAI_DISABLE_TELEMETRY": "true",
            "PYTHONPATH": str(ROOT / "clients/python"),
            "HOME": str(tmp_path),
        }
        command = [str(packages / "bin/python"), "-c", documented(heading)]
        process = await asyncio.create_subprocess_exec(
            *command, cwd=tmp_path, env=os.environ | variables, stdout=PIPE, stderr=STDOUT
        )
        try:
            (request,) = await open_requests(desk.api)
            assert request["params"]["arguments"] == {"date": "2026-12-24"}
            await desk.api.answer(request, action="accept")
            async with asyncio.timeout(PATIENCE):
                said, _errors = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    assert "Booked for 2026-12-24" in said.decode(), said.decode()
    assert process.returncode == 0
