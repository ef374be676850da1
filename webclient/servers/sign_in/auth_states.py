"""Where the sign-in to each server stands, in memory; each change is published and wakes those that wait for it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from webclient.domain.model import Auth, PendingSignIn, ReasonCode, ServerKey
from webclient.servers.sign_in.grants import access_of
from webclient.store.live import Hub


class AuthStates:
    """The `Auth` of each server, and whether the server has accepted the token and the sign-in it came from."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._states: dict[ServerKey, Auth] = {}
        self._changed: dict[ServerKey, asyncio.Event] = {}
        self._accepted: dict[ServerKey, str] = {}
        self._nonces: dict[ServerKey, str] = {}

    def of(self, key: ServerKey) -> Auth:
        """Return where the sign-in to a server stands."""
        return self._states.get(key, _NONE)

    def load(self, key: ServerKey, **parts: Any) -> None:
        """Take parts of a state from rows; their token was used before."""
        self._states[key] = auth = replace(self.of(key), **parts)
        if access := access_of(auth.granted):
            self._accepted[key] = access

    def change(self, key: ServerKey, **parts: Any) -> None:
        """Change parts of a state, publish that, and wake all that wait."""
        self._states[key] = after = replace(self.of(key), **parts)
        if after.granted is None or ("granted" in parts and after.granted.version == 0):
            self._accepted.pop(key, None)
        self._publish(key)

    def reset(self, key: ServerKey) -> None:
        """Forget the state of a server, and publish that."""
        self.forget(key)
        self._publish(key)

    def forget(self, key: ServerKey) -> None:
        """Forget the state of a server."""
        self._states.pop(key, None)
        self._accepted.pop(key, None)
        self._nonces.pop(key, None)

    def keys_of(self, user_id: str) -> list[ServerKey]:
        """Return the servers of a user that have a state."""
        return [key for key in self._states if key[0] == user_id]

    def ended_by(self, code: ReasonCode) -> list[ServerKey]:
        """Return the servers whose sign-in has ended for this reason."""
        return [key for key, auth in self._states.items() if auth.error and auth.error.code is code]

    def _publish(self, key: ServerKey) -> None:
        self._hub.publish(key[0], "server", key[1])
        self._changed.pop(key, asyncio.Event()).set()

    def find_wanted(self, user_id: str, sign_in_id: str) -> PendingSignIn | None:
        """Return the sign-in of a user with this id that waits."""
        found = (auth.wanted for key, auth in self._states.items() if key[0] == user_id and auth.wanted)
        return next((wanted for wanted in found if wanted.id == sign_in_id), None)

    async def next_change(self, key: ServerKey) -> None:
        """Wait for a change of the state."""
        await self._changed.setdefault(key, asyncio.Event()).wait()

    def accept(self, key: ServerKey, token: str) -> None:
        """Note that the server has accepted a token of the present sign-in."""
        if token == access_of(self.of(key).granted):
            self._accepted[key] = token

    def has_accepted(self, key: ServerKey, token: str | None) -> bool:
        """Return whether the server has accepted this token."""
        return token is not None and self._accepted.get(key) == token

    def note_nonce(self, key: ServerKey, nonce: str) -> None:
        """Note the nonce that a server wants in the next proof of a bound token."""
        auth = self.of(key)
        if auth.granted and auth.granted.is_bound:
            self._nonces[key] = nonce

    def nonce_of(self, key: ServerKey) -> str | None:
        """Return the newest nonce of a server."""
        return self._nonces.get(key)

    def has_accepted_any(self, key: ServerKey) -> bool:
        """Return whether the server has accepted a token of the present sign-in."""
        return key in self._accepted


_NONE = Auth()
