"""The store keeps rows, keeps users apart, and lets exactly one settle a request."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import anyio
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from webclient.errors import NotFoundError
from webclient.model import (
    AskedBy,
    AskedDuring,
    Call,
    CallKind,
    CallState,
    InputRequest,
    Json,
    RequestState,
    Server,
    now,
)
from webclient.store import Store
from webclient.store.database import CONNECTIONS, FILE, engine_for
from webclient.store.tables import metadata

pytestmark = pytest.mark.anyio

BY = AskedBy(label="travel", address="http://127.0.0.1/mcp", claims="Bank")


def a_request(**fields: object) -> InputRequest:
    values: dict[str, object] = {
        "user_id": "ada",
        "server_id": "s1",
        "kind": "form",
        "params": {"message": "née ☃", "requestedSchema": {"type": "object", "x-extra": [1, None]}},
        "asked_by": BY,
    }
    return InputRequest(**(values | fields))  # type: ignore[arg-type]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = Store(tmp_path / "data")
    await store.open()
    yield store
    await store.close()


async def test_the_data_folder_is_for_its_owner_alone(store: Store, tmp_path: Path) -> None:  # noqa: ARG001
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


async def test_the_migrations_make_the_tables_that_the_code_uses(store: Store, tmp_path: Path) -> None:  # noqa: ARG001
    engine = engine_for(tmp_path / "data")
    async with engine.connect() as db:
        differences = await db.run_sync(
            lambda connection: compare_metadata(MigrationContext.configure(connection), metadata)
        )
    await engine.dispose()
    assert differences == []


def test_every_table_but_that_of_the_nodes_has_a_user_id() -> None:
    assert [name for name, table in metadata.tables.items() if "user_id" not in table.columns] == ["nodes"]


async def test_a_request_comes_back_as_it_was(store: Store) -> None:
    during = AskedDuring(kind=CallKind.TOOL, name="book", arguments={"a": [1, 2.5, None]})
    request = a_request(during=during, call_id="c1", round=2, position=1, total=3, expires_at=now())
    await store.of(request.user_id).requests.add(request)
    assert await store.of("ada").requests.get(request.id) == request


async def test_everything_survives_a_restart(store: Store, tmp_path: Path) -> None:
    server = Server(user_id="ada", label="travel", transport={"type": "http", "url": "http://127.0.0.1/mcp"})
    call = Call(user_id="ada", server_id=server.id, server_label="travel", kind=CallKind.TOOL, name="book")
    await store.of(server.user_id).servers.add(server)
    await store.of(call.user_id).calls.add(call)
    await store.close()
    again = Store(tmp_path / "data")
    await again.open()
    assert await again.of("ada").servers.all() == [server]
    assert await again.of("ada").calls.get(call.id) == call
    await again.close()


async def test_a_foreign_id_is_as_unknown_as_a_wrong_one(store: Store) -> None:
    server = Server(user_id="ada", label="travel", transport={"type": "http"})
    call = Call(user_id="ada", server_id=server.id, server_label="travel", kind=CallKind.TOOL, name="book")
    request = a_request()
    await store.of(server.user_id).servers.add(server)
    await store.of(call.user_id).calls.add(call)
    await store.of(request.user_id).requests.add(request)
    for part, row_id in (("servers", server.id), ("calls", call.id), ("requests", request.id)):
        for user_id, wanted in (("bob", row_id), ("ada", "wrong")):
            with pytest.raises(NotFoundError):
                await getattr(store.of(user_id), part).get(wanted)
    assert not await store.of("bob").requests.settle(request.id, to=RequestState.ACCEPTED)
    assert await store.of("bob").servers.all() == []
    assert await store.of("bob").calls.find() == []
    assert await store.of("bob").requests.find() == []
    await store.of("bob").servers.remove([server.id])
    assert await store.of("ada").servers.all() == [server]


async def test_of_many_that_settle_at_once_exactly_one_wins(store: Store) -> None:
    request = a_request()
    await store.of(request.user_id).requests.add(request)
    states = (RequestState.ACCEPTED, RequestState.DECLINED, RequestState.WITHDRAWN) * 5
    settled = await asyncio.gather(*(store.of("ada").requests.settle(request.id, to=state) for state in states))
    [winner] = [each for each in settled if each]
    assert winner == await store.of("ada").requests.get(request.id)
    assert winner.state is states[settled.index(winner)]


async def test_a_call_that_has_ended_does_not_change(store: Store) -> None:
    call = Call(user_id="ada", server_id="s1", server_label="travel", kind=CallKind.TOOL, name="book")
    await store.of(call.user_id).calls.add(call)
    assert await store.of(call.user_id).calls.change(call.id, state=CallState.CANCELLED)
    assert not await store.of(call.user_id).calls.change(call.id, state=CallState.DONE, result={})
    assert (await store.of("ada").calls.get(call.id)).state is CallState.CANCELLED


async def test_requests_are_found_oldest_first_by_state_server_and_call(store: Store) -> None:
    moments = [now() + timedelta(seconds=n) for n in range(3)]
    requests = [a_request(created_at=moment, server_id=f"s{n}", call_id="c1") for n, moment in enumerate(moments)]
    for request in reversed(requests):
        await store.of(request.user_id).requests.add(request)
    await store.of("ada").requests.settle(requests[2].id, to=RequestState.DECLINED)
    assert await store.of("ada").requests.find(state=RequestState.PENDING, call_id="c1") == requests[:2]
    assert await store.of("ada").requests.find(server_id="s1") == [requests[1]]
    assert await store.of("ada").requests.count_pending() == {"s0": 1, "s1": 1}


async def test_of_many_open_requests_the_oldest_come_first_and_all_are_counted(store: Store) -> None:
    moments = [now() + timedelta(seconds=n) for n in range(4)]
    requests = [a_request(created_at=moment) for moment in moments]
    for request in reversed(requests):
        await store.of(request.user_id).requests.add(request)
    await store.of("ada").requests.settle(requests[0].id, to=RequestState.WAITING)
    declined = await store.of("ada").requests.settle(requests[1].id, to=RequestState.DECLINED)
    assert [each.id for each in await store.of("ada").requests.oldest_open(2)] == [requests[0].id, requests[2].id]
    assert await store.of("ada").requests.count_open() == 3
    assert await store.of("bob").requests.count_open() == 0
    assert declined in await store.of("ada").requests.settled_since(moments[0] - timedelta(hours=1), 10)
    assert await store.of("ada").requests.settled_since(moments[0] + timedelta(hours=1), 10) == []


async def test_clients_that_go_away_in_the_middle_of_a_query_leave_no_connection_open(store: Store) -> None:
    """They are cancelled by anyio, as Starlette and the MCP SDK do it; what was begun is finished."""
    await store.of("ada").requests.add(a_request())
    for _each in range(50):
        async with anyio.create_task_group() as group:
            for _at_once in range(5):
                group.start_soon(store.of("ada").requests.find)
            await asyncio.sleep(0)
            group.cancel_scope.cancel()
    assert open_databases() <= CONNECTIONS


def open_databases() -> int:
    """Return how often this process has a database open (Linux)."""
    return sum(os.path.realpath(file).endswith(FILE) for file in Path("/proc/self/fd").iterdir())


async def test_a_sign_in_is_known_until_it_is_ended_and_only_by_a_hash(store: Store, tmp_path: Path) -> None:
    session_id = await store.browser_sessions.create("ada")
    assert await store.browser_sessions.user_of(session_id) == "ada"
    assert await store.browser_sessions.user_of("another") is None
    assert session_id.encode() not in b"".join(file.read_bytes() for file in (tmp_path / "data").iterdir())
    await store.browser_sessions.remove(session_id)
    assert await store.browser_sessions.user_of(session_id) is None


async def test_hundreds_of_writes_at_once_wait_their_turn(store: Store) -> None:
    requests = [a_request() for _ in range(300)]
    await asyncio.gather(*(store.of(request.user_id).requests.add(request) for request in requests))
    settled = await asyncio.gather(
        *(store.of("ada").requests.settle(request.id, to=RequestState.DECLINED) for request in requests)
    )
    assert all(settled)


async def test_what_waits_of_a_server_is_counted_and_measured(store: Store) -> None:
    for state, server_id, user_id in [
        (RequestState.PENDING, "s1", "ada"),
        (RequestState.PENDING, "s1", "ada"),
        (RequestState.DECLINED, "s1", "ada"),
        (RequestState.PENDING, "s2", "ada"),
        (RequestState.PENDING, "s1", "bob"),
    ]:
        await store.of(user_id).requests.add(
            a_request(state=state, server_id=server_id, user_id=user_id, params={"a": "x"})
        )
    assert await store.of("ada").requests.pending_of("s1") == (2, 2 * len('{"a": "x"}'))
    assert await store.of("ada").requests.pending_of("s3") == (0, 0)


def a_link(elicitation_id: str, message: str = "Read our terms.") -> Json:
    return {"mode": "url", "url": "https://example.com/", "message": message, "elicitationId": elicitation_id}


async def test_what_was_declined_before_is_recognised_for_its_user_and_server_alone(store: Store) -> None:
    declined = RequestState.DECLINED
    reordered = {"requestedSchema": {"x-extra": [1, None], "type": "object"}, "message": "née ☃", "mode": "form"}
    for row in [
        a_request(state=declined),
        a_request(state=declined, params=reordered),
        a_request(state=RequestState.CANCELLED),
        a_request(state=declined, user_id="bob"),
        a_request(state=declined, server_id="s2"),
        a_request(state=declined, params={"message": "another"}),
        a_request(state=declined, kind="url", params=a_link("e1")),
    ]:
        await store.of(row.user_id).requests.add(row)
    again, new = a_request(), a_request(params={"message": "new"})
    link = a_request(kind="url", params=a_link("e2"))
    other_words = a_request(kind="url", params=a_link("e3", message="CONFIRM: pay 5,000 EUR"))
    asked = [again, new, link, other_words]
    assert await store.of("ada").requests.declines(asked) == {again.id: 2, link.id: 1}
    assert await store.of("ada").requests.declines([]) == {}
