"""The ID tokens of users: saved only if a server needs them, renewed once, and given up with the right to sign in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import jwt
import pytest

from tests.identity.oidc_front import Front, Make
from tests.oidc_provider.fake import ISSUER, FakeProvider, oidc_settings
from webclient.auth import IdentityUnavailableError, NoIdentityError, SavedIdentities
from webclient.auth.oidc_provider import Finished
from webclient.auth.oidc_provider.provider import Provider
from webclient.domain.model import Person, SavedIdentity, now
from webclient.servers.config_file import ServerConfig
from webclient.store import Store

ADA = Person(issuer=ISSUER, subject="ada")
OWN = {"Sec-Fetch-Site": "same-origin"}


@dataclass
class Saved:
    """The ID tokens of Ada, and the provider that renews them."""

    store: Store
    fake: FakeProvider
    identities: SavedIdentities
    user_id: str

    async def save(self, seconds: float, refresh: str | None = "r") -> None:
        """Save an ID token that ends then."""
        self.fake.refresh = refresh
        finished = Finished(
            person=ADA,
            page="/",
            id_token="first",
            provider_session="s1",
            ends_at=now() + timedelta(seconds=seconds),
            refresh_token=refresh,
        )
        await self.identities.save(self.user_id, finished)

    async def stored(self) -> SavedIdentity | None:
        """Return the row."""
        return await self.store.saved_identities.get(self.user_id)


@pytest.fixture
async def saved(store: Store, tmp_path: Path) -> Saved:
    return await made(store, tmp_path, FakeProvider())


async def made(store: Store, folder: Path, fake: FakeProvider, **settings: Any) -> Saved:
    """Return the ID tokens that are saved with these settings."""
    provider = Provider(oidc_settings(folder, fake, **settings), fake.transport)
    user = await store.users.recognise(ADA)
    return Saved(store, fake, SavedIdentities(store.saved_identities, provider, lambda: True), user.id)


@pytest.mark.anyio
async def test_a_valid_id_token_is_used_as_it_is(saved: Saved) -> None:
    with pytest.raises(NoIdentityError):
        await saved.identities.of(saved.user_id)
    await saved.save(300)
    proved = await saved.identities.of(saved.user_id)
    assert proved.id_token == "first"
    assert (proved.client.client_id, proved.client.token_endpoint) == ("inbox", f"{ISSUER}/token")
    assert saved.fake.fetched("/token") == 0


@pytest.mark.anyio
async def test_an_ending_id_token_is_renewed_once_for_all(saved: Saved) -> None:
    """OpenID Connect Core 1.0, section 12."""
    await saved.save(10)
    proved = await asyncio.gather(*(saved.identities.of(saved.user_id) for _ in range(5)))
    [token] = {each.id_token for each in proved}
    assert jwt.decode(token, options={"verify_signature": False})["sub"] == "ada"
    assert saved.fake.fetched("/token") == 1
    row = await saved.stored()
    assert row
    assert (row.id_token, row.refresh_token, row.version) == (token, "r+", 1)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "spoil",
    [
        lambda fake: setattr(fake, "refresh", "another"),
        lambda fake: setattr(fake, "claims", {"sub": "bob"}),
        lambda fake: setattr(fake, "claims", {"aud": "another"}),
        lambda fake: setattr(fake, "lifetime", {"id_token": None}),
        lambda fake: setattr(fake, "claims", {"groups": ["alumni"]}),
    ],
    ids=["refused", "of another user", "for another client", "none", "left the group"],
)
async def test_an_id_token_that_is_not_renewed_is_given_up(
    store: Store, tmp_path: Path, spoil: Callable[[FakeProvider], None]
) -> None:
    saved = await made(store, tmp_path, FakeProvider(), oidc_allowed_groups=["staff"])
    await saved.save(10)
    spoil(saved.fake)
    with pytest.raises(NoIdentityError):
        await saved.identities.of(saved.user_id)
    assert await saved.stored() is None


@pytest.mark.anyio
async def test_an_id_token_without_a_way_to_renew_it_ends(saved: Saved) -> None:
    await saved.save(10, refresh=None)
    with pytest.raises(NoIdentityError):
        await saved.identities.of(saved.user_id)
    assert await saved.stored() is None


@pytest.mark.anyio
@pytest.mark.parametrize("broken", [httpx2.Response(503), httpx2.ConnectError("down")])
async def test_a_provider_that_is_down_takes_nothing(saved: Saved, broken: Any) -> None:
    await saved.save(10)
    saved.fake.broken = broken
    with pytest.raises(IdentityUnavailableError):
        await saved.identities.of(saved.user_id)
    assert await saved.stored()
    saved.fake.broken = None
    assert (await saved.identities.of(saved.user_id)).id_token != "first"


@pytest.mark.anyio
async def test_an_id_token_of_another_provider_is_not_used(saved: Saved) -> None:
    await saved.save(300)
    row = await saved.stored()
    assert row
    await saved.store.saved_identities.save(replace(row, issuer="https://before.example.com"))
    with pytest.raises(NoIdentityError):
        await saved.identities.of(saved.user_id)


def row_of(front: Front) -> SavedIdentity | None:
    """Return what is saved of the signed-in user."""
    store = front.client.app.state.services.store  # type: ignore[attr-defined]
    found: SavedIdentity | None = front.client.portal.call(store.saved_identities.get, front.me()["user_id"])  # type: ignore[union-attr]
    return found


def test_an_id_token_that_no_server_needs_is_not_saved(front: Front) -> None:
    front.sign_in()
    assert row_of(front) is None


def test_a_sign_in_is_kept_until_the_provider_ends_it(make: Make) -> None:
    transport = {"type": "http", "url": "http://127.0.0.1:1/mcp"}
    opened = ServerConfig(
        name="payroll", label="payroll", transport=transport, shown=transport, oauth={"grant": "enterprise"}
    )
    front = make(FakeProvider(refresh="r"), configured=[opened])
    front.sign_in()
    row = row_of(front)
    assert row
    assert (row.subject, row.provider_session, row.refresh_token) == ("ada", "s1", "r")
    user = front.me()["user_id"]
    token = front.fake.logout_token()
    assert front.client.post("/auth/backchannel-logout", data={"logout_token": token}).status_code == 200
    store = front.client.app.state.services.store  # type: ignore[attr-defined]
    assert front.client.portal.call(store.saved_identities.get, user) is None  # type: ignore[union-attr]


def test_a_signed_in_browser_can_renew_its_sign_in(front: Front) -> None:
    front.sign_in()
    headers = OWN | {"Accept": "text/html", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    plain = front.client.get("/auth/login", headers=headers)
    assert plain.headers["location"] == "/"
    renewed = front.client.get("/auth/login", params={"renew": "true", "next": "/servers"}, headers=headers)
    assert renewed.headers["location"].startswith(f"{ISSUER}/authorize")
