"""Asks the company again and again whether its servers are still open to their users, as long as these are connected.

Promises: who has left a group or the company loses the servers within `seconds` and the time of one request, with any
tokens that they still have; a provider that does not answer takes nothing from anyone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from time import monotonic

from webclient.domain.model import Grant, Reason, ServerKey
from webclient.servers.sign_in.auth_states import AuthStates
from webclient.servers.sign_in.enterprise import Assertions
from webclient.servers.sign_in.errors import CompanyDecisionError, RefusedGrantError, SignInError
from webclient.servers.sign_in.protected_server import ProtectedServer
from webclient.store import StorageError

logger = logging.getLogger(__name__)

LOOK = 3.0
"""Seconds between two looks at what is due; less than the seconds between two checks."""

AT_ONCE = 20
"""Requests to the provider at the same time."""

Lose = Callable[[ProtectedServer, Reason], Awaitable[None]]
"""Takes a server from its user, for a reason."""


class CompanyChecks:
    """Checks the servers that a company opens, each every so many `seconds`; those that it closes are lost."""

    def __init__(self, states: AuthStates, assertions: Assertions, seconds: float, lose: Lose) -> None:
        self._states = states
        self._assertions = assertions
        self._seconds = seconds
        self._lose = lose
        self._watched: dict[ServerKey, ProtectedServer] = {}
        self._tried_at: dict[ServerKey, float] = {}
        self._places = asyncio.Semaphore(AT_ONCE)

    def watch(self, server: ProtectedServer) -> None:
        """Check a server from now on, if the company opens it."""
        if server.opens_with_sign_in:
            self._watched[server.key] = server

    def forget(self, key: ServerKey) -> None:
        """Check a server no more."""
        self._watched.pop(key, None)
        self._tried_at.pop(key, None)
        self._assertions.vouched_at.pop(key, None)

    async def run(self) -> None:
        """Check what is due, for ever."""
        while True:
            await asyncio.sleep(min(LOOK, self._seconds))
            await self.look()

    async def look(self) -> None:
        """Check the servers that are due now."""
        await asyncio.gather(*(self._check(server) for server in tuple(self._watched.values()) if self._is_due(server)))

    def _is_due(self, server: ProtectedServer) -> bool:
        if self._states.of(server.key).granted is None:
            return False
        tried = (each.get(server.key) for each in (self._tried_at, self._assertions.vouched_at))
        latest = max((moment for moment in tried if moment is not None), default=None)
        return latest is None or monotonic() - latest >= self._seconds

    async def _check(self, server: ProtectedServer) -> None:
        async with self._places:
            grant = self._states.of(server.key).granted
            if grant is None or self._watched.get(server.key) is not server:
                return
            self._tried_at[server.key] = monotonic()
            try:
                if reason := await self._refusal(server, grant):
                    await self._lose(server, reason)
            except StorageError as error:
                logger.warning("Whether a company still opens a server is not known: %s", error.for_operator)
            except Exception as error:  # noqa: BLE001  (one server must not end the checks of the others)
                # Without its message, which may quote an answer.
                logger.error("The check of a server of the company failed: %s", type(error).__name__)  # noqa: TRY400

    async def _refusal(self, server: ProtectedServer, grant: Grant) -> Reason | None:
        """Return why the company opens a server no more, or None."""
        try:
            await self._assertions.request(server, grant.issuer, grant.resource, grant.requested, is_check=True)
        except (CompanyDecisionError, RefusedGrantError) as error:
            return error.reason
        except SignInError:
            # No answer, or one that decides nothing.
            return None
        return None
