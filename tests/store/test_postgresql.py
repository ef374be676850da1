"""PostgreSQL: faults, the lock of the one process that uses a database, and what is refused at the start."""

from __future__ import annotations

import asyncio
import os
import signal
import traceback
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import pytest
from sqlalchemy import Connection, make_url

from tests.postgresql import PostgreSQL
from tests.store.lossy import LossyProxy, lossy
from tests.store.rows import SECRET_KEYS, a_request
from webclient.domain.model import RequestState
from webclient.store import DatabaseError, StorageError, Store, prepare

pytestmark = pytest.mark.anyio

NOWHERE = Path("nowhere")
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
SECRET = "correct%20horse"  # in the address; "correct horse" to the server


@pytest.fixture(scope="module")
def stopping() -> Iterator[PostgreSQL]:
    """A server that these tests stop."""
    server = PostgreSQL()
    yield server
    server.close()


async def test_a_stopped_database_is_said_and_loses_nothing(stopping: PostgreSQL) -> None:
    with stopping.database() as name:
        store = Store(NOWHERE, url=stopping.url(name), secret_keys=SECRET_KEYS)
        await store.open()
        request = a_request()
        await store.of("ada").requests.add(request)
        stopping.stop()
        with pytest.raises(StorageError, match="cannot be reached"):
            await store.of("ada").requests.get(request.id)
        with pytest.raises(StorageError, match="cannot be reached"):
            await store.of("ada").requests.settle(request.id, to=RequestState.DECLINED)
        assert store.health.trouble
        written = asyncio.create_task(
            store.health.until_written(lambda: store.of("ada").requests.settle(request.id, to=RequestState.EXPIRED))
        )
        changed = asyncio.Event()
        watching = asyncio.create_task(store.health.watch(changed.set))
        stopping.start()
        settled = await written
        assert settled
        assert settled.state is RequestState.EXPIRED
        while store.health.trouble:
            await changed.wait()
            changed.clear()
        watching.cancel()
        await store.close()


async def test_a_restart_between_two_units_of_work_is_not_noticed(stopping: PostgreSQL) -> None:
    with stopping.database() as name:
        store = Store(NOWHERE, url=stopping.url(name), secret_keys=SECRET_KEYS)
        await store.open()
        request = a_request()
        await store.of("ada").requests.add(request)
        await store.of("ada").requests.find()
        stopping.stop()
        stopping.start()
        assert await store.of("ada").requests.settle(request.id, to=RequestState.DECLINED)
        assert [each.id for each in await store.of("ada").requests.find()] == [request.id]
        assert store.health.trouble is None
        await store.close()


