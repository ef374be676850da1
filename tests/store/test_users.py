"""A user is one issuer's subject: found again under the same id, with the name and role of the last sign-in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from tests.store.conftest import TestDatabase
from webclient.domain.errors import ConflictError
from webclient.domain.model import LOCAL_USER, Person, Role
from webclient.store import Store
from webclient.store.users.users import ChangedUsers

pytestmark = pytest.mark.anyio


async def test_a_person_is_one_user_whose_name_and_role_are_refreshed(store: Store) -> None:
    first = await store.users.recognise(Person(issuer="proxy", subject="ada"))
    named = Person(issuer="proxy", subject="ada", name="Ada", email="ada@corp.example", role=Role.ADMIN)
    again = await store.users.recognise(named)
    assert (again.id, again.name, again.role) == (first.id, "Ada", Role.ADMIN)
    assert await store.users.get(first.id) == again


async def test_a_sign_in_is_noted_once_an_hour(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(issuer="proxy", subject="ada")
    first = await store.users.recognise(person)
    for minutes, is_noted in ((50, False), (70, True)):
        assert first.signed_in_at is not None
        moment = first.signed_in_at + timedelta(minutes=minutes)
        monkeypatch.setattr("webclient.store.users.users.now", lambda moment=moment: moment)
        user = await store.users.recognise(person)
        assert user.signed_in_at == (moment if is_noted else first.signed_in_at)
        assert await store.users.get(first.id) == user


async def test_one_subject_of_two_issuers_is_two_users(store: Store) -> None:
    issuers = ["proxy", "https://id.example.com", "host:chat"]
    assert len({(await store.users.recognise(Person(issuer=each, subject="local"))).id for each in issuers}) == 3


async def test_the_user_of_the_token_is_there_from_the_start(store: Store) -> None:
    local = await store.users.get(LOCAL_USER)
    assert local is not None
    assert (local.issuer, local.subject, local.role) == ("local", "local", Role.ADMIN)
    assert await store.users.get("unknown") is None


@pytest.fixture
async def command(database: TestDatabase, store: Store) -> AsyncIterator[Store]:  # noqa: ARG001  (makes the tables)
    """The store of a command beside the program, whose store is `store`."""
    beside = database.store()
    await beside.open_beside()
    yield beside
    await beside.close()


async def test_a_look_tells_what_a_command_has_changed(store: Store, command: Store) -> None:
    ada = (await store.users.recognise(Person(issuer="proxy", subject="ada"))).id
    assert await store.users.look() == ChangedUsers()
    with store.watched_sign_ins.watching(ada) as watch:
        await command.users.disable(ada)
        assert watch.is_open
        assert await store.users.look() == ChangedUsers(disabled=(ada,))
        assert not watch.is_open
    assert store.users.is_disabled(ada)
    assert await store.users.look() == ChangedUsers()
    await command.users.want_erased(ada)
    assert await store.users.look() == ChangedUsers(erasing=(ada,))
    await command.users.enable(ada)
    assert await store.users.look() == ChangedUsers(enabled=(ada,))
    assert not store.users.is_disabled(ada)


async def test_a_look_that_overlaps_a_change_here_tells_nothing(store: Store) -> None:
    """It may have read what was there before."""
    ada = (await store.users.recognise(Person(issuer="proxy", subject="ada"))).id
    looks = [asyncio.create_task(store.users.look()) for _n in range(3)]
    await store.users.disable(ada)
    assert await asyncio.gather(*looks) == [ChangedUsers()] * 3
    assert store.users.is_disabled(ada)


async def test_a_user_whom_another_process_has_deleted_stays_out(store: Store, command: Store) -> None:
    ada = (await store.users.recognise(Person(issuer="proxy", subject="ada"))).id
    await store.users.disable(ada)
    await command.users.erase(ada)
    assert await store.users.look() == ChangedUsers()
    assert store.users.is_disabled(ada)


async def test_the_last_administrator_is_found_in_the_transaction(store: Store, command: Store) -> None:
    """Two administrators who are disabled by two processes at the same time: one of them stays."""
    both = [
        (await store.users.recognise(Person(issuer="proxy", subject=each, role=Role.ADMIN))).id for each in ("a", "b")
    ]
    ended = await asyncio.gather(store.users.disable(both[0]), command.users.disable(both[1]), return_exceptions=True)
    assert [type(each) for each in ended if each] in ([ConflictError], [])
    left = [user for user in await store.users.all() if user.id in both and user.disabled_at is None]
    assert len(left) == 1
    assert not store.users.is_disabled(left[0].id)


async def test_a_user_who_was_added_is_taken_over_once(store: Store) -> None:
    added, is_new = await store.users.add(Person(issuer="proxy", subject="", email="Ada@corp.example"))
    assert (is_new, added.is_awaited, added.known_subject) == (True, True, "")
    again = await store.users.add(Person(issuer="proxy", subject="", email="ada@CORP.example"))
    assert again == (added, False)
    # Not by the name of the row, which is not a subject.
    other = await store.users.recognise(Person(issuer="https://id.example.com", subject="a", email="ada@corp.example"))
    assert other.id != added.id
    ada = await store.users.recognise(Person(issuer="proxy", subject="ada", email="ada@corp.example"))
    assert (ada.id, ada.subject, ada.is_awaited) == (added.id, "ada", False)
    later = await store.users.recognise(Person(issuer="proxy", subject="eve", email="ada@corp.example"))
    assert later.id != added.id
    with pytest.raises(ConflictError):
        await store.users.find_by_email("proxy", "ada@corp.example")


KELVIN = "\u212a"
"""A sign whose lower case is the letter k, by the rules of Unicode and of PostgreSQL."""


async def test_an_address_that_looks_alike_takes_no_user_over(store: Store) -> None:
    """Nor does it get the questions for the other one."""
    mark = (await store.users.add(Person(issuer="proxy", subject="", email="mark@corp.example")))[0]
    for number, email in enumerate(
        [f"mar{KELVIN}@corp.example", "m\u0430rk@corp.example", "mark@corp.example.evil.example"]
    ):
        person = Person(issuer="proxy", subject=f"eve{number}", email=email)
        assert (await store.users.recognise(person)).id != mark.id
    assert await store.users.find_by_email("proxy", "mark@corp.example") == mark
    assert (
        await store.users.recognise(Person(issuer="proxy", subject="mark", email="MARK@Corp.example"))
    ).id == mark.id


async def test_a_command_and_a_first_sign_in_at_once_make_one_user(store: Store, database: TestDatabase) -> None:
    command = database.store()
    await command.open_beside()
    try:
        for number in range(20):
            person = Person(issuer="proxy", subject=f"u{number}")
            (added, _is_new), user = await asyncio.gather(command.users.add(person), store.users.recognise(person))
            assert added.id == user.id
            assert not user.is_awaited
    finally:
        await command.close()


async def test_two_sign_ins_at_once_take_a_user_over_once(store: Store) -> None:
    """Two people may have proved the same address, such as that of a team."""
    for number in range(20):
        email = f"team{number}@corp.example"
        added = (await store.users.add(Person(issuer="proxy", subject="", email=email)))[0]
        people = [Person(issuer="proxy", subject=f"{name}{number}", email=email) for name in ("ada", "bob")]
        found = await asyncio.gather(*(store.users.recognise(each) for each in (*people, *people)))
        assert [each.id for each in found[:2]] == [each.id for each in found[2:]]
        assert [each.id == added.id for each in found[:2]].count(True) == 1


async def test_a_user_who_was_deleted_is_not_taken_over(store: Store) -> None:
    """The next sign-in makes a new user, who has nothing of the first."""
    person = Person(issuer="proxy", subject="ada", email="ada@corp.example")
    added = (await store.users.add(Person(issuer="proxy", subject="", email="ada@corp.example")))[0]
    await store.users.disable(added.id)
    # Disabled before the first sign-in, which finds the row and does not get in.
    assert (await store.users.recognise(person)).id == added.id
    assert store.users.is_disabled(added.id)
    await store.users.erase(added.id)
    again = await store.users.recognise(person)
    assert again.id != added.id
    assert not store.users.is_disabled(again.id)
    assert not again.disabled_at


async def test_a_user_enabled_meanwhile_is_not_deleted(store: Store) -> None:
    """By a command that has disabled them, and was overtaken before it wanted them deleted."""
    ada = await store.users.recognise(Person(issuer="proxy", subject="ada"))
    await store.users.disable(ada.id)
    await store.users.enable(ada.id)
    await store.users.want_erased(ada.id)
    assert await store.users.look() == ChangedUsers()
    assert not store.users.is_disabled(ada.id)


async def test_disabled_users_are_known_when_the_program_starts(database: TestDatabase) -> None:
    for expected in (False, True):
        store = database.store()
        await store.open()
        ada = await store.users.recognise(Person(issuer="proxy", subject="ada"))
        assert store.users.is_disabled(ada.id) is expected
        await store.users.disable(ada.id)
        await store.close()
