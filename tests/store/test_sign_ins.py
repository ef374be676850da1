"""Rows of sign-ins: who gets one, when it ends, and which are deleted with their server."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.store.ada_rows import GRANT, ISSUER, REDIRECT_URI, REGISTRATION, SERVER, SIGN_IN, STATE
from tests.store.conftest import TestDatabase
from webclient.domain.errors import NotFoundError
from webclient.domain.model import Registration, now
from webclient.store import Store

pytestmark = pytest.mark.anyio

OTHER = replace(SERVER, id="other")
TABLES = ("pending_sign_ins", "grants", "registrations", "step_ups")


@pytest.fixture
async def signed_in(store: Store) -> Store:
    """Add one row of each kind for one of two servers of Ada."""
    ada = store.of("ada")
    await ada.servers.add(SERVER)
    await ada.servers.add(OTHER)
    await ada.sign_ins.put(SIGN_IN)
    await ada.grants.save(GRANT)
    await ada.registrations.save(REGISTRATION)
    await ada.step_ups.add(SERVER.id, "write")
    return store


def counts(database: TestDatabase) -> dict[str, int]:
    return {table: database.run(f"SELECT count(*) FROM {table}")[0][0] for table in TABLES}  # noqa: S608


async def test_stored_rows_come_back_after_a_restart(signed_in: Store, database: TestDatabase) -> None:
    await signed_in.close()
    again = database.store()
    await again.open()
    ada = again.of("ada")
    assert await ada.sign_ins.pending(SERVER.id) == SIGN_IN
    assert await ada.sign_ins.get(SIGN_IN.id) == SIGN_IN
    assert await ada.sign_ins.all() == await again.system.sign_ins.all() == [SIGN_IN]
    assert await ada.grants.get(SERVER.id) == GRANT
    assert await ada.grants.all() == await again.system.grants.all() == [GRANT]
    assert await ada.registrations.get(ISSUER, REDIRECT_URI) == REGISTRATION
    assert await ada.step_ups.count(SERVER.id, "write") == 1
    await again.close()


async def test_a_new_sign_in_takes_the_place_of_the_one_before(signed_in: Store) -> None:
    ada = signed_in.of("ada")
    newer = replace(SIGN_IN, id="newer", state_hash="1" * 64)
    await ada.sign_ins.put(newer)
    assert await ada.sign_ins.all() == [newer]
    assert await ada.sign_ins.use(STATE, now()) is None
    assert not await ada.sign_ins.change(SIGN_IN)


async def test_of_many_who_use_a_state_one_gets_it(signed_in: Store) -> None:
    at = now()
    used = await asyncio.gather(*(signed_in.of("ada").sign_ins.use(STATE, at) for _each in range(5)))
    assert [each for each in used if each] == [replace(SIGN_IN, used_at=at)]


async def test_a_used_sign_in_is_known_by_state_and_waits_no_more(signed_in: Store) -> None:
    ada = signed_in.of("ada")
    await ada.sign_ins.use(STATE, now())
    assert await ada.sign_ins.pending(SERVER.id) is None
    assert await ada.sign_ins.all() == await signed_in.system.sign_ins.all() == []
    assert not await ada.sign_ins.change(replace(SIGN_IN, nonce_hash="1" * 64))
    found = await signed_in.system.sign_ins.by_state(STATE)
    assert found
    assert found.used_at


async def test_an_expired_sign_in_waits_no_more(signed_in: Store) -> None:
    ada = signed_in.of("ada")
    await ada.sign_ins.put(replace(SIGN_IN, expires_at=now() - timedelta(seconds=1)))
    assert await ada.sign_ins.pending(SERVER.id) is None
    assert await ada.sign_ins.all() == await signed_in.system.sign_ins.all() == []
    assert await ada.sign_ins.use(STATE, now()), "a browser that comes back late must learn why"


async def test_one_process_at_a_time_renews_a_grant(signed_in: Store) -> None:
    grants, until = signed_in.of("ada").grants, now() + timedelta(minutes=1)
    taken = await asyncio.gather(*(grants.lease(SERVER.id, 1, until) for _each in range(5)))
    assert sorted(taken) == [False, False, False, False, True]
    renewed = replace(GRANT, version=2, secrets={"access": "a-2"})
    assert await grants.renew(renewed)
    assert await grants.get(SERVER.id) == renewed
    assert not await grants.lease(SERVER.id, 1, until), "this version is renewed already"
    assert await grants.lease(SERVER.id, 2, until)


async def test_a_lease_ends_by_itself_or_when_given_back(signed_in: Store) -> None:
    grants, until = signed_in.of("ada").grants, now() + timedelta(minutes=1)
    assert await grants.lease(SERVER.id, 1, now() - timedelta(seconds=1))
    assert await grants.lease(SERVER.id, 1, until), "the one before died"
    assert not await grants.lease(SERVER.id, 1, until)
    assert await grants.end_lease(SERVER.id, 1)
    assert await grants.lease(SERVER.id, 1, until)


async def test_a_renewal_brings_no_tokens_back(signed_in: Store) -> None:
    """While they were renewed, the user signed out, or in again."""
    grants = signed_in.of("ada").grants
    newer = replace(GRANT, version=7, secrets={"access": "a-7"})
    await grants.save(newer)
    assert not await grants.renew(replace(GRANT, version=2))
    assert await grants.get(SERVER.id) == newer
    await grants.remove(SERVER.id)
    assert not await grants.renew(replace(GRANT, version=8))
    assert await grants.get(SERVER.id) is None


async def test_a_registration_belongs_to_issuer_and_redirect_uri(signed_in: Store) -> None:
    registrations = signed_in.of("ada").registrations
    assert await registrations.get(ISSUER, "http://127.0.0.1:1/oauth/callback") is None
    assert await registrations.get(f"{ISSUER}/", REDIRECT_URI) is None
    newer = replace(REGISTRATION, secrets={"client_id": "c-2"})
    await registrations.save(newer)
    assert await registrations.get(ISSUER, REDIRECT_URI) == newer
    await registrations.remove(ISSUER, REDIRECT_URI)
    assert await registrations.get(ISSUER, REDIRECT_URI) is None


async def test_step_ups_are_counted_by_scope_until_cleared(signed_in: Store) -> None:
    step_ups = signed_in.of("ada").step_ups
    await step_ups.add(SERVER.id, "write")
    assert await step_ups.count(SERVER.id, "write") == 2
    assert await step_ups.count(SERVER.id, "admin") == 0
    assert await step_ups.count(OTHER.id, "write") == 0
    await step_ups.remove(SERVER.id)
    assert await step_ups.count(SERVER.id, "write") == 0


@pytest.mark.slow
async def test_removing_a_server_deletes_all_of_its_sign_in(signed_in: Store, database: TestDatabase) -> None:
    ada = signed_in.of("ada")
    await ada.grants.save(replace(GRANT, server_id=OTHER.id))
    unused = Registration(user_id="ada", issuer="https://unused.example", redirect_uri=REDIRECT_URI)
    await ada.registrations.save(unused)
    for server in (SERVER, OTHER):
        of_settings = Registration(user_id="ada", issuer=f"server:{server.id}", redirect_uri="client")
        await ada.registrations.save(of_settings)
    await ada.servers.remove([SERVER.id])
    assert counts(database) == {"pending_sign_ins": 0, "grants": 1, "registrations": 2, "step_ups": 0}
    assert await ada.registrations.get(f"server:{OTHER.id}", "client")
    assert await ada.registrations.get(ISSUER, REDIRECT_URI), "the other server uses the issuer as well"
    await ada.servers.remove([OTHER.id])
    assert set(counts(database).values()) == {0}


async def test_a_removed_server_gets_no_rows(signed_in: Store, database: TestDatabase) -> None:
    ada = signed_in.of("ada")
    await ada.servers.remove([SERVER.id])
    before = counts(database)
    for late in (ada.sign_ins.put(SIGN_IN), ada.grants.save(GRANT), ada.step_ups.add(SERVER.id, "write")):
        with pytest.raises(NotFoundError):
            await late
    assert counts(database) == before


async def test_old_rows_and_those_of_servers_that_are_gone_are_swept(signed_in: Store, database: TestDatabase) -> None:
    assert await signed_in.system.purge_sign_ins() == 0
    database.run("UPDATE pending_sign_ins SET expires_at = '2001-01-01 00:00:00'")
    database.run("UPDATE step_ups SET last_at = '2001-01-01 00:00:00'")
    assert await signed_in.system.purge_sign_ins() == 2
    database.run("DELETE FROM servers WHERE id = :id", id=SERVER.id)
    assert await signed_in.system.purge_sign_ins() == 1
    assert await signed_in.of("ada").grants.all() == []


async def test_without_its_key_a_row_is_as_if_it_were_not_there(signed_in: Store, database: TestDatabase) -> None:
    await signed_in.close()
    again = database.store(secret_keys="other:" + "QUJE" * 10 + "QUI=")
    await again.open()
    ada = again.of("ada")
    assert await ada.sign_ins.pending(SERVER.id) is None
    assert await ada.sign_ins.use(STATE, now()) is None
    assert await again.system.sign_ins.by_state(STATE) is None
    assert await ada.grants.get(SERVER.id) is None
    assert await again.system.grants.all() == []
    assert await again.system.sign_ins.all() == []
    assert await ada.registrations.get(ISSUER, REDIRECT_URI) is None
    await ada.sign_ins.put(SIGN_IN)
    await ada.grants.save(GRANT)
    await ada.registrations.save(REGISTRATION)
    assert await ada.grants.get(SERVER.id) == GRANT
    await again.close()


@pytest.mark.parametrize("table", ["pending_sign_ins", "grants", "registrations"])
async def test_a_row_that_was_moved_to_another_user_does_not_open(
    signed_in: Store, database: TestDatabase, table: str
) -> None:
    database.run(f"UPDATE {table} SET user_id = 'bob'")  # noqa: S608
    bob = signed_in.of("bob")
    assert await bob.sign_ins.all() == []
    assert await bob.grants.get(SERVER.id) is None
    assert await bob.registrations.get(ISSUER, REDIRECT_URI) is None
