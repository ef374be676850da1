"""A server that sends NaN and Infinity, which are not JSON: every answer of ours can be read all the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.mcp_servers import entry
from tests.program import program

pytestmark = pytest.mark.anyio


def refuse(constant: str) -> NoReturn:
    raise AssertionError(f"{constant} is not JSON")


def strict(text: str) -> Any:
    """Read JSON as RFC 8259 has it."""
    return json.loads(text, parse_constant=refuse)


async def test_numbers_that_json_lacks_are_null_in_every_answer(tmp_path: Path) -> None:
    entries = {case: entry("raw", case) for case in ("not-finite", "not-finite-result")}
    async with program(tmp_path, servers=entries) as served, served.client() as api:
        done = await api.in_state(await api.call("not-finite-result", "ask"), "done")
        assert done["result"]["structuredContent"] == {"a": None}
        [request] = await api.pending_requests(await api.call("not-finite", "ask"))
        assert request["params"]["requestedSchema"]["properties"]["a"]["default"] is None
        async with api.stream("GET", "/events", headers={"Last-Event-ID": "0"}) as events:
            data = [strict(line[6:]) async for line in until_request(events.aiter_lines())]
        assert data[-1]["params"] == request["params"]
        answered = await api.answer(request, action="accept")
        assert answered["content"] == {}
        late = await api.post(f"/requests/{request['id']}/answer", json={"action": "decline"})
        assert (late.status_code, strict(late.text)["request"]["state"]) == (409, "accepted")
        for path in ("/requests", f"/requests/{request['id']}", "/calls", "/history", f"/calls/{done['id']}"):
            strict((await api.get(path)).text)
        lines = (await api.get("/history.jsonl")).text.splitlines()
        assert len([strict(line) for line in lines]) == 3


async def until_request(lines: Any) -> Any:
    """Yield the data lines of a stream up to that of the pending request."""
    async for line in lines:
        if line.startswith("data: "):
            yield line
            if '"How much?"' in line:
                return
