"""Skills with the published implementation of them: FastMCP 4, as the server, and as an agent at the gateway."""

from __future__ import annotations

import asyncio
import json
import os
from hashlib import sha256
from pathlib import Path

import pytest

from tests.gateway.agents import token
from tests.mcp_servers import ROOT
from tests.program import PATIENCE, program

pytestmark = pytest.mark.anyio

PYTHON = str(ROOT / "build/skills/bin/python")
SCRIPT = str(Path(__file__).parent / "on_fastmcp_4.py")

REFUNDS = """---
name: refunds
description: >
  Process customer refunds,
  as the policy says.
license: Apache-2.0
compatibility: "Python 3.11"
metadata:
  version: "1.0"
  priority: 2
  reviewed: "2026-10-01"
  draft: no
  ratio: 1e3
---

# Refunds

Use [the letter](templates/letter.md).
"""


def folder_of_skills(folder: Path) -> Path:
    """Make two skills, one of them with files of all kinds."""
    for name, text in {
        "acme/refunds/SKILL.md": REFUNDS,
        "acme/refunds/templates/letter.md": "# Dear customer\n",
        "acme/refunds/scripts/refund.py": "raise SystemExit\n",
        "greetings/SKILL.md": "---\nname: greetings\ndescription: How to greet.\n---\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    (folder / "acme/refunds/logo.bin").write_bytes(bytes(range(256)))
    return folder


async def test_skills_of_and_for_fastmcp_4(tmp_path: Path) -> None:
    """Each file is verified; and an agent on FastMCP reads the same through the gateway, and verifies it."""
    folder = folder_of_skills(tmp_path / "skills")
    served = {"command": PYTHON, "args": [SCRIPT, "serve", str(folder)], "cwd": str(ROOT)}
    async with program(tmp_path, servers={"it": served}) as running, running.client() as api:
        server = await api.server("it")
        listed = await api.json("GET", f"/servers/{server}/skills")
        assert [each["path"] for each in listed["skills"]] == ["acme/refunds", "greetings"]
        assert not any("fault" in each for each in listed["skills"])
        uri = listed["skills"][0]["uri"]
        skill = await api.json("GET", f"/servers/{server}/skills/entry", params={"uri": uri})
        contents = [
            await api.json("GET", f"/servers/{server}/skills/file", params={"skill": uri, "uri": each["uri"]})
            for each in skill["files"]
        ]
        for content in contents:
            data = (folder / "acme/refunds" / content["path"]).read_bytes()
            assert content["integrity"] == "verified"
            assert content["digest"] == f"sha256:{sha256(data).hexdigest()}"
        assert {each["path"] for each in contents} == {
            "SKILL.md",
            "templates/letter.md",
            "scripts/refund.py",
            "logo.bin",
        }
        arguments = [PYTHON, SCRIPT, "read", f"{running.base}/mcp/it", await token(api)]
        environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
        reader = await asyncio.create_subprocess_exec(
            *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=environment
        )
        async with asyncio.timeout(PATIENCE):
            output, errors = await reader.communicate()
        assert reader.returncode == 0, errors.decode()
        assert set(json.loads(output)) == {"refunds", "greetings"}