@pytest.fixture
async def proxy(url: str) -> AsyncIterator[LossyProxy]:
    """A proxy in front of an empty database with our tables."""
    with TemporaryDirectory() as folder:
        async with lossy(url, Path(folder)) as proxy:
            yield proxy


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the lock for a moment only."""
    monkeypatch.setattr("webclient.store.database.postgresql.LOCK_TIMEOUT", "200ms")


def close_connections(url: str, postgresql: PostgreSQL) -> None:
    """Have the server close the connections of all stores."""
    postgresql.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'mcp-webclient' AND datname = current_database()",
        database=str(make_url(url).database),
    )


@pytest.mark.usefixtures("impatient")
async def test_a_second_process_is_refused_until_the_first_ends(url: str) -> None:
    first, second = Store(NOWHERE, url=url, secret_keys=SECRET_KEYS), Store(NOWHERE, url=url, secret_keys=SECRET_KEYS)
    await first.open()
    with pytest.raises(StorageError, match="in use by another mcp-webclient"):
        await second.open()
    await first.close()
    await second.open()
    await second.close()
    await first.close()


@pytest.mark.usefixtures("impatient")
async def test_a_process_that_lost_its_lock_to_another_writes_nothing(url: str, postgresql: PostgreSQL) -> None:
    first, second = Store(NOWHERE, url=url, secret_keys=SECRET_KEYS), Store(NOWHERE, url=url, secret_keys=SECRET_KEYS)
    await first.open()
    await first.of("ada").requests.add(request := a_request())
    close_connections(url, postgresql)
    await second.open()
    with pytest.raises(StorageError, match="in use by another mcp-webclient"):
        await first.of("ada").requests.settle(request.id, to=RequestState.DECLINED)
    assert (await second.of("ada").requests.get(request.id)).pending
    await first.close()
    await second.close()


async def test_a_process_that_another_has_followed_writes_nothing(url: str, postgresql: PostgreSQL) -> None:
    """The other one was started and has ended while the first had no connection."""
    first, second = Store(NOWHERE, url=url, secret_keys=SECRET_KEYS), Store(NOWHERE, url=url, secret_keys=SECRET_KEYS)
    await first.open()
    await first.of("ada").requests.add(request := a_request())
    close_connections(url, postgresql)
    await second.open()
    await second.close()
    for _each in range(2):
        with pytest.raises(StorageError, match="Restart this program"):
            await first.of("ada").requests.settle(request.id, to=RequestState.DECLINED)
    assert (await first.of("ada").requests.get(request.id)).pending
    third = Store(NOWHERE, url=url, secret_keys=SECRET_KEYS)
    await third.open()
    await third.close()
    await first.close()


async def test_a_unit_that_was_committed_unheard_returns_its_result(proxy: LossyProxy) -> None:
    store = Store(NOWHERE, url=proxy.url, secret_keys=SECRET_KEYS)
    await store.open()
    proxy.to_lose = "reply"
    await store.of("ada").requests.add(request := a_request())
    assert proxy.to_lose is None
    # A connection that is opened commits, too.
    await store._database.probe()
    proxy.to_lose = "reply"
    assert await store.of("ada").requests.settle(request.id, to=RequestState.DECLINED)
    assert store.health.trouble is None
    await store.close()


async def test_a_unit_whose_commit_was_lost_changes_nothing(proxy: LossyProxy) -> None:
    store = Store(NOWHERE, url=proxy.url, secret_keys=SECRET_KEYS)
    await store.open()
    await store.of("ada").requests.add(request := a_request())
    proxy.to_lose = "COMMIT"
    with pytest.raises(StorageError):
        await store.of("ada").requests.settle(request.id, to=RequestState.DECLINED)
    assert (await store.of("ada").requests.get(request.id)).pending
    assert await store.of("ada").requests.settle(request.id, to=RequestState.DECLINED)
    await store.close()


async def test_a_unit_in_doubt_waits_until_the_database_is_back(proxy: LossyProxy) -> None:
    """Others are refused at once meanwhile."""
    store = Store(NOWHERE, url=proxy.url, secret_keys=SECRET_KEYS)
    await store.open()
    await store.of("ada").requests.add(request := a_request())
    proxy.to_lose, proxy.goes_down = "reply", True
    settling = asyncio.create_task(store.of("ada").requests.settle(request.id, to=RequestState.DECLINED))
    await proxy.has_refused.wait()
    with pytest.raises(StorageError):
        await asyncio.wait_for(store._database.probe(), 30)
    assert store.health.trouble
    assert not settling.done()
    proxy.goes_down = proxy.is_down = False
    settled = await settling
    assert settled
    assert settled.state is RequestState.DECLINED
    await store.close()


async def test_a_unit_in_doubt_ends_with_the_program(proxy: LossyProxy) -> None:
    store = Store(NOWHERE, url=proxy.url, secret_keys=SECRET_KEYS)
    await store.open()
    await store._database.probe()
    proxy.to_lose, proxy.goes_down = "reply", True
    adding = asyncio.create_task(store.of("ada").requests.add(a_request()))
    await proxy.has_refused.wait()
    store.health.close()
    with pytest.raises(StorageError):
        await asyncio.wait_for(adding, 30)
    await store.close()


async def test_an_id_that_was_given_again_is_not_ours(url: str) -> None:
    """A server that crashes in a COMMIT forgets the id; then it may be the id of a transaction of others."""
    store = Store(NOWHERE, url=url, secret_keys=SECRET_KEYS)
    await store.open()
    backend = store._database._writers._backend
    with closing(backend.engine.connect()) as others, others.begin():
        others.exec_driver_sql("CREATE TABLE theirs (id integer)")
        foreign = others.exec_driver_sql("SELECT pg_current_xact_id()::text").scalar_one()

    def write(db: Connection) -> str | None:
        store._node.touch(db)
        return backend.mark(db)

    ours = await store._database.write(write)
    assert ours
    assert await asyncio.to_thread(backend.was_committed, ours) is True
    assert await asyncio.to_thread(backend.was_committed, foreign) is False
    await store.close()


async def test_a_database_that_hangs_does_not_keep_the_program(url: str) -> None:
    """The server's processes stand still, and the connections stay open."""
    store = Store(NOWHERE, url=url, secret_keys=SECRET_KEYS)
    await store.open()

    def process(db: Connection) -> int:
        return int(db.exec_driver_sql("SELECT pg_backend_pid()").scalar_one())

    writer = await store._database.write(process)
    os.kill(writer, signal.SIGSTOP)
    try:
        adding = asyncio.create_task(store.of("ada").requests.add(a_request()))
        await anyio.wait_all_tasks_blocked()
        store.end_within(0.1)
        with pytest.raises(StorageError):
            await asyncio.wait_for(adding, 30)
        with pytest.raises(StorageError):
            await asyncio.wait_for(store.of("ada").requests.add(a_request()), 30)
        await asyncio.wait_for(store.close(), 30)
    finally:
        os.kill(writer, signal.SIGCONT)


