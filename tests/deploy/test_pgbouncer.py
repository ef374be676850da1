"""The program behind a real PgBouncer: in session mode, and in transaction mode with a direct address beside it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

from tests.cluster.nodes import cluster
from tests.cluster.test_cluster import until_answered, until_in_state
from tests.deploy.front import free_port
from tests.deploy.packages import libraries, unpacked
from tests.mcp_servers import STATE_KEY, asker_entries
from tests.postgresql import PostgreSQL
from tests.program import PATIENCE, program
from tests.store.rows import SECRET_KEYS
from webclient.store import DatabaseError, StorageError, Store, prepare

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not unpacked("pgbouncer"), reason="PgBouncer is not installed, and could not be unpacked"),
]

NOWHERE = Path("nowhere")
INI = """
[databases]
* = host={host} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
server_round_robin = {round_robin}
"""


@contextmanager
def pooled(postgresql: PostgreSQL, database: str, mode: str, *, round_robin: bool = False) -> Iterator[str]:
    """Run PgBouncer before the server, and give the address of the database through it."""
    address = urlsplit(postgresql.url(database))
    host, port = parse_qs(address.query)["host"][0], free_port()
    command = [unpacked("pgbouncer") or "", "pgbouncer.ini"]
    if os.geteuid() == 0:
        # It refuses to run as root, as PostgreSQL does.
        command[1:1] = ["-u", "pgserver"]
    with TemporaryDirectory() as folder:
        path = Path(folder)
        path.chmod(0o755)
        ini = INI.format(host=host, port=port, mode=mode, round_robin=int(round_robin))
        (path / "pgbouncer.ini").write_text(ini, "utf-8")
        with (path / "output").open("w", encoding="utf-8") as output:
            environment = os.environ | libraries()
            with subprocess.Popen(command, cwd=path, stdout=output, stderr=output, env=environment) as process:
                try:
                    url = f"postgresql://postgres@127.0.0.1:{port}{address.path}"
                    until_it_listens(url, process, path / "output")
                    yield url
                finally:
                    process.terminate()


def until_it_listens(url: str, process: subprocess.Popen[bytes], output: Path) -> None:
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        assert process.poll() is None, output.read_text("utf-8")
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(output.read_text("utf-8"))


async def test_a_pooler_in_session_mode_holds_the_lock(tmp_path: Path, postgresql: PostgreSQL) -> None:
    """Also after a restart: the pooler may give the connection of before, from which it has taken the lock."""
    with postgresql.database() as name, pooled(postgresql, name, "session") as url:
        for _start in range(2):
            async with program(tmp_path, options=["--database-url", url]) as served, served.client() as api:
                body = {"kind": "form", "message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}
                request = await api.json("POST", "/requests", 201, json=body)
                await api.answer(request, action="accept", content={})
                with pytest.raises(StorageError, match="in use by another"):
                    prepare(NOWHERE, postgresql.url(name), secret_keys=SECRET_KEYS)


@pytest.mark.parametrize("round_robin", [False, True])
async def test_a_pooler_in_transaction_mode_is_refused(postgresql: PostgreSQL, *, round_robin: bool) -> None:
    with (
        postgresql.database() as name,
        pooled(postgresql, name, "transaction", round_robin=round_robin) as url,
    ):
        # The pooler has some connections to choose from.
        connections = [psycopg.connect(url) for _ in range(3)]
        for connection in connections:
            connection.execute("SELECT 1")
        for connection in connections:
            connection.close()
        for _start in range(2):
            with pytest.raises(DatabaseError, match="--database-direct-url"):
                prepare(NOWHERE, url, secret_keys=SECRET_KEYS)
        with pytest.raises(DatabaseError, match="session mode"):
            await Store(NOWHERE, url=url, secret_keys=SECRET_KEYS).open_beside()
        # No lock is left.
        prepare(NOWHERE, postgresql.url(name), secret_keys=SECRET_KEYS)


async def test_nodes_work_behind_transaction_mode_with_a_direct_url(tmp_path: Path, postgresql: PostgreSQL) -> None:
    """Also when one of them dies: its lock is at the direct address."""
    servers = asker_entries("--state-key", STATE_KEY)
    with postgresql.database() as name, pooled(postgresql, name, "transaction", round_robin=True) as url:
        direct = ("--database-direct-url", postgresql.url(name))
        async with cluster(tmp_path, url, 2, servers, *direct) as nodes:
            first, second = nodes.nodes
            async with first.api("ada") as here, second.api("ada") as there:
                # More than the five times after which the library would prepare a statement.
                for label in ("push", "rounds") * 4:
                    call = await here.call(label, "ask_form")
                    [request] = await there.pending_requests(call)
                    await there.answer(request, action="decline")
                    await there.in_state(call, "done")
                waits = await here.call("rounds", "ask_form")
                [request] = await here.pending_requests(waits)
                await first.end()
                await until_answered(there, request)
                await until_in_state(there, waits, "done")


async def test_a_direct_url_of_another_database_is_refused(postgresql: PostgreSQL) -> None:
    with (
        postgresql.database() as name,
        postgresql.database() as other,
        pooled(postgresql, name, "transaction") as url,
        pytest.raises(DatabaseError, match="not the one at the direct address"),
    ):
        prepare(NOWHERE, url, secret_keys=SECRET_KEYS, node_id="a", direct_url=postgresql.url(other))


async def test_a_direct_url_of_a_pooler_is_refused(postgresql: PostgreSQL) -> None:
    with (
        postgresql.database() as name,
        pooled(postgresql, name, "transaction", round_robin=True) as url,
        pytest.raises(DatabaseError, match="behind a pooler"),
    ):
        prepare(NOWHERE, url, secret_keys=SECRET_KEYS, node_id="a", direct_url=url)
