"""The commands of docs/deploy.md for backups, as they stand there: what comes back is all that was there."""

from __future__ import annotations

import asyncio
import re
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.deploy.page_commands import commands, run
from tests.mcp_servers import STATE_KEY, running
from tests.postgresql import PostgreSQL
from tests.program import Api, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def serving(folder: Path, asker: str, *options: str) -> AsyncIterator[Api]:
    servers = {label: {"url": asker, "era": era} for label, era in ERAS.items()}
    async with program(folder, servers=servers, options=options) as served, served.client() as api:
        for label in ERAS:
            await api.server(label)
        yield api


ERAS = {"push": "2025-11-25", "rounds": "2026-07-28"}


@pytest.mark.parametrize("kind", ["SQLite", "PostgreSQL"])
async def test_a_restored_backup_has_all_that_was_there(tmp_path: Path, kind: str, postgresql: PostgreSQL) -> None:
    backup, restore = commands(kind)
    with postgresql.database() as name:
        async with running(arguments=["--state-key", STATE_KEY]) as asker:
            await backup_and_restore(tmp_path, kind, postgresql.url(name), asker.address, (backup, restore))


async def backup_and_restore(folder: Path, kind: str, url: str, asker: str, scripts: tuple[str, str]) -> None:
    backup, restore = scripts
    options = ["--database-url", url] if kind == "PostgreSQL" else []
    (folder / "etc").mkdir()
    (folder / "etc" / "environment").write_text(f"WEBCLIENT_TOKEN=x\nWEBCLIENT_DATABASE_URL={url}\n", "utf-8")
    async with serving(folder, asker, *options) as api:
        added = await api.json("POST", "/servers", 201, json=sealed(asker))
        over = await api.call("push", "ask_form")
        await api.answer((await api.pending_requests(over))[0], action="accept", content={"name": "Ada"})
        calls = {label: await api.call(label, "ask_form") for label in ERAS}
        requests = {label: (await api.pending_requests(call))[0] for label, call in calls.items()}
        async with asyncio.TaskGroup() as meanwhile:
            writing = meanwhile.create_task(write(api))
            await run(backup, folder)
            assert not writing.done()
            writing.cancel()
        # It is in no copy.
        await api.answer(requests["rounds"], action="decline")
        assert (await api.delete(f"/servers/{added['id']}")).status_code == 204
    for file in (folder / "backup").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    (folder / "data" / "secrets.key").unlink()
    (folder / "data" / "webclient.sqlite3-wal").write_bytes(b"of the database that is replaced")
    await run(restore, folder)
    async with serving(folder, asker, *options) as api:
        assert (await api.json("GET", f"/calls/{over['id']}"))["state"] == "done"
        assert (await api.json("GET", f"/requests/{requests['push']['id']}"))["state"] == "interrupted"
        await api.answer(requests["rounds"], action="accept", content={"name": "Ben"})
        done = await api.in_state(calls["rounds"], "done")
        assert done["result"]["structuredContent"]["content"] == {"name": "Ben"}
        # Its headers can be read, so the key is the right one.
        await api.json("POST", f"/servers/{added['id']}/connect", 202)
        await api.server("sealed")


def sealed(address: str) -> Json:
    """Return a server with a header that is sealed in the database."""
    headers = {"Authorization": "Bearer of-the-server"}
    return {"label": "sealed", "era": "2025-11-25", "transport": {"type": "http", "url": address, "headers": headers}}


async def write(api: Api) -> None:
    """Write to the database for ever."""
    while True:
        call = await api.call("push", "ask_form")
        await api.json("POST", f"/calls/{call['id']}/cancel")


async def test_a_backup_without_its_key_says_what_is_lost(tmp_path: Path) -> None:
    """The inbox is there, and the server with a header asks for it again."""
    backup, restore = commands("SQLite")
    async with running(arguments=["--state-key", STATE_KEY]) as asker:
        async with serving(tmp_path, asker.address) as api:
            added = await api.json("POST", "/servers", 201, json=sealed(asker.address))
            call = await api.call("rounds", "ask_form")
            [request] = await api.pending_requests(call)
            await run(backup, tmp_path)
        (tmp_path / "data" / "secrets.key").unlink()
        await run(re.sub(r"\S*secrets\.key", "", restore), tmp_path)
        async with serving(tmp_path, asker.address) as api:
            server = await api.json("POST", f"/servers/{added['id']}/connect", 202)
            assert server["error"].get("reason_code") == "secrets_lost", server
            await api.answer(request, action="decline")
            await api.in_state(call, "done")
