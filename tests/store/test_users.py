"""A user is one issuer's subject: found again under the same id, with the name and role of the last sign-in."""

from __future__ import annotations

from datetime import timedelta

import pytest

from webclient.model import LOCAL_USER, Person, Role
from webclient.store import Store

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
        moment = first.signed_in_at + timedelta(minutes=minutes)
        monkeypatch.setattr("webclient.store.users.now", lambda moment=moment: moment)
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