def test_ids_have_the_order_that_the_history_merges_by(url: str, postgresql: PostgreSQL) -> None:
    """Python orders by code points, and so must a database of any locale; the server of these tests has no other."""
    collations = postgresql.run(
        "SELECT table_name::text, column_name::text, collation_name::text FROM information_schema.columns "
        "WHERE (table_name, column_name) IN (('calls', 'id'), ('requests', 'id')) ORDER BY 1",
        database=str(make_url(url).database),
    )
    assert collations == [("calls", "id", "C"), ("requests", "id", "C")]


def test_an_address_that_cannot_be_read_is_refused_unquoted() -> None:
    with pytest.raises(DatabaseError) as refused:
        prepare(NOWHERE, f"postgresql://ada:{SECRET}@127.0.0.1:port/n")
    assert "horse" not in str(refused.value)


def test_no_message_has_the_password(postgresql: PostgreSQL) -> None:
    folder = make_url(postgresql.url("postgres")).query["host"]
    for address in (
        f"postgresql://stranger:{SECRET}@/nothing?host={folder}",
        f"postgresql://stranger:{SECRET}@127.0.0.1:9/nothing",
        f"postgresql://stranger@127.0.0.1:9/nothing?password={SECRET}&sslmode=correct horse",
    ):
        with pytest.raises(StorageError) as refused:
            prepare(NOWHERE, address)
        assert "horse" not in refused.value.for_operator + "".join(traceback.format_exception(refused.value))


def test_a_database_with_other_tables_of_our_names_is_refused(postgresql: PostgreSQL) -> None:
    with postgresql.database(empty=True) as name:
        postgresql.run("CREATE TABLE calls (theirs int)", database=name)
        with pytest.raises(DatabaseError, match="another program"):
            prepare(NOWHERE, postgresql.url(name))
        assert postgresql.run(_TABLES, database=name) == [("calls",)]


def test_a_newer_database_is_refused(postgresql: PostgreSQL) -> None:
    with postgresql.database(empty=True) as name:
        prepare(NOWHERE, postgresql.url(name))
        postgresql.run("UPDATE alembic_version SET version_num = '9999'", database=name)
        with pytest.raises(DatabaseError, match="9999"):
            prepare(NOWHERE, postgresql.url(name))
        assert postgresql.run("SELECT version_num FROM alembic_version", database=name) == [("9999",)]


def test_a_database_that_may_not_be_changed_is_left_empty(postgresql: PostgreSQL) -> None:
    with postgresql.database(empty=True) as name:
        postgresql.run("CREATE ROLE {} LOGIN", "reader")
        address = make_url(postgresql.url(name)).set(username="reader").render_as_string(hide_password=False)
        with pytest.raises(StorageError, match="refuses this program"):
            prepare(NOWHERE, address)
        assert postgresql.run(_TABLES, database=name) == []
