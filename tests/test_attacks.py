"""The program in a process of its own while a server attacks it: its memory is bounded, and it answers others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mcp_servers import running
from tests.program import program

pytestmark = pytest.mark.anyio

MOST = 300
"""Megabytes of memory that an attack may make the program use."""


def peak(pid: int) -> int:
    """Return the most megabytes that a process has used so far."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))


async def test_bombs_stay_under_300_megabytes(tmp_path: Path) -> None:
    async with (
        running("attacker") as attacker,
        program(tmp_path, servers={"it": {"url": attacker.address, "era": "2025-11-25"}}) as served,
        served.client() as api,
    ):
        for tool in ("json-bomb", "event-bomb", "error-bomb", "values"):
            call = await api.in_state(await api.call("it", tool, {"mebibytes": 200}), "failed")
            assert "(setting max_" in call["error"]["message"]
            assert peak(served.pid) < MOST, tool
