"""Processes hear at once what another one has changed for everybody, and do not only look for it now and then."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.cluster.nodes import cluster
from tests.house import settings
from tests.mcp_servers import asker_entries
from tests.postgresql import PostgreSQL
from tests.program import PATIENCE
from tests.store.rows import SECRET_KEYS, a_request
from tests.store.test_placements import node
from webclient.domain.model import Person, SignInKey, SignInKind
from webclient.servers.config_file import ServerConfig
from webclient.services import Services, build, running
from webclient.store import Store

pytestmark = pytest.mark.anyio


@pytest.fixture
def url(postgresql: PostgreSQL) -> Iterator[str]:
    """The address of an empty database."""
    with postgresql.database() as name:
        yield postgresql.url(name)


async def _until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            if is_so():
                return
            await asyncio.sleep(0.1)


async def test_a_deleted_user_leaves_no_wire_log_on_any_node(tmp_path: Path, url: str) -> None:
    logs = str(tmp_path / "{node}.jsonl")
    async with cluster(tmp_path, url, 2, asker_entries(), "--admin", "root", "--wire-log", logs) as nodes:
        first, second = nodes.nodes
        log = tmp_path / f"{second.name}.jsonl"
        async with first.api("root") as root, second.api("ada") as ada, second.api("bob") as bob:
            ids = [(await api.json("GET", "/me"))["user_id"] for api in (ada, bob)]
            for api in (ada, bob):
                await api.server("push")
            await _until(lambda: all(user_id in log.read_text("utf-8") for user_id in ids))
            assert (await root.delete(f"/users/{ids[0]}")).status_code == 204
            await _until(lambda: ids[0] not in log.read_text("utf-8"))
        assert ids[1] in log.read_text("utf-8")


async def test_a_reload_on_one_node_reaches_all(tmp_path: Path, url: str) -> None:
    async with cluster(tmp_path, url, 2, {}, "--admin", "root") as nodes:
        first, second = nodes.nodes
        async with first.api("root") as root, second.api("ada") as ada:
            assert (await ada.json("GET", "/servers"))["servers"] == []
            (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": asker_entries()}), "utf-8")
            reloaded = await root.json("POST", "/reload")
            assert reloaded["servers"]["added"]
            await ada.server("push")
            trail = await root.json("GET", "/audit")
            assert [each["action"] for each in trail["entries"]].count("config_reloaded") == 1


@asynccontextmanager
async def listening(
    folder: Path, url: str, monkeypatch: pytest.MonkeyPatch, configured: Sequence[ServerConfig] = ()
) -> AsyncIterator[Services]:
    """Run the services of a node in this process; it looks for nothing by itself."""
    monkeypatch.setattr("webclient.services.SELDOM", 3600.0)
    node_url, public_url = "http://127.0.0.1:9", "http://127.0.0.1"
    shared = {"database_url": url, "node_url": node_url, "public_url": public_url, "secret_keys": SECRET_KEYS}
    services = build(settings(folder, **shared))
    async with running(services, configured):
        yield services


@asynccontextmanager
async def elsewhere(url: str) -> AsyncIterator[Store]:
    """Open the store of another process; only the database says what it has changed."""
    store = Store(Path("nowhere"), url=url, secret_keys=SECRET_KEYS)
    await store.open_beside()
    yield store
    await store.close()


async def _ends(here: Services, user_id: str, key: SignInKey | None, end: Callable[[], Awaitable[object]]) -> None:
    """Wait until a stream of the user ends, after `end`."""
    ended = asyncio.Event()
    with here.store.watched_sign_ins.watching(user_id, key) as watch:
        watch.when_ended(ended.set)
        await end()
        async with asyncio.timeout(PATIENCE):
            await ended.wait()


async def test_streams_end_with_what_another_process_ends(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listening(tmp_path, url, monkeypatch) as here, elsewhere(url) as other:
        ada = (await here.store.users.recognise(Person(issuer="oidc", subject="ada"))).id
        session = await here.store.browser_sessions.create(ada, "oidc")
        found = await here.store.browser_sessions.find(session)
        assert found
        key = SignInKey(SignInKind.BROWSER, found.key)
        await _ends(here, ada, key, lambda: other.browser_sessions.remove(session))
        # This one came in another way than by a sign-in that could end.
        await _ends(here, ada, None, lambda: other.users.disable(ada))


async def test_a_user_for_whom_something_waits_has_no_connection(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are connected when the user comes, or when a call of theirs goes on."""
    server = ServerConfig(name="it", label="it", transport={}, error="no command")
    async with listening(tmp_path, url, monkeypatch, [server]) as here:
        ada = (await here.store.users.recognise(Person(issuer="oidc", subject="ada"))).id
        assert here.residents
        assert await here.residents.home(ada) is None
        assert await here.store.of(ada).servers.all() == []
        await here.presence.arrived(ada)
        assert [each.label for each in await here.store.of(ada).servers.all()] == ["it"]


async def test_a_node_that_leaves_has_its_users_taken_over_at_once(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webclient.cluster.residents.RENEWAL", 3600.0)
    async with listening(tmp_path, url, monkeypatch) as here, node(url, "other") as other:
        residents = here.residents
        assert residents
        ada = (await other.users.recognise(Person(issuer="oidc", subject="ada"))).id
        assert await other.placements.place(ada) == "other"
        await other.of(ada).requests.add(a_request(user_id=ada))
        await other.placements.leave()
        await _until(lambda: ada in residents.here)
