"""Renews tokens before they end: once for all connections and processes, and without losing a rotated one.

OAuth 2.1, section 4.3; an authorization server may revoke all tokens if one refresh token is used twice.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextvars import Context
from datetime import timedelta
from typing import NamedTuple

import anyio

from webclient.domain.model import Grant, Reason, ReasonCode, ServerKey, SignInStepKind, now
from webclient.servers.sign_in.auth_states import AuthStates
from webclient.servers.sign_in.errors import RefusedGrantError, SignInError
from webclient.servers.sign_in.fetching import Fetching
from webclient.servers.sign_in.grants import endpoint_of, refresh_of, renewed, with_resource
from webclient.servers.sign_in.proofs import INVALID_PROOF, NONCE_WANTED
from webclient.servers.sign_in.protected_server import ProtectedServer
from webclient.servers.sign_in.registration import Registrar
from webclient.servers.sign_in.token_endpoint import request_tokens
from webclient.store import StorageError, Store
from webclient.support import background

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=30)
"""How long one process may take; a request takes half of that at most."""

PAUSE = 5.0
"""Seconds after a failed attempt in which there is no other one."""

POLL = 0.25
"""Seconds between two looks at a row that another process renews."""

_TEMPORARY = ("temporarily_unavailable", "server_error", "slow_down", INVALID_PROOF, NONCE_WANTED)
"""Errors that sign no user out; a proof can be refused because of a clock."""


class _Failure(NamedTuple):
    reason: Reason
    at: float


class Renewals:
    """Renews the tokens of all servers, each in one task that all callers share."""

    def __init__(self, store: Store, states: AuthStates, fetching: Fetching, registrar: Registrar) -> None:
        self._store = store
        self._states = states
        self._fetching = fetching
        self._registrar = registrar
        self._running: dict[ServerKey, asyncio.Task[None]] = {}
        self._failures: dict[ServerKey, _Failure] = {}

    async def renew(self, server: ProtectedServer) -> Reason | None:
        """Renew the tokens of a server; return the reason if that is not possible now, but may be later.

        The states show new tokens, or that there are none any more.
        """
        failure = self._failures.get(server.key)
        if failure and time.monotonic() - failure.at < PAUSE:
            return failure.reason
        if server.key not in self._running:
            self._running[server.key] = task = background.start(
                self._renew(server), name="renew a token", context=Context()
            )
            task.add_done_callback(lambda _task: self._running.pop(server.key, None))
        # Shielded: a caller that is cancelled must not lose a rotated token for the others.
        await background.shared(self._running[server.key])
        return self._failures[server.key].reason if server.key in self._failures else None

    async def close(self) -> None:
        """Wait for renewals in progress: a rotated token that is not stored is lost."""
        if self._running:
            await asyncio.wait(self._running.values(), timeout=LEASE.total_seconds())

    def forget(self, key: ServerKey) -> None:
        """Forget that a renewal has failed."""
        self._failures.pop(key, None)

    async def _renew(self, server: ProtectedServer) -> None:
        grants = self._store.of(server.user_id).grants
        self._failures.pop(server.key, None)
        try:
            stored = await grants.get(server.server_id)
            current = self._states.of(server.key).granted
            if stored is None:
                self._states.change(server.key, granted=None)
            elif refresh_of(stored) is None:
                return
            elif current and stored.version != current.version:
                self._states.change(server.key, granted=stored)
            elif await grants.lease(server.server_id, stored.version, now() + LEASE):
                await self._renew_leased(server, stored)
            else:
                await self._wait_for_other(server, stored)
        except StorageError as error:
            self._failures[server.key] = _Failure(error.reason, time.monotonic())
        except Exception as error:  # noqa: BLE001  (a request of the user waits for it)
            # Without its message, which may quote an answer.
            logger.error("A renewal failed: %s", type(error).__name__)  # noqa: TRY400
            self._failures[server.key] = _Failure(Reason(ReasonCode.SIGN_IN_FAILED), time.monotonic())

    async def _renew_leased(self, server: ProtectedServer, grant: Grant) -> None:
        grants = self._store.of(server.user_id).grants
        try:
            fresh = await self._request(server, grant)
        except RefusedGrantError as error:
            if error.error not in _TEMPORARY:
                await grants.remove(server.server_id, refused=True)
                if error.is_client_unknown:
                    await self._registrar.remove(server.user_id, grant.issuer, grant.secrets)
                self._states.change(server.key, granted=None)
                return
            await self._failed(server, grant, error)
        except SignInError as error:
            await self._failed(server, grant, error)
        else:
            with anyio.CancelScope(shield=True):
                if await grants.renew(fresh):
                    self._states.change(server.key, granted=fresh, error=None)

    async def _request(self, server: ProtectedServer, grant: Grant) -> Grant:
        form = with_resource({"grant_type": "refresh_token", "refresh_token": refresh_of(grant)}, grant.resource)
        async with self._fetching.on_behalf_of(server.key, server.url) as fetch:
            return renewed(grant, await request_tokens(fetch, endpoint_of(grant), form, SignInStepKind.REFRESH))

    async def _failed(self, server: ProtectedServer, grant: Grant, error: SignInError) -> None:
        """Keep all: an authorization server that is down has signed no user out."""
        self._failures[server.key] = _Failure(error.reason, time.monotonic())
        await self._store.of(server.user_id).grants.end_lease(server.server_id, grant.version)

    async def _wait_for_other(self, server: ProtectedServer, grant: Grant) -> None:
        """Take the tokens that another process renews."""
        grants = self._store.of(server.user_id).grants
        with anyio.move_on_after(LEASE.total_seconds()):
            while (stored := await grants.get(server.server_id)) and stored.version == grant.version:  # noqa: ASYNC110  (of another process)
                await anyio.sleep(POLL)
            self._states.change(server.key, granted=stored)
