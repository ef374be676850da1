"""A store, a hub and `SignIns` whose requests go to the provider of the test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from tests.oauth.provider import RESOURCE_METADATA, SERVER, Provider
from webclient.domain.model import LOCAL_USER, Auth, Json, PendingSignIn, ReasonCode, Server, Unauthorized
from webclient.servers.sign_in import Finished, ProtectedServer, SignIns
from webclient.settings import Settings, load_settings
from webclient.store import Store
from webclient.store.live import Hub

CHALLENGE = f'Bearer resource_metadata="{RESOURCE_METADATA}"'
REDIRECT_URI = "http://127.0.0.1:8765/oauth/callback"
PATIENCE = 120
"""Seconds after which a test is stuck."""


@dataclass
class Desk:
    """A user's sign-ins to one server, and the provider behind it."""

    store: Store
    provider: Provider
    settings: Settings
    server: ProtectedServer
    hub: Hub
    sign_ins: SignIns

    @property
    def auth(self) -> Auth:
        """Where the sign-in stands."""
        return self.sign_ins.auth_of(self.server.key)

    async def refused(
        self, challenge: str = CHALLENGE, *, status: int = 401, token: str | None = None, may_ask: bool = True
    ) -> str | None:
        """Let the server refuse a request; return the token to send it again with."""
        refusal = Unauthorized(status=status, challenges=(challenge,) if challenge else (), token=token)
        return await self.sign_ins.authorization_for(self.server).after(refusal, may_ask=may_ask)

    async def token(self) -> str | None:
        """Return the token of the next request."""
        return await self.sign_ins.authorization_for(self.server).token()

    def accept(self, token: str | None) -> None:
        """Let the server accept a request with a token."""
        self.sign_ins.authorization_for(self.server).accepted(str(token))

    async def until(self, condition: Callable[[Auth], Any]) -> Auth:
        """Wait until the sign-in stands as in `condition`."""
        with anyio.fail_after(PATIENCE), self.hub.subscribe(self.server.user_id) as events:
            while not condition(self.auth):
                await anext(events)
        return self.auth

    async def wanted(self) -> PendingSignIn:
        """Wait until the user can sign in."""
        auth = await self.until(lambda auth: auth.wanted or auth.error)
        assert auth.wanted, auth.error
        return auth.wanted

    async def failure(self) -> ReasonCode:
        """Wait until the sign-in has failed, and return why."""
        auth = await self.until(lambda auth: auth.error)
        assert auth.error
        return auth.error.code

    async def come_back(self, **changes: str | None) -> Finished:
        """Let the user allow the wanted sign-in, and come back with these parameters changed."""
        pending = await self.wanted()
        return await self.sign_ins.finish(self.provider.authorize(pending.authorization_url, **changes), None, None)

    async def sign_in(self, challenge: str = CHALLENGE) -> str:
        """Sign in as a user does, and return the token, which the server accepts."""
        await self.refused(challenge)
        finished = await self.come_back()
        assert finished.reason is None
        token = await self.token()
        assert token
        self.accept(token)
        return token

    async def restart(self) -> None:
        """End the process, and start another one with the same database."""
        await self.sign_ins.close()
        await self.use(self.server.oauth)

    async def use(self, oauth: Json, **settings: Any) -> None:
        """Use these settings of the server and of the program."""
        self.settings = self.settings.model_copy(update=settings)
        self.server = replace(self.server, oauth=oauth)
        self.sign_ins = make(self.store, self.hub, self.settings, self.provider)
        await self.sign_ins.load(LOCAL_USER)


def make(store: Store, hub: Hub, settings: Settings, provider: Provider) -> SignIns:
    """Return sign-ins whose requests go to the provider."""
    return SignIns(store, hub, settings, transport_of=lambda _zones: httpx2.MockTransport(provider.handle))


@pytest.fixture
async def desk(store: Store, tmp_path: Path) -> AsyncIterator[Desk]:
    """A server that was added, and to which no user is signed in."""
    row = Server(user_id=LOCAL_USER, label="travel", transport={"type": "http", "url": SERVER})
    await store.of(LOCAL_USER).servers.add(row)
    provider, hub, settings = Provider(), Hub(), load_settings(data_dir=tmp_path)
    server = ProtectedServer(user_id=LOCAL_USER, server_id=row.id, url=SERVER)
    desk = Desk(store, provider, settings, server, hub, make(store, hub, settings, provider))
    await desk.sign_ins.load(LOCAL_USER)
    yield desk
    await desk.sign_ins.close()
