"""Trials of servers: a share for each user, so that no user waits for the trials of another."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.house import PATIENCE, house
from webclient.domain.model import Era, Server
from webclient.domain.shares import ShareTakenError
from webclient.servers.connections import Trial
from webclient.web.pages.servers import attempts
from webclient.web.pages.servers.attempts import SHARE, try_new
from webclient.web.pages.servers.new_server import NewServer

pytestmark = pytest.mark.anyio

NEW = NewServer(label="new", transport={"type": "http", "url": "http://127.0.0.1:9/mcp"}, era=Era.AUTO)


class Servers:
    """Servers of which those of a user named mallory never answer."""

    def __init__(self) -> None:
        self.hanging = 0
        self.more = asyncio.Event()

    async def try_server(self, server: Server, *_given: Any) -> Trial:
        """Try one of them."""
        if server.user_id == "mallory":
            self.hanging += 1
            self.more.set()
            await asyncio.Event().wait()
        return Trial(server=server)

    async def until_hanging(self, count: int) -> None:
        """Wait until so many trials have begun."""
        while self.hanging < count:
            self.more.clear()
            await self.more.wait()


async def test_silent_servers_of_one_user_hold_up_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    servers = Servers()
    monkeypatch.setattr(attempts, "try_server", servers.try_server)
    async with house(tmp_path) as core, asyncio.timeout(PATIENCE):
        tried = [asyncio.create_task(try_new(core.services, "mallory", [NEW] * 6)) for _form in range(60)]
        await servers.until_hanging(SHARE * attempts.AT_ONCE)
        [own] = await try_new(core.services, "ada", [NEW])
        assert own.trial.fault is None
        refused = [each for each in tried if each.done()]
        assert len(refused) == 60 - SHARE
        assert {type(each.exception()) for each in refused} == {ShareTakenError}
        assert servers.hanging == SHARE * attempts.AT_ONCE
        for each in tried:
            each.cancel()
        await asyncio.gather(*tried, return_exceptions=True)
        # Their places are free again.
        monkeypatch.setattr(attempts, "try_server", lambda server, *_given: _tried(server))
        assert len(await try_new(core.services, "mallory", [NEW])) == 1


async def _tried(server: Server) -> Trial:
    return Trial(server=server)
