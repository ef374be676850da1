"""The token on each HTTP request of one connection, and what happens when the server refuses it.

The token is read for each request, so a renewed one is used at once (RFC 6750, section 2.1: in the header, never in the
address). Nothing waits for a person here but what asks to: the refused request ends with `SignInWantedError`.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from typing import TypeVar

import httpx2

from webclient.domain.errors import SignInFailedError
from webclient.domain.model import Json, Reason, ReasonCode, Unauthorized
from webclient.domain.transport_rules import has_credentials
from webclient.protocol.endpoint import Endpoint
from webclient.protocol.messages.limits import MOST_SIGN_INS
from webclient.support.background import Supervisor

T = TypeVar("T")

MOST_TOKENS = 4
"""Attempts of one request: the stored token, with another nonce, one renewed elsewhere, and one renewed for it."""

_INSUFFICIENT_SCOPE = re.compile(r'\berror\s*=\s*"?insufficient_scope\b', re.IGNORECASE)
_SENDABLE = re.compile(r"[\x20-\x7e]+")

_PROOF, _NONCE = "dpop", "dpop-nonce"
"""The headers of a token that is bound to a key (RFC 9449)."""

_FOR_THE_USER = (
    "tools/call",
    "prompts/get",
    "resources/read",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "notifications/initialized",
)
"""The methods in an established session for which a user may be asked to sign in; no user waits for the others."""


class SignInWantedError(Exception):
    """The server refused a request, with this HTTP status, and the user has to sign in first."""

    def __init__(self, status: int) -> None:
        super().__init__(f"The server wants a sign-in (HTTP {status})")
        self.status = status


class Bearer:
    """The sign-in of the connection to `endpoint`; without one, and with headers of the user's own, it does nothing."""

    def __init__(self, endpoint: Endpoint | None = None) -> None:
        self._endpoint = endpoint
        uses_sign_in = endpoint is not None and not has_credentials(endpoint.transport)
        self._authorization = endpoint.authorization if endpoint and uses_sign_in else None
        self._remaining = Supervisor()

    async def send(
        self,
        request: httpx2.Request,
        send: Callable[[httpx2.Request], Awaitable[httpx2.Response]],
        *,
        may_ask: bool,
    ) -> httpx2.Response:
        """Send a request with the token; if that is refused, once more with each other token there is.

        Raises SignInWantedError if none is accepted and the user `may_ask`ed; otherwise the refusal is returned.
        """
        if self._authorization is None:
            return await send(request)
        token = await self._authorization.token()
        for number in range(1, MOST_TOKENS + 1):
            self._put(request, token)
            response = await send(request)
            if nonce := response.headers.get(_NONCE):
                self._authorization.note_nonce(nonce)
            if (refusal := _refusal(response, token)) is None:
                if token and response.status_code != HTTPStatus.FORBIDDEN:
                    self._authorization.accepted(token)
                return response
            another = await self._authorization.after(refusal, may_ask=may_ask)
            if another is None or number == MOST_TOKENS:
                break
            await response.aclose()
            token = another
        if not may_ask:
            return response
        await response.aclose()
        raise SignInWantedError(response.status_code)

    async def after_sign_in(self, send: Callable[[], Awaitable[T]]) -> T:
        """Wait until the user has signed in, then `send` what was refused. Raises SignInFailedError."""
        for _each in range(MOST_SIGN_INS):
            if self._authorization:
                await self._authorization.until_signed_in()
            try:
                return await send()
            except SignInWantedError:
                pass
        raise SignInFailedError(Reason(ReasonCode.SIGN_IN_REQUIRED))

    def keep(self, send: Callable[[], Awaitable[T | None]], ended: Callable[[T | None], Awaitable[object]]) -> None:
        """Let `send` wait for the sign-in by itself; `ended` gets what it returns, or None if there is no sign-in."""
        self._remaining.start(self._send_later(send, ended), name="after the sign-in")

    async def _send_later(
        self, send: Callable[[], Awaitable[T | None]], ended: Callable[[T | None], Awaitable[object]]
    ) -> None:
        sent = None
        with suppress(SignInFailedError):
            sent = await self.after_sign_in(send)
        await ended(sent)

    def end(self) -> None:
        """End all that waits for the sign-in, because the session ends."""
        self._remaining.cancel()

    def refuses(self, response: httpx2.Response) -> bool:
        """Return whether the token of the request was refused, so that another may help later."""
        has_token = self._authorization is not None and "authorization" in response.request.headers
        return has_token and _refusal(response, None) is not None

    def _put(self, request: httpx2.Request, token: str | None) -> None:
        # A request that follows a redirect is a copy, with the token of the first one.
        for name in ("authorization", _PROOF):
            request.headers.pop(name, None)
        # The error for a header that cannot be sent would quote it.
        if self._endpoint and self._authorization and token and _SENDABLE.fullmatch(token):
            self._endpoint.hide(token)
            request.headers.update(self._authorization.headers(token, request.method, str(request.url)))


def may_ask(message: Json) -> bool:
    """Return whether a user may be asked to sign in for this message."""
    return message.get("method") in _FOR_THE_USER


def _refusal(response: httpx2.Response, token: str | None) -> Unauthorized | None:
    """Return the refusal of a token: 401, or 403 with `insufficient_scope` (MCP, Authorization, Error Handling)."""
    challenges = tuple(response.headers.get_list("www-authenticate"))
    by_scope = response.status_code == HTTPStatus.FORBIDDEN and any(map(_INSUFFICIENT_SCOPE.search, challenges))
    if response.status_code != HTTPStatus.UNAUTHORIZED and not by_scope:
        return None
    return Unauthorized(
        status=response.status_code,
        challenges=challenges,
        token=token,
        proof=response.request.headers.get(_PROOF),
        nonce=response.headers.get(_NONCE),
    )
