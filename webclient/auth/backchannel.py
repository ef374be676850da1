"""Ends the sessions that the OpenID provider has ended (Back-Channel Logout 1.0)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webclient.auth.oidc import OIDC
from webclient.auth.oidc_provider import Refusal, RefusedError
from webclient.domain.model import acting_by
from webclient.store import BrowserSessions, UsedTokens

if TYPE_CHECKING:
    from webclient.auth.oidc_provider import Provider


class BackchannelLogout:
    """Takes logout tokens of the provider, each once; `used_tokens` remembers them."""

    def __init__(self, provider: Provider, sessions: BrowserSessions, used_tokens: UsedTokens) -> None:
        self._provider = provider
        self._sessions = sessions
        self._used_tokens = used_tokens

    async def end_sessions(self, logout_token: str) -> None:
        """End the sessions that a token names. Raises RefusedError."""
        logged_out = await self._provider.verify_logout(logout_token)
        issuer = f"{OIDC} {self._provider.issuer}"
        if not await self._used_tokens.use(issuer, logged_out.token_id, logged_out.forgotten_at):
            raise RefusedError(Refusal.UNUSABLE)
        with acting_by(OIDC):
            await self._sessions.end_of_provider(
                self._provider.issuer,
                subject=logged_out.subject,
                provider_session=logged_out.provider_session,
            )
