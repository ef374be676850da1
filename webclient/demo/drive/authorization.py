"""The decisions of the authorization server; the SDK's handlers check client, redirect address and PKCE (S256) before.

A code is valid for one minute and one use; a second use revokes its token (RFC 6749 section 4.1.2).
Each answer names its issuer, so that a client of several servers cannot be made to confuse them (RFC 9207).
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
    construct_redirect_uri,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from webclient.demo.shelf import Shelf

CODE_SECONDS = 60
CONSENT_SECONDS = 10 * 60
TOKEN_SECONDS = 60 * 60
ROOM = 1000
"""Wishes, codes and tokens that are kept at most, of each."""


@dataclass(slots=True)
class Grant:
    """The grant behind a code, and the token that it was exchanged for, if it was."""

    wish: AuthorizationParams
    account: str
    token: str | None = None


class Authorization(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """An authorization server whose one client is known beforehand."""

    def __init__(self, issuer: str, client: OAuthClientInformationFull) -> None:
        self._issuer = issuer
        self._client = client
        self._wishes = Shelf[AuthorizationParams](seconds=CONSENT_SECONDS, room=ROOM)
        self._grants = Shelf[Grant](seconds=CODE_SECONDS, room=ROOM)
        self._tokens = Shelf[str](seconds=TOKEN_SECONDS, room=ROOM)

    def is_waiting(self, name: str) -> bool:
        """Return whether the client's request of this name waits for consent."""
        return self._wishes.get(name) is not None

    def allow(self, name: str, account: str) -> str | None:
        """Grant the wish for `account`; return where the browser takes the code, None when there is no such wish."""
        wish = self._wishes.take(name)
        return self._answer(wish, code=self._grants.put(Grant(wish, account))) if wish else None

    def refuse(self, name: str) -> str | None:
        """Refuse the wish; return where the browser goes to tell, None when there is no such wish."""
        wish = self._wishes.take(name)
        return self._answer(wish, error="access_denied") if wish else None

    def _answer(self, wish: AuthorizationParams, **answer: str) -> str:
        return construct_redirect_uri(str(wish.redirect_uri), state=wish.state, iss=self._issuer, **answer)

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        """Return the client, if it is ours."""
        return self._client if client_id == self._client.client_id else None

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:  # noqa: ARG002
        """Store the request and return the address of the consent page."""
        return f"{self._issuer}/consent?wish={self._wishes.put(params)}"

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """Return what the code stands for, unless it was used already."""
        grant = self._grants.get(authorization_code)
        if grant is None or grant.token is not None:
            self._tokens.take(grant.token if grant else None)
            return None
        return AuthorizationCode(
            code=authorization_code,
            scopes=grant.wish.scopes or [],
            expires_at=time.time() + CODE_SECONDS,
            client_id=str(client.client_id),
            code_challenge=grant.wish.code_challenge,
            redirect_uri=grant.wish.redirect_uri,
            redirect_uri_provided_explicitly=grant.wish.redirect_uri_provided_explicitly,
        )

    async def exchange_authorization_code(
        self,
        client: OAuthClientInformationFull,  # noqa: ARG002
        authorization_code: AuthorizationCode,
    ) -> OAuthToken:
        """Give a token for the code; the SDK has checked the code verifier."""
        grant = self._grants.get(authorization_code.code)
        if grant is None:
            raise TokenError("invalid_grant", "The code is over.")
        grant.token = self._tokens.put(grant.account)
        return OAuthToken(access_token=grant.token, expires_in=TOKEN_SECONDS)

    async def load_access_token(self, token: str) -> AccessToken | None:
        """Return whose the token is."""
        account = self._tokens.get(token)
        if account is None:
            return None
        return AccessToken(token=token, client_id=str(self._client.client_id), scopes=[], subject=account)

    async def load_refresh_token(
        self,
        client: OAuthClientInformationFull,  # noqa: ARG002
        refresh_token: str,  # noqa: ARG002
    ) -> RefreshToken | None:
        """There are none: when a token is over, the person is asked again."""
        return None

    async def exchange_refresh_token(
        self,
        client: OAuthClientInformationFull,  # noqa: ARG002
        refresh_token: RefreshToken,  # noqa: ARG002
        scopes: list[str],  # noqa: ARG002
    ) -> OAuthToken:
        """There are none."""
        raise TokenError("unsupported_grant_type")

    async def register_client(
        self,
        client_info: OAuthClientInformationFull,  # noqa: ARG002
    ) -> None:
        """Refuse registration: the only client is known."""
        raise RegistrationError("unapproved_software_statement", "Demo Drive takes no other clients.")

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        """Forget the token."""
        self._tokens.take(token.token)
