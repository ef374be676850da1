"""`python -m tests.oidc_provider.company IDP CLIENT SECRET`: an MCP server that its company opens, and its own OAuth.

Its authorization server takes assertions of the identity provider IDP about users, for itself, for this client and for
this server, and gives tokens for them. It also has registration and a page of consent, which users of a company must
never see: /test/consents counts visits. The tool `who` says who calls.
"""

from __future__ import annotations

import sys
from base64 import b64decode
from contextvars import ContextVar
from functools import cache
from secrets import token_urlsafe
from urllib.parse import parse_qsl, unquote

import jwt
from mcp.server.mcpserver import MCPServer
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from webclient.demo.serving import HOST, serve_http
from webclient.domain.model import Json

RESOURCE_METADATA = "/.well-known/oauth-protected-resource/mcp"
SERVER_METADATA = "/.well-known/oauth-authorization-server"
JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"

_CALLER: ContextVar[str] = ContextVar("caller")


def create_server() -> MCPServer[None]:
    """Return the server with its tool."""
    server: MCPServer[None] = MCPServer(name="company", title="Company", version="1.0", log_level="CRITICAL")

    @server.tool()
    def who() -> str:
        """Return the subject of the caller."""
        return _CALLER.get()

    return server


class Guard:
    """The authorization server, and what keeps requests without its tokens from the MCP server."""

    def __init__(self, app: ASGIApp, provider: str, client: str, secret: str) -> None:
        self._app = app
        self._provider = provider
        self._client = client
        self._secret = secret
        self._tokens: dict[str, str] = {}
        self._revoked: list[str] = []
        self._consents = 0
        self._used: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        base = f"http://{Headers(scope=scope)['host']}"
        answer = await self._answer(request, base)
        if answer is not None:
            await answer(scope, receive, send)
            return
        caller = self._tokens.get(Headers(scope=scope).get("authorization", "").removeprefix("Bearer "))
        if caller is None:
            challenge = f'Bearer resource_metadata="{base}{RESOURCE_METADATA}"'
            await Response(status_code=401, headers={"WWW-Authenticate": challenge})(scope, receive, send)
            return
        _CALLER.set(caller)
        await self._app(scope, receive, send)

    async def _answer(self, request: Request, base: str) -> Response | None:  # noqa: PLR0911  (one for each path)
        match request.url.path:
            case "/token":
                return self._token(request, dict(parse_qsl((await request.body()).decode())), base)
            case "/revoke":
                token = dict(parse_qsl((await request.body()).decode()))["token"]
                self._tokens.pop(token, None)
                self._revoked.append(token)
                return Response()
            case "/authorize" | "/register":
                self._consents += 1
                return Response(status_code=403)
            case "/test/consents":
                return JSONResponse(self._consents)
            case "/test/revoked":
                return JSONResponse(len(self._revoked))
            case path if path == RESOURCE_METADATA:
                return JSONResponse({"resource": f"{base}/mcp", "authorization_servers": [base]})
            case path if path == SERVER_METADATA:
                return JSONResponse(
                    {
                        "issuer": base,
                        "token_endpoint": f"{base}/token",
                        "revocation_endpoint": f"{base}/revoke",
                        "authorization_endpoint": f"{base}/authorize",
                        "registration_endpoint": f"{base}/register",
                        "response_types_supported": ["code"],
                        "code_challenge_methods_supported": ["S256"],
                        "grant_types_supported": ["authorization_code", JWT_BEARER],
                        "token_endpoint_auth_methods_supported": ["client_secret_basic", "none"],
                    }
                )
        return None

    def _token(self, request: Request, form: Json, base: str) -> Response:
        pair = b64decode(request.headers.get("authorization", "").removeprefix("Basic ")).decode()
        if [unquote(part) for part in pair.split(":")] != [self._client, self._secret]:
            return JSONResponse({"error": "invalid_client"}, 401)
        if form.get("grant_type") != JWT_BEARER:
            return JSONResponse({"error": "unsupported_grant_type"}, 400)
        try:
            subject = self._subject(form["assertion"], base)
        except (jwt.PyJWTError, KeyError):
            return JSONResponse({"error": "invalid_grant"}, 400)
        token = token_urlsafe()
        self._tokens[token] = subject
        return JSONResponse({"access_token": token, "token_type": "Bearer", "expires_in": 3600})

    def _subject(self, assertion: str, base: str) -> str:
        """Return whom an assertion is about. Raises PyJWTError if it is not for this server, or was used."""
        key = _keys(self._provider).get_signing_key_from_jwt(assertion).key
        claims = jwt.decode(
            assertion,
            key,
            ["RS256"],
            audience=base,
            issuer=self._provider,
            options={"require": ["iss", "sub", "aud", "exp", "iat", "jti", "client_id"]},
        )
        is_ours = claims["client_id"] == self._client and claims.get("resource") == f"{base}/mcp"
        if not is_ours or jwt.get_unverified_header(assertion)["typ"] != "oauth-id-jag+jwt":
            raise jwt.InvalidTokenError("for something else")
        if claims["jti"] in self._used:
            raise jwt.InvalidTokenError("used")
        self._used.add(claims["jti"])
        return str(claims["sub"])


@cache
def _keys(issuer: str) -> jwt.PyJWKClient:
    return jwt.PyJWKClient(f"{issuer}/jwks")


if __name__ == "__main__":
    app = create_server().streamable_http_app(host=HOST)
    app.add_middleware(Guard, provider=sys.argv[1], client=sys.argv[2], secret=sys.argv[3])
    serve_http(app, port=0, announce="Listening", path="/mcp")
