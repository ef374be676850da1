"""The program on a real PostgreSQL: what it stores there, and a database that is down while a person answers."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

import httpx2
import psycopg
import pytest
from anyio import run_process

from tests.loopback import local
from tests.mcp_servers import STATE_KEY, running
from tests.pages.person import Person, messages, stream_of
from tests.postgresql import PostgreSQL
from tests.process import PROGRAM
from tests.process import running as running_process
from tests.program import Api, Program, program
from webclient.domain.model import Json
from webclient.runtime.exit_status import TEMPORARY

pytestmark = pytest.mark.anyio

DOWN = "database cannot be reached"
TAKE_LOCK = "SELECT pg_advisory_lock(1835233399, hashtext(current_schema()))"
WAITING_FOR_LOCK = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
CLOSE_CONNECTIONS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE application_name = 'mcp-webclient' AND datname = current_database()"
)
ERAS = {"push": "2025-11-25", "rounds": "2026-07-28"}


@pytest.fixture(scope="module")
def stopping() -> Iterator[PostgreSQL]:
    """A server that these tests stop."""
    server = PostgreSQL()
    yield server
    server.close()


@asynccontextmanager
async def serving(folder: Path, url: str, servers: Json) -> AsyncIterator[tuple[Program, Api]]:
    """Run the program on the database while the block runs."""
    async with (
        program(folder, servers=servers, options=["--database-url", url]) as served,
        served.client() as api,
    ):
        for label in servers:
            await api.server(label)
        yield served, api


async def test_a_database_that_is_down_is_said_and_loses_nothing(tmp_path: Path, stopping: PostgreSQL) -> None:
    """It goes down while questions wait and a page is open, and comes back after an answer was refused."""
    with stopping.database() as name:
        async with running(arguments=["--state-key", STATE_KEY]) as asker:
            servers = {label: {"url": asker.address, "era": era} for label, era in ERAS.items()}
            async with serving(tmp_path, stopping.url(name), servers) as (served, api), Person(served) as person:
                calls = {label: await api.call(label, "ask_form") for label in ERAS}
                requests = {label: (await api.pending_requests(call))[0] for label, call in calls.items()}
                stream = stream_of(await person.page("/"))
                stopping.stop()
                async with person.stream("GET", stream, timeout=None) as pushed:
                    for request in requests.values():
                        refused = await api.answer(request, 503, action="accept", content={"name": "Ada"})
                        assert refused["reason_code"] == "database_unreachable"
                    async for _message in messages(pushed):
                        pass
                assert DOWN in await person.page("/", 503)
                # Monitoring sees it, and that a restart would not help.
                assert [(await person.get(path)).status_code for path in ("/readyz", "/healthz")] == [503, 200]
                stopping.start()
                await _writable(person)
                for label, request in requests.items():
                    await api.answer(request, action="accept", content={"name": "Ada"})
                    done = await api.in_state(calls[label], "done")
                    assert done["result"]["structuredContent"] == {"action": "accept", "content": {"name": "Ada"}}


async def test_callers_do_not_learn_where_the_database_is(tmp_path: Path, stopping: PostgreSQL) -> None:
    request = {"kind": "form", "message": "Now?", "requestedSchema": {"type": "object", "properties": {}}}
    with stopping.database() as name, running_process(tmp_path, "--database-url", stopping.url(name)) as served:
        url = f"{served.url}/api/v1/requests"
        async with httpx2.AsyncClient(headers=served.bearer, **local()) as api:
            stopping.stop()
            try:
                responses = [await api.post(url, json=request), await api.get(url), await api.get(f"{served.url}/")]
            finally:
                stopping.start()
        said = served.errors.read_text("utf-8")
    for response in responses:
        assert response.status_code == 503
        assert int(response.headers["retry-after"]) > 0
        assert name not in response.text
        assert "postgresql" not in response.text.lower()
    # The operator learns it.
    assert name in said


async def test_readiness_ends_when_another_process_has_the_lock(tmp_path: Path, stopping: PostgreSQL) -> None:
    with (
        stopping.database() as name,
        running_process(tmp_path, "--database-url", stopping.url(name)) as served,
        closing(psycopg.connect(stopping.url(name), autocommit=True)) as other,
    ):
        # It waits for the lock before the program loses it, so that the program cannot have it again first.
        taking = asyncio.create_task(asyncio.to_thread(other.execute, TAKE_LOCK))
        while not stopping.run(WAITING_FOR_LOCK, database=name):  # noqa: ASYNC110  (the database announces nothing)
            await asyncio.sleep(0.05)
        stopping.run(CLOSE_CONNECTIONS, database=name)
        await taking
        async with httpx2.AsyncClient(**local()) as probe:
            assert (await probe.get(f"{served.url}/readyz")).status_code == 503
            assert (await probe.get(f"{served.url}/healthz")).status_code == 200


async def _writable(person: Person) -> None:
    async with asyncio.timeout(60):
        while DOWN in (await person.get("/servers")).text:  # noqa: ASYNC110  (its stream ended)
            await asyncio.sleep(0.1)


async def test_a_waiting_call_resumes_after_the_program_was_killed(tmp_path: Path, stopping: PostgreSQL) -> None:
    with stopping.database() as name:
        url = stopping.url(name)
        async with running(arguments=["--state-key", STATE_KEY]) as asker:
            servers = {"rounds": {"url": asker.address, "era": "2026-07-28"}}
            with suppress(ProcessLookupError):
                async with serving(tmp_path, url, servers) as (served, api):
                    call = await api.call("rounds", "ask_form")
                    [request] = await api.pending_requests(call)
                    os.kill(served.pid, signal.SIGKILL)
            async with serving(tmp_path, url, servers) as (_served, api):
                await api.answer(request, action="accept", content={"name": "Ada"})
                done = await api.in_state(call, "done")
                assert done["result"]["structuredContent"]["content"] == {"name": "Ada"}
                found = await api.json("GET", "/history", params={"text": "name"})
                assert {entry["id"] for entry in found["entries"]} <= {call["id"], request["id"]}


async def test_a_second_program_is_refused_without_the_password(tmp_path: Path, stopping: PostgreSQL) -> None:
    with stopping.database() as name:
        url = stopping.url(name).replace("postgres:@", "postgres:correct-horse@")
        async with serving(tmp_path, url, {}):
            command = [*PROGRAM, "serve", "--port", "0", "--data-dir", str(tmp_path / "other")]
            environment = {**os.environ, "WEBCLIENT_DATABASE_URL": url, "WEBCLIENT_DATABASE_WAIT_SECONDS": "0"}
            second = await asyncio.to_thread(
                subprocess.run, command, env=environment, capture_output=True, encoding="utf-8", check=False
            )
        assert second.returncode == TEMPORARY
        assert "in use by another mcp-webclient" in second.stderr
        assert "horse" not in second.stdout + second.stderr


async def test_a_token_is_made_and_revoked_while_the_program_runs(tmp_path: Path, stopping: PostgreSQL) -> None:
    async def tokens(*arguments: str) -> str:
        command = [*PROGRAM, "tokens", *arguments, "--data-dir", str(tmp_path), "--database-url", url]
        return (await run_process(command)).stdout.decode()

    with stopping.database() as name:
        url = stopping.url(name)
        async with serving(tmp_path, url, {}) as (_served, api):
            headers = {"Authorization": f"Bearer {(await tokens('create', 'Agent', '--scope', 'read')).strip()}"}
            assert (await api.get("/servers", headers=headers)).status_code == 200
            await tokens("revoke", (await tokens("list")).split()[0])
            assert (await api.get("/servers", headers=headers)).status_code == 401
            await api.json("POST", "/tokens", 201, json={"label": "Agent", "scopes": ["ask"]})
