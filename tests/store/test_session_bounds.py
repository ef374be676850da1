"""Browser sessions end when they are not used, or when the provider of their sign-in ends them."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from webclient.domain.model import Person, now
from webclient.store import Store
from webclient.store.users import browser_sessions

pytestmark = pytest.mark.anyio

ISSUER = "https://id.example.com"
IDLE = timedelta(hours=2)


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = now()

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(browser_sessions, "now", clock)
    return clock


async def user_id(store: Store, subject: str, issuer: str = ISSUER) -> str:
    """Return the user with this subject."""
    return (await store.users.recognise(Person(issuer=issuer, subject=subject))).id


async def test_an_unused_session_ends(store: Store, clock: Clock) -> None:
    sessions = store.browser_sessions
    session = await sessions.create(await user_id(store, "ada"), "oidc", idle=IDLE)
    for _hours in range(3):
        clock.now += IDLE - timedelta(minutes=1)
        assert await sessions.find(session)
    clock.now += IDLE + timedelta(seconds=1)
    assert await sessions.find(session) is None


async def test_a_session_that_is_used_ends_at_its_last_moment(store: Store, clock: Clock) -> None:
    sessions = store.browser_sessions
    ends_at = clock.now + timedelta(hours=3)
    session = await sessions.create(await user_id(store, "ada"), "oidc", ends_at=ends_at, idle=IDLE)
    clock.now += timedelta(minutes=100)
    assert await sessions.find(session)
    clock.now = ends_at + timedelta(seconds=1)
    assert await sessions.find(session) is None


async def test_the_provider_ends_one_of_its_sessions(store: Store) -> None:
    ada = await user_id(store, "ada")
    sessions = store.browser_sessions
    first, second = [await sessions.create(ada, "oidc", provider_session=sid) for sid in ("s1", "s2")]
    assert await sessions.end_of_provider(ISSUER, subject=None, provider_session="s1") == {ada}
    assert await sessions.find(first) is None
    assert await sessions.find(second)
    assert await sessions.end_of_provider(ISSUER, subject="ada", provider_session="s1") == set()


async def test_the_provider_ends_all_sessions_of_a_subject(store: Store) -> None:
    ada, bob = await user_id(store, "ada"), await user_id(store, "bob")
    other = await user_id(store, "ada", "https://other.example.com")
    sessions = store.browser_sessions
    ids = [await sessions.create(user, "oidc", provider_session="s") for user in (ada, ada, bob, other)]
    assert await sessions.end_of_provider(ISSUER, subject="ada", provider_session=None) == {ada}
    assert [await sessions.find(each) is None for each in ids] == [True, True, False, False]


async def test_a_session_without_the_providers_name_ends_by_subject(store: Store) -> None:
    ada = await user_id(store, "ada")
    session = await store.browser_sessions.create(ada, "oidc")
    assert await store.browser_sessions.end_of_provider(ISSUER, subject="ada", provider_session="s1") == {ada}
    assert await store.browser_sessions.find(session) is None
