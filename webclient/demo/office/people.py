"""People: known over MCP by the access token, and in the browser by the session cookie; both lead to the same `sub`.

In a real deployment an authorization server issues the tokens (MCP, Authorization) and signs the browser in. Here the
tokens are known beforehand, and signing in is a click. Nothing that a client says of itself is believed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hmac import compare_digest

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

PEOPLE = {"alice": "Alice", "bob": "Bob"}
"""The demo's people: `sub`, which never changes, and name."""


@dataclass(frozen=True, slots=True)
class Requester:
    """The source of a call over MCP: person and client, from the token, and the session, if there are any.

    A session id is there to tell two sessions of one person apart, and never to tell who it is.
    """

    sub: str
    client: str
    session: str | None


class Tokens(TokenVerifier):
    """Knows the access token of each person. In a real deployment: checks a JWT, or asks the authorization server."""

    def __init__(self, tokens: Mapping[str, str], issuer: str) -> None:
        self._tokens = tokens
        self._issuer = issuer

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the person of a token; None, and with it 401, for an unknown one."""
        for sub, known in self._tokens.items():
            if compare_digest(token.encode(), known.encode()):
                return AccessToken(
                    token=token, client_id="demo-client", scopes=[], subject=sub, claims={"iss": self._issuer}
                )
        return None


def requester(ctx: Context) -> Requester:
    """Return who makes this call."""
    token = get_access_token()
    if token is None or token.subject is None:
        raise ToolError("This tool needs to know who you are; the client sent no access token.")
    # The SDK has checked that the session belongs to the token's person; 2026-07-28 has no sessions.
    session = (ctx.headers or {}).get("mcp-session-id")
    return Requester(token.subject, token.client_id, session)
