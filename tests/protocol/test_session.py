"""A session in cases that its other tests do not meet; faults of servers and lines are in `test_faults.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.house import config, house
from tests.mcp_servers import stdio
from webclient.calls import ServerRequests
from webclient.protocol import INTERNAL_ERROR

pytestmark = pytest.mark.anyio


async def test_a_failure_of_ours_is_not_sent_to_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK would send the text of the exception."""

    async def fail(*_of: object) -> None:
        raise RuntimeError("the password is s3same")

    monkeypatch.setattr(ServerRequests, "requested", fail)
    async with house(tmp_path, [config("raw", stdio("raw", "no-fields"))]) as rooms:
        await rooms.connected("raw")
        result: Any = (await rooms.ended(await rooms.call("raw", "ask"))).result
    [reply] = json.loads(result["content"][0]["text"])
    assert reply["error"]["code"] == INTERNAL_ERROR
    assert "s3same" not in str(reply)
