"""Saved ID tokens: one for each user, sealed, and gone with the session at the provider."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.store.conftest import TestDatabase
from webclient.domain.model import Person, SavedIdentity, now
from webclient.store import Store

pytestmark = pytest.mark.anyio

IDP = "https://id.example.com"
ENDS_AT = now() + timedelta(minutes=5)


async def saved_by(store: Store, subject: str, provider_session: str | None = "s1") -> SavedIdentity:
    """Save the ID token of a user; return it."""
    user = await store.users.recognise(Person(issuer=IDP, subject=subject))
    saved = SavedIdentity(
        user_id=user.id,
        issuer=IDP,
        subject=subject,
        id_token="eyJ.the.token",
        refresh_token="the refresh token",
        ends_at=ENDS_AT,
        provider_session=provider_session,
    )
    await store.saved_identities.save(saved)
    return saved


async def test_an_id_token_is_sealed_and_of_one_user(store: Store, database: TestDatabase) -> None:
    ada = await saved_by(store, "ada")
    assert await store.saved_identities.get(ada.user_id) == ada
    assert await store.saved_identities.get("bob") is None
    assert "eyJ" not in repr(ada)
    assert "the refresh token" not in repr(ada)
    [[row]] = database.run("SELECT secrets FROM saved_identities")
    assert "eyJ.the" not in row
    newer = replace(ada, id_token="another")
    await store.saved_identities.save(newer)
    assert await store.saved_identities.get(ada.user_id) == newer


async def test_a_renewal_does_not_bring_back_what_was_replaced(store: Store) -> None:
    ada = await saved_by(store, "ada")
    renewed = replace(ada, id_token="renewed", version=1)
    assert await store.saved_identities.renew(renewed)
    assert not await store.saved_identities.renew(replace(renewed, id_token="late"))
    assert await store.saved_identities.get(ada.user_id) == renewed
    await store.saved_identities.remove(ada)
    assert await store.saved_identities.get(ada.user_id) == renewed
    await store.saved_identities.remove(renewed)
    assert not await store.saved_identities.renew(replace(renewed, version=2))


@pytest.mark.parametrize(
    ("subject", "session", "ended"),
    [
        ("ada", None, {"ada"}),
        (None, "s1", {"ada", "bob"}),
        ("ada", "s1", {"ada"}),
        ("ada", "s2", set()),
        ("carl", "s2", {"carl"}),
        ("nobody", None, set()),
    ],
)
async def test_the_provider_ends_those_of_a_subject_or_session(
    store: Store, subject: str | None, session: str | None, ended: set[str]
) -> None:
    """OpenID Connect Back-Channel Logout 1.0, section 2.7."""
    all_of = {name: await saved_by(store, name) for name in ("ada", "bob")}
    all_of["carl"] = await saved_by(store, "carl", None)
    await store.saved_identities.end_of_provider("https://other", subject=subject, provider_session=session)
    await store.saved_identities.end_of_provider(IDP, subject=subject, provider_session=session)
    found = {name for name, saved in all_of.items() if await store.saved_identities.get(saved.user_id) is None}
    assert found == ended


async def test_disabling_a_user_removes_the_id_token(store: Store) -> None:
    ada, bob = await saved_by(store, "ada"), await saved_by(store, "bob")
    both = {ada.user_id, bob.user_id}
    assert await store.saved_identities.saved_of({*both, "carl"}) == both
    await store.users.disable(ada.user_id)
    assert await store.saved_identities.saved_of(both) == {bob.user_id}
    assert await store.saved_identities.saved_of(()) == set()
