"""`audit export --follow` goes on over restarts of its database: no line is lost, and none comes twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from tests.forks import launched
from tests.postgresql import PostgreSQL
from tests.program import PATIENCE
from webclient.domain.model import COMMAND_LINE, AuditAction, AuditFilter, acting
from webclient.store import StorageError, Store

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


@asynccontextmanager
async def exporting(folder: Path, url: str) -> AsyncIterator[asyncio.StreamReader]:
    """Run the command; give its lines."""
    line = launched("webclient", "audit", "export", "--follow")
    places = ["--data-dir", str(folder), "--database-url", url]
    running = await asyncio.create_subprocess_exec(*line, *places, stdout=asyncio.subprocess.PIPE)
    assert running.stdout is not None
    try:
        yield running.stdout
    finally:
        if running.returncode is None:
            running.terminate()
        await running.wait()


async def add(store: Store, number: int) -> None:
    """Add an entry as soon as the database takes it; one that is in doubt may come twice."""
    with acting(COMMAND_LINE):
        while True:
            try:
                await store.audit.add(AuditAction.USER_ADDED, object=f"u{number}")
            except StorageError:
                await asyncio.sleep(0.2)
            else:
                return


async def test_a_followed_export_goes_on_after_the_database(tmp_path: Path) -> None:
    with closing(PostgreSQL(durable=True)) as server, server.database() as name:
        store = Store(tmp_path, url=server.url(name))
        await store.open()
        seen: list[int] = []
        async with exporting(tmp_path, server.url(name)) as lines, asyncio.timeout(PATIENCE):
            seen.append(int(json.loads(await lines.readline())["id"]))
            for crashing in (False, True):
                for number in range(300):
                    await add(store, number)
                    if number == 150:
                        await asyncio.to_thread(server.stop, crashing=crashing)
                        await asyncio.to_thread(server.start)
                last = (await store.audit.newest())[0].id
                while seen[-1] < last:
                    seen.append(int(json.loads(await lines.readline())["id"]))
        entries = [entry.id async for page in store.audit.all_since(AuditFilter()) for entry in page.entries]
        await store.close()
    assert len(entries) >= 600
    assert seen == entries
