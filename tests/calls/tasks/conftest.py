"""A connected server whose tests set the states of its tasks, and short pauses between polls."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.house import House, config, house
from tests.mcp_servers import stdio
from webclient.calls import polling, task_driver


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polling, "FASTEST", 0.02)
    monkeypatch.setattr(task_driver, "LOST_PAUSES", (0.02,))


@pytest.fixture
async def rooms(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path, [config("it", stdio("tasks"))]) as rooms:
        await rooms.connected("it")
        yield rooms
