"""The page of a server that does not answer: it says so, and can be used all the same."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from tests.mcp_servers import running
from tests.pages.person import Person
from tests.program import program

pytestmark = pytest.mark.anyio

SOON = 15
"""Seconds within which a page must be there; the server itself has thirty for its catalog."""


@pytest.mark.slow
async def test_the_page_of_a_silent_server_shows_its_last_catalog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBCLIENT_BEAT_SECONDS", "1")
    async with (
        running() as asker,
        program(tmp_path, servers={"it": {"url": asker.address, "era": "2025-11-25"}}) as served,
        served.client() as api,
        Person(served) as person,
    ):
        server = await api.server("it")
        call = await api.call("it", "sleep_until_cancelled", {"name": "x"})
        assert "ask_form" in await person.page(f"/servers/{server}")
        os.kill(asker.pid, signal.SIGSTOP)
        async with asyncio.timeout(SOON):
            assert "ask_form" in await person.page(f"/servers/{server}")
            await person.submit(f"/servers/{server}/refresh")
            page = await person.page(f"/servers/{server}")
        assert "The server is not responding. The list below was read earlier and may be out of date." in page
        assert "ask_form" in page
        async with asyncio.timeout(SOON):
            started = await person.run(server, "tool", "structured", f0="Ulm")
        os.kill(asker.pid, signal.SIGCONT)
        done = await api.in_state(await api.json("GET", f"/calls/{started}"), "done")
        assert done["result"]["structuredContent"]["city"] == "Ulm"
        await api.json("POST", f"/calls/{call['id']}/cancel")
