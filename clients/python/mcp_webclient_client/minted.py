"""The session of an application that embeds the inbox, for tokens that it mints."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from mcp_webclient_client.answers import checked
from mcp_webclient_client.http import httpx

ENDED = 401
"""The status of a request whose session has ended."""


class Minted(httpx.Auth):
    """A session for tokens that an embedding application mints: exchanged at the start, and again when it has ended."""

    requires_response_body = True

    def __init__(self, sessions: str, mint: Callable[[], str]) -> None:
        """Exchange what `mint` returns at the address `sessions`."""
        self._sessions = sessions
        self._mint = mint
        self._session: str | None = None

    def auth_flow(self, request: Any) -> Generator[Any, Any, None]:
        """Send the request as the session; a response of 500 and above of the exchange is that of the request."""
        for _ in range(2):
            if self._session is None:
                exchanged = yield httpx.Request("POST", self._sessions, json={"token": self._mint()})
                if exchanged.status_code >= 500:
                    return
                self._session = str(checked(exchanged, "token")["token"])
            request.headers["Authorization"] = f"Bearer {self._session}"
            response = yield request
            if response.status_code != ENDED:
                return
            self._session = None
