"""`python -m tests.oidc_provider.protected ISSUER`: an MCP server behind the authorization server of the tests.

It takes access tokens of that issuer for itself with the scope `mcp:use`; its tool `write` needs `mcp:write` as well.
It has several addresses: tokens for `/brief` expire soon, `/bound` takes only tokens that are bound to a key, and
`/without-pkce` names an authorization server of its own that does not announce PKCE.
"""

from __future__ import annotations

import json
import sys
from base64 import urlsafe_b64encode
from functools import cache
from hashlib import sha256

import jwt
from mcp.server.mcpserver import MCPServer
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webclient.demo.serving import HOST, serve_http
from webclient.domain.model import Json

PATHS = ("/mcp", "/brief", "/bound", "/without-pkce")
RESOURCE_METADATA = "/.well-known/oauth-protected-resource"
BOUND = "/bound"
WITHOUT_PKCE = "/without-pkce"


def create_server() -> MCPServer[None]:
    """Return the server with its tools."""
    server: MCPServer[None] = MCPServer(name="protected", title="Protected", version="1.0", log_level="CRITICAL")

    @server.tool()
    def use() -> str:
        """Do something that every signed-in user may do."""
        return "used"

    @server.tool()
    def write(text: str) -> str:
        """Do something that needs more access."""
        return f"wrote {text}"

    return server


class Guard:
    """Passes requests with a token to the server; answers the others, and describes how to get one."""

    def __init__(self, app: ASGIApp, issuer: str) -> None:
        self._app = app
        self._issuer = issuer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        base = f"http://{Headers(scope=scope)['host']}"
        path: str = scope["path"]
        if document := self._document(base, path):
            await JSONResponse(document)(scope, receive, send)
        elif path not in PATHS:
            await Response(status_code=404)(scope, receive, send)
        else:
            body = await Request(scope, receive).body()
            refusal = self._refusal(scope, base, path, body)
            if refusal:
                await refusal(scope, receive, send)
            else:
                await self._app({**scope, "path": "/mcp", "raw_path": b"/mcp"}, _again(body, receive), send)

    def _document(self, base: str, path: str) -> Json | None:
        resource = path.removeprefix(RESOURCE_METADATA)
        if resource != path and resource in PATHS:
            issuer = base + WITHOUT_PKCE if resource == WITHOUT_PKCE else self._issuer
            known: Json = {"authorization_servers": [issuer], "scopes_supported": ["mcp:use"]}
            return known | {"resource": base + resource, "dpop_bound_access_tokens_required": resource == BOUND}
        if path == f"/.well-known/oauth-authorization-server{WITHOUT_PKCE}":
            issuer = base + WITHOUT_PKCE
            endpoints = {f"{each}_endpoint": f"{issuer}/{each}" for each in ("authorization", "token", "registration")}
            return {"issuer": issuer, "response_types_supported": ["code"], **endpoints}
        return None

    def _refusal(self, scope: Scope, base: str, path: str, body: bytes) -> Response | None:
        wanted = f'resource_metadata="{base}{RESOURCE_METADATA}{path}"'
        headers = Headers(scope=scope)
        scheme, _space, token = headers.get("authorization", "").partition(" ")
        expected = "DPoP" if path == BOUND else "Bearer"
        if scheme != expected:
            return _refused(401, f'{expected} {wanted}, scope="mcp:use"')
        try:
            key = _keys(self._issuer).get_signing_key_from_jwt(token).key
            claims = jwt.decode(token, key, algorithms=["RS256"], audience=base + path, issuer=self._issuer)
            if path == BOUND:
                _check_proof(headers["dpop"], scope["method"], base + path, token, claims["cnf"]["jkt"])
        except (jwt.PyJWTError, KeyError):
            return _refused(401, f'{expected} error="invalid_token", {wanted}, scope="mcp:use"')
        if _needs(body) - set(str(claims.get("scope", "")).split()):
            return _refused(403, f'{expected} error="insufficient_scope", {wanted}, scope="{" ".join(_needs(body))}"')
        return None


def _check_proof(proof: str, method: str, url: str, token: str, thumbprint: str) -> None:
    """Check that the key of a token has signed for this request (RFC 9449, section 4.3). Raises InvalidTokenError."""
    key = jwt.get_unverified_header(proof)["jwk"]
    claims = jwt.decode(proof, jwt.PyJWK(key, "ES256").key, ["ES256"], options={"require": ["jti", "iat"]})
    if (claims["htm"], claims["htu"], claims["ath"]) != (method, url, _digest(token)):
        raise jwt.InvalidTokenError("a proof for another request")
    if _digest(json.dumps({name: key[name] for name in sorted(key)}, separators=(",", ":"))) != thumbprint:
        raise jwt.InvalidTokenError("a proof with another key")


def _digest(text: str) -> str:
    return urlsafe_b64encode(sha256(text.encode()).digest()).decode().rstrip("=")


@cache
def _keys(issuer: str) -> jwt.PyJWKClient:
    return jwt.PyJWKClient(f"{issuer}/jwks")


def _needs(body: bytes) -> set[str]:
    message = json.loads(body or b"{}")
    if message.get("method") == "tools/call" and message["params"]["name"] == "write":
        return {"mcp:write"}
    return {"mcp:use"}


def _refused(status: int, challenge: str) -> Response:
    return JSONResponse({"error": "refused"}, status, headers={"WWW-Authenticate": challenge})


def _again(body: bytes, receive: Receive) -> Receive:
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return messages.pop() if messages else await receive()

    return next_message


if __name__ == "__main__":
    app = create_server().streamable_http_app(host=HOST)
    app.add_middleware(Guard, issuer=sys.argv[1])
    serve_http(app, port=0, announce="Listening", path="/mcp")
