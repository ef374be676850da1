"""A node reads again what another one announces; the connection that hears it holds the locks of the node."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

import pytest

from tests.postgresql import PostgreSQL
from tests.program import PATIENCE
from tests.store.rows import SECRET_KEYS
from tests.store.test_placements import NOWHERE, node
from webclient.domain.model import Person, ProgramToken, Role
from webclient.store import StorageError, Store, Topic
from webclient.support import background

pytestmark = pytest.mark.anyio

Act = Callable[[Store, str], Awaitable[object]]


@pytest.fixture
def url(postgresql: PostgreSQL) -> Iterator[str]:
    """The address of an empty database."""
    with postgresql.database() as name:
        yield postgresql.url(name)


@dataclass
class Ears:
    """The topics that a node has read again, since they were last forgotten."""

    store: Store
    heard: asyncio.Queue[Topic] = field(default_factory=asyncio.Queue)

    async def until(self, topic: Topic) -> None:
        """Wait until the node reads something of this topic again."""
        async with asyncio.timeout(PATIENCE):
            while await self.heard.get() is not topic:
                pass

    def forget(self) -> None:
        """Forget what was heard until now."""
        while not self.heard.empty():
            self.heard.get_nowait()


@asynccontextmanager
async def listening(url: str, name: str) -> AsyncIterator[Ears]:
    """Open a store as a node that hears the others, and has read everything once."""
    async with node(url, name) as store:
        ears = Ears(store)
        connection = store.node_connection
        assert connection
        connection.reads |= {topic: partial(ears.heard.put, topic) for topic in Topic}
        work = background.keep(connection.run, name="ears")
        try:
            await ears.until(Topic.ERASED)
            yield ears
        finally:
            work.stop()
            await work.ended()


async def _ada(store: Store) -> str:
    person = Person(issuer="proxy", subject="ada", name="Ada", role=Role.USER)
    return (await store.users.recognise(person)).id


async def _disable(store: Store, user_id: str) -> None:
    await store.users.disable(user_id)


async def _enable(store: Store, user_id: str) -> None:
    await store.users.enable(user_id)


async def _delete(store: Store, user_id: str) -> None:
    await store.users.erase(user_id)


async def _revoke(store: Store, user_id: str) -> None:
    tokens = store.of(user_id).tokens
    token = ProgramToken(user_id=user_id, label="Agent", hint="mcpw_", scopes=("read",))
    await tokens.add(token, "secret")
    await tokens.revoke(token.id)


async def _sign_out(store: Store, user_id: str) -> None:
    await store.browser_sessions.remove(await store.browser_sessions.create(user_id, "oidc"))


async def _end_elsewhere(store: Store, user_id: str) -> None:
    await store.browser_sessions.create(user_id, "oidc")
    [found] = await store.open_sessions.of(user_id)
    assert await store.open_sessions.end(user_id, [found.id]) == 1


async def _reload(store: Store, _user_id: str) -> None:
    await store.audit.add_reload({})


async def _leave(store: Store, _user_id: str) -> None:
    await store.placements.leave()


ACTS: list[tuple[Act, Topic]] = [
    (_disable, Topic.USERS),
    (_enable, Topic.USERS),
    (_delete, Topic.ERASED),
    (_revoke, Topic.SIGN_INS),
    (_sign_out, Topic.SIGN_INS),
    (_end_elsewhere, Topic.SIGN_INS),
    (_reload, Topic.CONFIGURATION),
    (_leave, Topic.NODES),
]


@pytest.mark.parametrize(("act", "topic"), ACTS, ids=[act.__name__ for act, _topic in ACTS])
async def test_a_node_hears_what_another_changed_for_all(url: str, act: Act, topic: Topic) -> None:
    async with node(url, "a") as a, listening(url, "b") as b:
        user_id = await _ada(a)
        b.forget()
        await act(a, user_id)
        await b.until(topic)


async def test_a_node_hears_of_a_command_as_well(url: str) -> None:
    async with listening(url, "a") as a:
        user_id = await _ada(a.store)
        a.forget()
        command = Store(NOWHERE, url=url, secret_keys=SECRET_KEYS)
        await command.open_beside()
        await command.users.disable(user_id)
        await command.close()
        await a.until(Topic.USERS)


async def test_a_node_does_not_hear_of_its_own_reload(url: str) -> None:
    async with listening(url, "a") as a:
        a.forget()
        await a.store.audit.add_reload({})
        await a.store.users.disable(await _ada(a.store))
        # Announcements come in their order.
        assert await a.heard.get() is Topic.USERS


async def test_all_is_read_again_after_the_connection_was_lost(url: str, postgresql: PostgreSQL) -> None:
    async with listening(url, "a") as a:
        a.forget()
        cut = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()"
        assert len(postgresql.run(cut)) >= 1
        for topic in (Topic.USERS, Topic.SIGN_INS, Topic.ERASED):
            await a.until(topic)
        # Its lock is there again, so others see it alive, and it hears.
        await a.store.placements.renew()
        async with node(url, "b") as b:
            assert (await b.placements.renew()).nodes.keys() == {"a", "b"}
            await b.users.disable(await _ada(b))
            await a.until(Topic.USERS)


async def test_a_node_without_its_lock_is_not_renewed(url: str) -> None:
    async with node(url, "a") as a:
        await a.placements.renew()
        assert a.placements.has_lock
        assert a.node_connection
        a.node_connection.close()
        assert not a.placements.has_lock
        with pytest.raises(StorageError):
            await a.placements.renew()
        # Everything else can be stored.
        assert a.health.trouble is None


async def test_a_node_that_cannot_connect_reads_everything(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webclient.store.database.node_connection.PAUSE", 0.05)
    async with listening(url, "a") as a:
        pass
    # Its store is closed, so the connection cannot be used; another process has its place.
    async with node(url, "a"):
        monkeypatch.setattr("webclient.store.database.postgresql.LOCK_TIMEOUT", "50ms")
        a.forget()
        assert a.store.node_connection
        work = background.keep(a.store.node_connection.run, name="ears")
        try:
            await a.until(Topic.USERS)
            await a.until(Topic.USERS)
        finally:
            work.stop()
            await work.ended()
