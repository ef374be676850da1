"""The database alone contains no token, header value or client secret: its files are searched for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import JSON, type_coerce, update

from tests.store.ada_rows import CALL, GRANT, REGISTRATION, SERVER, SIGN_IN
from tests.store.conftest import TestDatabase
from tests.store.rows import a_request
from webclient.domain.model import Delivery, InputRequest, Origin, RequesterIds, RequestState, Server
from webclient.store import Store, rotate_key
from webclient.store.database.secret_keys import FILE
from webclient.store.database.tables import calls, requests

pytestmark = pytest.mark.anyio

WORDS = [f"s3cret-{number}-xyzzy" for number in range(1, 16)]
"""Each is one secret, somewhere else."""

GUARDED = replace(
    SERVER,
    id="guarded",
    transport={
        "type": "http",
        "url": f"https://ada:{WORDS[0]}@mcp.example/mcp?key={WORDS[1]}",
        "headers": {"Authorization": f"Bearer {WORDS[2]}", "X-Tenant": WORDS[3]},
        "env": {"TOKEN": WORDS[4]},
    },
    oauth={"client_id": "our-client", "client_secret": WORDS[5], "private_key": WORDS[6], "idp_id_token": WORDS[7]},
)
SECRETS = {"access": WORDS[8], "refresh": WORDS[9], "client": {"secret": WORDS[10]}}


async def fill(store: Store) -> None:
    ada = store.of("ada")
    await ada.servers.add(GUARDED)
    url = f"https://as.example/authorize?state={WORDS[11]}"
    secrets = {"state": WORDS[11], "verifier": WORDS[12]}
    await ada.sign_ins.put(replace(SIGN_IN, server_id=GUARDED.id, authorization_url=url, secrets=secrets))
    await ada.grants.save(replace(GRANT, server_id=GUARDED.id, secrets=SECRETS))
    await ada.registrations.save(replace(REGISTRATION, secrets={"client_id": "c", "secret": WORDS[13]}))


def stolen(database: TestDatabase) -> Iterator[bytes]:
    """Return the bytes of all files of the database, or of a dump."""
    if database.url is None:
        yield from (path.read_bytes() for path in database.folder.iterdir() if path.name != FILE)
        return
    tables = [name for (name,) in database.run("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
    yield from (str(database.run(f"SELECT * FROM {table}")).encode() for table in tables)  # noqa: S608


def found(database: TestDatabase) -> list[str]:
    return [word for word in WORDS for data in stolen(database) if word.encode() in data]


async def test_the_database_alone_has_no_secret(store: Store, database: TestDatabase) -> None:
    await fill(store)
    assert found(database) == [], "while it runs, with what is in the log of SQLite"
    assert await store.of("ada").servers.get(GUARDED.id) == GUARDED
    await store.of("ada").grants.remove(GUARDED.id)
    await store.close()
    assert found(database) == []
    assert any(b"our-client" in data for data in stolen(database)), "the search works"


async def test_a_server_whose_key_is_lost_says_what_is_missing(store: Store, database: TestDatabase) -> None:
    await fill(store)
    public = Server(user_id="ada", label="open", transport={"type": "http", "url": "http://127.0.0.1/mcp"})
    keyed = replace(public, id="keyed", transport={"type": "http", "url": "http://127.0.0.1/mcp?key=s3cret"})
    for server in (public, keyed, replace(GUARDED, id="signed")):
        await store.of("ada").servers.add(server)
    await store.close()
    key = (database.folder / FILE).read_text("utf-8")
    (database.folder / FILE).unlink()
    again = database.store()
    await again.open()
    shown = {server.id: server for server in await again.of("ada").servers.all()}
    assert shown[public.id] == public
    assert shown["keyed"].lost == ("url",)
    lost = shown[GUARDED.id]
    assert set(lost.lost) == {
        "Authorization",
        "X-Tenant",
        "TOKEN",
        "oauth.client_secret",
        "oauth.private_key",
        "oauth.idp_id_token",
        "url",
    }
    assert lost.oauth == {"client_id": "our-client"}
    assert (lost.transport["headers"], lost.transport["env"]) == ({}, {})
    await again.of("ada").servers.change(replace(lost, label="renamed"))
    signed = replace(GUARDED, id="signed")
    half = replace(signed, transport=lost.transport, lost=("Authorization", "X-Tenant", "TOKEN", "url"))
    await again.of("ada").servers.change(half)
    stored = await again.of("ada").servers.get("signed")
    assert (stored.oauth, stored.lost) == (GUARDED.oauth, half.lost), "only the sign-in was entered again"
    await again.of("ada").servers.change(signed)
    stored = await again.of("ada").servers.get("signed")
    assert (stored.transport, stored.oauth, stored.lost) == (GUARDED.transport, GUARDED.oauth, ())
    entered = replace(GUARDED, id="keyed")
    await again.of("ada").servers.change(entered)
    assert (await again.of("ada").servers.get("keyed")).transport == GUARDED.transport
    await again.close()
    (database.folder / FILE).write_text(key, "utf-8")
    restored = database.store()
    await restored.open()
    assert await restored.of("ada").servers.get(GUARDED.id) == replace(GUARDED, label="renamed"), "the key came back"
    await restored.close()


async def answered(store: Store) -> InputRequest:
    """Store an answer to a program and a call, each with a secret value."""
    await store.of("ada").calls.add(replace(CALL, arguments={"token": WORDS[14]}))
    request = replace(a_request(server_id="program-1"), origin=Origin.PROGRAM, ids=RequesterIds(hosted_task_id="h-1"))
    await store.of("ada").requests.add(request)
    settled = await store.of("ada").requests.settle(
        request.id,
        to=RequestState.ACCEPTED,
        content={"name": "Ada", "pin": WORDS[0]},
        withheld=["pin"],
        secrets_for=request.id,
        delivery=Delivery.SENDING,
    )
    assert settled
    return settled


async def test_a_secret_answer_is_sealed_until_it_is_fetched(store: Store, database: TestDatabase) -> None:
    request = await answered(store)
    assert found(database) == []
    ada = store.of("ada")
    assert (await ada.requests.get(request.id)).content == request.content == {"name": "Ada", "pin": WORDS[0]}
    assert (await ada.calls.get(CALL.id)).arguments == {"token": WORDS[14]}
    assert await ada.hosted_tasks.fetched(request.id, Delivery.DELIVERED)
    assert (await ada.requests.get(request.id)).content == {"name": "Ada", "pin": None}
    await store.close()
    assert database.run("SELECT secrets FROM requests WHERE secrets IS NOT NULL") == []


async def test_answers_of_earlier_versions_are_sealed_at_the_start(database: TestDatabase) -> None:
    store = database.store()
    await store.open()
    request = await answered(store)
    await store.close()
    with database.connected() as db:
        db.execute(update(requests).values(secrets=type_coerce({"pin": WORDS[0]}, JSON)))
        db.execute(update(calls).values(secrets=type_coerce({"token": WORDS[14]}, JSON)))
    assert set(found(database)) == {WORDS[0], WORDS[14]}
    store = database.store()
    await store.open()
    assert (await store.of("ada").requests.get(request.id)).content == {"name": "Ada", "pin": WORDS[0]}
    await store.close()
    assert found(database) == []


async def test_a_new_key_seals_answers_as_well(database: TestDatabase) -> None:
    store = database.store()
    await store.open()
    request = await answered(store)
    await store.close()
    before = database.run("SELECT secrets FROM requests")
    assert rotate_key(database.folder, database.url).sealed == 2
    assert database.run("SELECT secrets FROM requests") != before
    store = database.store()
    await store.open()
    assert (await store.of("ada").requests.get(request.id)).content == {"name": "Ada", "pin": WORDS[0]}
    await store.close()
