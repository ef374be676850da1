"""The sign-ins of a user are listed without their secrets, and each can be ended."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from webclient.domain.model import LOCAL_USER, Browser, Person, now
from webclient.store import NewEmbedSession, Store

pytestmark = pytest.mark.anyio

FIREFOX = Browser(user_agent="Firefox/140", address="10.1.2.3")
CHROME = Browser(user_agent="Chrome/150", address="10.9.9.9")


async def user_id(store: Store, subject: str) -> str:
    """Return the user with this subject."""
    return (await store.users.recognise(Person(issuer="host:chat", subject=subject))).id


async def frame_of(store: Store, user: str, token: str) -> str:
    """Begin a session of an application, and return its id."""
    session = NewEmbedSession(
        user_id=user,
        embedder="chat",
        subject="ada",
        host_session=None,
        origin="https://chat.example",
        scopes=["inbox"],
        ends_at=now() + timedelta(minutes=5),
    )
    session_id = await store.embed_sessions.exchange(session, token, now() + timedelta(minutes=5), browser=CHROME)
    assert session_id
    return session_id


async def test_a_list_says_when_and_from_where_each_came(store: Store) -> None:
    ada = await user_id(store, "ada")
    browser = await store.browser_sessions.create(ada, "oidc", browser=FIREFOX)
    frame = await frame_of(store, ada, "one")
    await store.browser_sessions.create(ada, "oidc", ends_at=now() - timedelta(seconds=1))
    await store.browser_sessions.create(await user_id(store, "bob"), "oidc")
    for own in (browser, frame):
        found = await store.open_sessions.of(ada, own)
        assert [each.is_own for each in found] == [True, False]
        seen = {(each.way, each.embedder, each.browser) for each in found}
        assert seen == {("oidc", "", FIREFOX), ("host", "chat", CHROME)}
        assert all(each.created_at and each.used_at for each in found)


async def test_a_list_has_nothing_that_is_stored_of_a_secret(store: Store) -> None:
    session = await store.browser_sessions.create(LOCAL_USER, browser=FIREFOX)
    [found] = await store.open_sessions.of(LOCAL_USER)
    assert found.id not in {session, *store.browser_sessions.hashes(session)}
    assert await store.browser_sessions.find(found.id) is None


async def test_an_ended_sign_in_opens_nothing_though_just_looked_up(store: Store) -> None:
    ada = await user_id(store, "ada")
    browser, other = [await store.browser_sessions.create(ada, "oidc") for _n in range(2)]
    frame = await frame_of(store, ada, "one")
    assert await store.embed_sessions.still_open(frame)
    ids = [each.id for own in (browser, frame) for each in await store.open_sessions.of(ada, own) if each.is_own]
    bob = await user_id(store, "bob")
    assert [await store.open_sessions.end(user, ids) for user in (bob, ada, ada)] == [0, 2, 0]
    assert not await store.browser_sessions.find(browser)
    assert not await store.embed_sessions.still_open(frame)
    assert await store.embed_sessions.ended_by(frame) == "chat"
    assert await store.browser_sessions.find(other)


async def test_a_copy_of_a_frame_for_a_tab_is_a_sign_in_too(store: Store) -> None:
    ada = await user_id(store, "ada")
    session = await store.embed_sessions.find(await frame_of(store, ada, "one"))
    assert session
    await store.embed_sessions.copy(session.key, now() + timedelta(hours=1))
    frame, tab = [replace(each, id="") for each in await store.open_sessions.of(ada)]
    assert (frame.browser, frame.embedder) == (tab.browser, tab.embedder)


async def test_sessions_of_an_older_token_are_removed(store: Store) -> None:
    ada = await user_id(store, "ada")
    await store.browser_sessions.create(LOCAL_USER)
    other = await store.browser_sessions.create(ada, "oidc")
    await store.browser_sessions.remove_local()
    assert await store.open_sessions.of(LOCAL_USER) == []
    assert await store.browser_sessions.find(other)
