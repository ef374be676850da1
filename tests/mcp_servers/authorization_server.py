"""An authorization server for the server behind a `TokenProxy` (OAuth 2.1, RFC 7591, RFC 8414, RFC 9728)."""

from __future__ import annotations

import asyncio
import json
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.mcp_servers.token_proxy import TokenProxy
from webclient.domain.model import Json

METADATA = "/.well-known/oauth-protected-resource/mcp"
MORE = "files:write"
"""The scope of the proxy's `larger` tokens."""


class AuthorizationServer:
    """Gives tokens for the server behind `proxy`.

    `registered` counts its clients, `authorized` the sign-ins that a person completed, `renewed` the renewals of
    tokens; `revoked` are the tokens that were revoked.
    """

    def __init__(self, proxy: TokenProxy) -> None:
        self.proxy = proxy
        self.address = ""
        self.registered = 0
        self.authorized = 0
        self.renewed = 0
        self.revoked: list[str] = []
        self.tokens: list[str] = []
        self._codes: dict[str, dict[str, str]] = {}
        self._refresh: dict[str, str] = {}

    def authorize(self, url: str, **changes: str) -> str:
        """Let a person allow the sign-in at `url`; return the query of the way back, with these changes."""
        given = dict(parse_qsl(urlsplit(url).query))
        code = f"code-{len(self._codes)}"
        self._codes[code] = given
        self.authorized += "error" not in changes
        query = {"code": code, "state": given["state"], "iss": self.address} | changes
        return urlencode({name: value for name, value in query.items() if not ("error" in changes and name == "code")})

    def end_tokens(self) -> None:
        """Let the server behind the proxy accept none of the tokens any more."""
        self.proxy.tokens = set()
        self.proxy.larger = set()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one connection."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
            headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            status, answer = self._answer(urlsplit(first.split(" ")[1]).path, body.decode())
            text = json.dumps(answer)
            head = f"HTTP/1.1 {status} So\r\nContent-Type: application/json\r\nConnection: close\r\n"
            writer.write(f"{head}Content-Length: {len(text)}\r\n\r\n{text}".encode())
            await writer.drain()
        writer.close()

    def _answer(self, path: str, body: str) -> tuple[int, Json]:
        form = dict(parse_qsl(body))
        match path:
            case "/.well-known/oauth-protected-resource/mcp":
                return 200, {"resource": self.proxy.address, "authorization_servers": [self.address]}
            case "/.well-known/oauth-authorization-server":
                return 200, self._metadata
            case "/register":
                self.registered += 1
                return 201, json.loads(body) | {"client_id": f"client-{self.registered}"}
            case "/token":
                return self._token(form)
            case "/revoke":
                self.revoked.append(form["token"])
                return 200, {}
        return 404, {}

    @property
    def _metadata(self) -> Json:
        endpoints = {"authorization": "authorize", "token": "token", "registration": "register", "revocation": "revoke"}
        return {
            "issuer": self.address,
            **{f"{name}_endpoint": f"{self.address}/{path}" for name, path in endpoints.items()},
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
            "authorization_response_iss_parameter_supported": True,
        }

    def _token(self, form: dict[str, str]) -> tuple[int, Json]:
        if form["grant_type"] == "refresh_token":
            scope = self._refresh.pop(form["refresh_token"], None)
            if scope is None:
                return 400, {"error": "invalid_grant"}
            self.renewed += 1
            return 200, self._new_token(scope)
        given = self._codes.pop(form["code"], None)
        digest = urlsafe_b64encode(sha256(form["code_verifier"].encode()).digest()).decode().rstrip("=")
        if given is None or given["code_challenge"] != digest or given["redirect_uri"] != form["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        return 200, self._new_token(given.get("scope", ""))

    def _new_token(self, scope: str) -> Json:
        number = len(self.tokens)
        token, refresh = f"access-token-number-{number}", f"refresh-token-number-{number}"
        self.tokens.append(token)
        self._refresh[refresh] = scope
        (self.proxy.larger if MORE in scope.split() else self.proxy.tokens).add(token)
        return {
            "access_token": token,
            "refresh_token": refresh,
            "token_type": "Bearer",
            "expires_in": 3600,
            "scope": scope,
        }


@asynccontextmanager
async def authorization_server(proxy: TokenProxy) -> AsyncIterator[AuthorizationServer]:
    """Run an authorization server, which this proxy names in its refusals."""
    server = AuthorizationServer(proxy)
    listening = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    server.address = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    metadata = f'resource_metadata="{server.address}{METADATA}"'
    proxy.challenge = f"Bearer {metadata}"
    proxy.by_scope = f'Bearer error="insufficient_scope", scope="{MORE}", {metadata}'
    try:
        yield server
    finally:
        listening.close()
