"""Prepares sign-ins in the background, one at a time for each server, and ends those that no user completes."""

from __future__ import annotations

import asyncio
import logging
from contextvars import Context

import anyio

from webclient.domain.errors import NotFoundError
from webclient.domain.model import Grant, PendingSignIn, Reason, ReasonCode, ServerKey, now
from webclient.servers.sign_in.auth_states import AuthStates
from webclient.servers.sign_in.challenges import Challenge
from webclient.servers.sign_in.client_credentials import MachineGrants
from webclient.servers.sign_in.errors import CompanyDecisionError, SignInError
from webclient.servers.sign_in.preparing import Preparing
from webclient.servers.sign_in.protected_server import ProtectedServer
from webclient.store import StorageError, Store
from webclient.support.background import CancellableTask

logger = logging.getLogger(__name__)

LONGEST = 60.0
"""Seconds that preparing a sign-in may take in all."""


class Flows:
    """Work on the sign-ins of all servers. Its outcome is shown by the states."""

    def __init__(self, store: Store, states: AuthStates, preparing: Preparing, machine: MachineGrants) -> None:
        self._store = store
        self._states = states
        self._preparing = preparing
        self._machine = machine
        self._running: dict[ServerKey, CancellableTask] = {}
        self._timers: dict[ServerKey, asyncio.TimerHandle] = {}
        self._challenges: dict[ServerKey, Challenge | None] = {}

    def remember(self, key: ServerKey, challenge: Challenge | None) -> None:
        """Remember how a server refused, for a sign-in that begins later."""
        self._challenges[key] = challenge

    def begin(self, server: ProtectedServer) -> bool:
        """Prepare a sign-in; False if there is one already, which more callers join."""
        if self.is_wanted(server.key):
            return False
        self._states.change(server.key, error=None)
        # An empty context: the request that was refused has nothing to do with it.
        self._running[server.key] = CancellableTask(self._run(server), name="prepare a sign-in", context=Context())
        return True

    def is_wanted(self, key: ServerKey) -> bool:
        """Return whether a sign-in is prepared, or waits for its user."""
        return key in self._running or self._states.of(key).wanted is not None

    async def prepared(self, key: ServerKey) -> None:
        """Wait until the sign-in that is prepared now can be opened, or has failed."""
        if key in self._running:
            await self._running[key].ended()

    def watch(self, pending: PendingSignIn) -> None:
        """End a sign-in when its time is over."""
        key = (pending.user_id, pending.server_id)
        self.unwatch(key)
        seconds = (pending.expires_at - now()).total_seconds()
        self._timers[key] = asyncio.get_running_loop().call_later(max(seconds, 0), self._expire, key, pending.id)

    def unwatch(self, key: ServerKey) -> None:
        """Let the time of a sign-in be."""
        if timer := self._timers.pop(key, None):
            timer.cancel()

    async def stop(self, key: ServerKey) -> None:
        """Stop preparing, wait for the end of that, and forget how the server refused."""
        if task := self._running.get(key):
            task.stop()
            await task.ended()
            self._running.pop(key, None)
        self.unwatch(key)
        self._challenges.pop(key, None)

    async def close(self) -> None:
        """Stop everything."""
        await asyncio.gather(*(self.stop(key) for key in {*self._running, *self._timers}))

    async def _run(self, server: ProtectedServer) -> None:
        reason = await self._failure(server)
        self._running.pop(server.key, None)
        # Also without a reason: waiters look again.
        self._states.change(server.key, **({"error": reason} if reason else {}))

    async def _failure(self, server: ProtectedServer) -> Reason | None:
        """Do the work, and return why it failed, if it did."""
        try:
            with anyio.fail_after(LONGEST):
                await self._work(server)
        except (SignInError, StorageError) as error:
            return error.reason
        except TimeoutError:
            return Reason.of(ReasonCode.SIGN_IN_TIMEOUT, where=server.where)
        except NotFoundError:
            return Reason(ReasonCode.SIGN_IN_REMOVED)
        except Exception as error:  # noqa: BLE001  (all that wait must learn that it is over)
            # Without its message, which may quote an answer.
            logger.error("A sign-in failed: %s", type(error).__name__)  # noqa: TRY400
            return Reason(ReasonCode.SIGN_IN_FAILED)
        return None

    async def _work(self, server: ProtectedServer) -> None:
        user, before = self._store.of(server.user_id), self._states.of(server.key).granted
        if server.key not in self._challenges:
            self._challenges[server.key] = await self._preparing.challenge_of(server)
        challenge = self._challenges[server.key]
        if server.needs_no_person:
            grant = await self._granted(server, challenge, before)
            await user.grants.save(grant)
            self._states.change(server.key, granted=grant)
        else:
            earlier = await user.sign_ins.latest(server.server_id)
            pending = await self._preparing.prepare(server, challenge, before, _forgotten(earlier))
            await user.sign_ins.put(pending)
            self.watch(pending)
            self._states.change(server.key, wanted=pending)

    async def _granted(self, server: ProtectedServer, challenge: Challenge | None, before: Grant | None) -> Grant:
        try:
            return await self._machine.request(server, challenge, before)
        except CompanyDecisionError:
            # Tokens from before must not outlast it.
            await self._store.of(server.user_id).grants.remove(server.server_id)
            self._states.change(server.key, granted=None)
            raise

    def _expire(self, key: ServerKey, sign_in_id: str) -> None:
        wanted = self._states.of(key).wanted
        if wanted and wanted.id == sign_in_id:
            self._states.change(key, wanted=None, error=Reason(ReasonCode.SIGN_IN_EXPIRED))


def _forgotten(earlier: PendingSignIn | None) -> str | None:
    """Return the client of a sign-in that was opened, and from which no browser came back.

    An authorization server that has forgotten a client shows that on a page of its own, and sends no user back.
    """
    if earlier is None or earlier.nonce_hash is None or earlier.used_at is not None:
        return None
    return str(earlier.secrets["client"]["client_id"])
