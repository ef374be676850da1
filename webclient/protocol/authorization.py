"""The authorization of a connection: a token for each request of its HTTP client, and another after a refusal."""

from __future__ import annotations

from typing import Protocol

from webclient.domain.model import Unauthorized


class Authorization(Protocol):
    """The sign-in of one user to one server (MCP, Authorization)."""

    async def token(self) -> str | None:
        """Return the token for the next request, renewed shortly before it expires; None without one."""

    def accepted(self, token: str) -> None:
        """Note that the server has accepted a token: a later refusal means that it has ended."""

    async def after(self, refusal: Unauthorized, *, may_ask: bool) -> str | None:
        """Return another token to send the request again with; None if the user has to sign in first.

        With `may_ask` the user is asked to, without waiting for it. Returns within seconds, and never raises.
        """

    async def until_signed_in(self) -> None:
        """Wait until the wanted sign-in has ended. Raises SignInFailedError if there is no token now."""
