"""A sign-in that a test completes by hand, in the place of one at an authorization server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from webclient.domain.errors import SignInFailedError
from webclient.domain.model import Reason, ReasonCode, Unauthorized


class SignInByHand:
    """The sign-in of one user to one server (`protocol.Authorization`).

    `current` is the token that requests are sent with, `renewed` are the tokens that it can be renewed to without the
    user. `wanted` is set while the user is asked; `refusals` are all that was reported.
    """

    def __init__(self, token: str | None = None, renewed: Sequence[str] = ()) -> None:
        self.current = token
        self.renewed = list(renewed)
        self.refusals: list[Unauthorized] = []
        self.accepted_tokens: set[str] = set()
        self.wanted = asyncio.Event()
        self._ended = asyncio.Event()
        self._failed = False

    async def token(self) -> str | None:
        """Return the token for the next request."""
        return self.current

    def headers(self, token: str, method: str, url: str) -> Mapping[str, str]:  # noqa: ARG002
        """Return the header of a token that is bound to nothing."""
        return {"authorization": f"Bearer {token}"}

    def note_nonce(self, nonce: str) -> None:
        """Ignore the nonce of a server."""

    def accepted(self, token: str) -> None:
        """Note that the server has accepted a token."""
        self.accepted_tokens.add(token)

    async def after(self, refusal: Unauthorized, *, may_ask: bool) -> str | None:
        """Return another token if there is one; otherwise ask the user, if that is allowed."""
        self.refusals.append(refusal)
        if self.current and self.current != refusal.token:
            return self.current
        if self.renewed and refusal.status == 401:
            self.current = self.renewed.pop(0)
            return self.current
        if may_ask and not self.wanted.is_set():
            self._ended.clear()
            self.wanted.set()
        return None

    async def until_signed_in(self) -> None:
        """Wait until the test has signed in or denied, if the user was asked."""
        if self.wanted.is_set():
            await self._ended.wait()
        if self._failed or self.current is None:
            raise SignInFailedError(Reason(ReasonCode.SIGN_IN_REQUIRED))

    def sign_in(self, token: str) -> None:
        """Sign in; requests are sent with `token` from now on."""
        self.current = token
        self._end(failed=False)

    def deny(self) -> None:
        """Deny what the server wants."""
        self._end(failed=True)

    def _end(self, *, failed: bool) -> None:
        self._failed = failed
        self.wanted.clear()
        self._ended.set()
