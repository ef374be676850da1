"""The program in a process of its own while a server or a user attacks it: its memory is bounded."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.mcp_servers import running
from tests.program import Api, Program, program

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


LONG = 236_000
"""Bytes of a question, just within its limit."""


async def read_inbox(served: Program, api: Api, times: int) -> None:
    """Read the page of the inbox so many times at once."""
    headers = {"Accept": "text/html"}
    pages = await asyncio.gather(*(api.get(f"{served.base}/", headers=headers) for _each in range(times)))
    assert {page.status_code for page in pages} == {200}


async def test_a_user_who_reads_a_long_inbox_in_parallel_takes_little(tmp_path: Path) -> None:
    async with program(tmp_path) as served, served.client() as api:
        await read_inbox(served, api, 1)
        before = peak(served.pid)
        request = {"kind": "form", "message": "x" * LONG, "requestedSchema": {"type": "object", "properties": {}}}
        count = 0
        while (await api.post("/requests", json=request)).is_success:
            count += 1
        assert count > 30
        await read_inbox(served, api, 30)
        ids: set[str] = set()
        cursor: dict[str, str] = {}
        while len(ids) < count:
            page = await api.get("/requests", params={"state": "pending"} | cursor)
            assert len(page.content) < 1_500_000
            ids |= {each["id"] for each in page.json()["requests"]}
            cursor = {"before": page.json().get("next", "")}
        assert "next" not in page.json()
        assert peak(served.pid) - before < 120


async def test_a_server_whose_long_questions_wait_takes_little(tmp_path: Path) -> None:
    async with (
        running(arguments=[]) as server,
        program(tmp_path, servers={"it": {"url": server.address, "era": "2025-11-25"}}) as served,
        served.client() as api,
    ):
        await read_inbox(served, api, 1)
        before = peak(served.pid)
        calls = [await api.call("it", "ask_huge", {"size": LONG}) for _each in range(20)]
        await asyncio.gather(*(api.in_state(call, "input_required") for call in calls))
        await read_inbox(served, api, 10)
        assert peak(served.pid) - before < 150
