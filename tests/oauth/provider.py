"""A protected MCP server and its authorization server, in this process, with a switch for each fault."""

from __future__ import annotations

import json
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import httpx2

from webclient.domain.model import Json

ISSUER = "http://127.0.0.1:9000"
SERVER = "http://127.0.0.1:9001/mcp"
RESOURCE_METADATA = "http://127.0.0.1:9001/.well-known/oauth-protected-resource/mcp"
SERVER_METADATA = f"{ISSUER}/.well-known/oauth-authorization-server"

Answer = httpx2.Response | Callable[[httpx2.Request], httpx2.Response]


@dataclass
class Code:
    """A code that the authorization server gave for these parameters."""

    parameters: dict[str, str]
    scope: str


@dataclass
class Provider:
    """Both servers. `answers` replaces the answer of one address; the rest are what the servers say and require."""

    issuer: str = ISSUER
    resource: Json = field(default_factory=dict)
    metadata: Json = field(default_factory=dict)
    registered: Json = field(default_factory=dict)
    token: Json = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    client_id: str = "registered-1"
    secret: str | None = None
    rotates: bool = True
    grants_only: str | None = None
    iss: str | None = ""
    requests: list[tuple[str, str, Json]] = field(default_factory=list)
    codes: dict[str, Code] = field(default_factory=dict)
    access: dict[str, str] = field(default_factory=dict)
    refresh: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    revoked: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Describe both servers as the specification asks."""
        self.resource = {"resource": SERVER, "authorization_servers": [self.issuer]} | self.resource
        self.metadata = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "registration_endpoint": f"{self.issuer}/register",
            "revocation_endpoint": f"{self.issuer}/revoke",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
            "authorization_response_iss_parameter_supported": True,
        } | self.metadata

    def handle(self, request: httpx2.Request) -> httpx2.Response:
        """Answer a request, as a transport does: with a body that was not read yet."""
        found = self._answered(request)
        return httpx2.Response(found.status_code, headers=found.headers, stream=httpx2.ByteStream(found.content))

    def _answered(self, request: httpx2.Request) -> httpx2.Response:
        url, body = str(request.url), _body(request)
        self.requests.append((request.method, url, body))
        if url in self.answers:
            answer = self.answers[url]
            return answer if isinstance(answer, httpx2.Response) else answer(request)
        routes: dict[str, Callable[[httpx2.Request, Json], httpx2.Response]] = {
            SERVER: lambda *_: httpx2.Response(401, headers={"www-authenticate": "Bearer"}),
            RESOURCE_METADATA: lambda *_: _json(self.resource),
            f"{self.issuer}/.well-known/oauth-authorization-server": lambda *_: _json(self.metadata),
            f"{self.issuer}/register": self._register,
            f"{self.issuer}/token": self._token,
            f"{self.issuer}/revoke": self._revoke,
        }
        return routes[url](request, body) if url in routes else httpx2.Response(404)

    def authorize(self, url: str, **changes: str | None) -> str:
        """Let a person allow the sign-in at `url`; return the query of the way back, with these parameters changed."""
        given = dict(parse_qsl(urlsplit(url).query))
        assert url.startswith(self.metadata["authorization_endpoint"])
        assert given["response_type"] == "code"
        assert given["code_challenge_method"] == "S256"
        code = self._new("code")
        self.codes[code] = Code(given, given.get("scope", "") if self.grants_only is None else self.grants_only)
        iss = self.metadata["issuer"] if self.iss == "" else self.iss
        query = {"code": code, "state": given["state"], "iss": iss} | changes
        self.secrets += [given["state"]]
        return urlencode({name: value for name, value in query.items() if value is not None})

    def posted(self, path: str) -> list[Json]:
        """Return the bodies that were posted to an endpoint of the authorization server."""
        return [body for method, url, body in self.requests if method == "POST" and url == f"{self.issuer}{path}"]

    def fetched(self) -> list[str]:
        """Return the addresses that were fetched."""
        return [url for method, url, _body in self.requests if method == "GET"]

    def accepts(self, token: str | None) -> bool:
        """Return whether the MCP server accepts a token."""
        return token in self.access

    def _new(self, kind: str) -> str:
        self.secrets.append(f"{kind}-{len(self.secrets)}-of-the-provider")
        return self.secrets[-1]

    def _register(self, _request: httpx2.Request, body: Json) -> httpx2.Response:
        answer = {"client_id": self.client_id, "token_endpoint_auth_method": body["token_endpoint_auth_method"]}
        if self.secret:
            answer |= {"client_secret": self.secret, "token_endpoint_auth_method": "client_secret_basic"}
        return _json({**answer, "redirect_uris": body["redirect_uris"], **self.registered}, 201)

    def _token(self, request: httpx2.Request, body: Json) -> httpx2.Response:
        if error := self._wrong_client(request, body):
            return _error(error, 401)
        match body["grant_type"]:
            case "authorization_code":
                return self._exchange(body)
            case "refresh_token":
                return self._renew(body)
            case "client_credentials" | "urn:ietf:params:oauth:grant-type:jwt-bearer":
                return self._issue(body.get("scope", ""), refresh=False)
        return _error("unsupported_grant_type")

    def _wrong_client(self, request: httpx2.Request, body: Json) -> str | None:
        client_id, secret = body.get("client_id"), body.get("client_secret")
        if (given := request.headers.get("authorization", "")).startswith("Basic "):
            client_id, _colon, secret = b64decode(given[6:]).decode().partition(":")
            client_id, secret = unquote(client_id), unquote(secret)
        if "client_assertion" in body:
            return None
        return None if (client_id, secret) == (self.client_id, self.secret) else "invalid_client"

    def _exchange(self, body: Json) -> httpx2.Response:
        code = self.codes.pop(body["code"], None)
        if code is None:
            return _error("invalid_grant")
        challenge = urlsafe_b64encode(sha256(body["code_verifier"].encode()).digest()).decode().rstrip("=")
        self.secrets.append(body["code_verifier"])
        same = all(body.get(name) == code.parameters.get(name) for name in ("redirect_uri", "resource"))
        if challenge != code.parameters["code_challenge"] or not same:
            return _error("invalid_grant")
        return self._issue(code.scope)

    def _renew(self, body: Json) -> httpx2.Response:
        token = body["refresh_token"]
        if token in self.used:
            # Reuse: the whole family is revoked (RFC 9700, section 4.14.2).
            self.refresh.clear()
            self.access.clear()
        if token not in self.refresh:
            return _error("invalid_grant")
        scope = self.refresh[token]
        if not self.rotates:
            return self._issue(scope, refresh=False)
        self.used.add(token)
        del self.refresh[token]
        return self._issue(scope)

    def _issue(self, scope: str, *, refresh: bool = True) -> httpx2.Response:
        access = self._new("access")
        self.access[access] = scope
        answer: Json = {"access_token": access, "token_type": "Bearer", "expires_in": 3600, "scope": scope}
        if refresh:
            answer["refresh_token"] = token = self._new("refresh")
            self.refresh[token] = scope
        answer |= self.token
        return _json({name: value for name, value in answer.items() if value is not None})

    def _revoke(self, _request: httpx2.Request, body: Json) -> httpx2.Response:
        self.revoked.append(body["token"])
        return httpx2.Response(200)


def answer(body: Any, status: int = 200) -> httpx2.Response:
    """Return a JSON answer for the switch `answers`."""
    return _json(body, status)


def error(code: str, status: int = 400) -> httpx2.Response:
    """Return an error of a token endpoint for the switch `answers`."""
    return _error(code, status)


def _body(request: httpx2.Request) -> Json:
    if request.headers.get("content-type", "").startswith("application/json"):
        loaded: Json = json.loads(request.content)
        return loaded
    return dict(parse_qsl(request.content.decode()))


def _json(body: Any, status: int = 200) -> httpx2.Response:
    return httpx2.Response(status, json=body)


def _error(code: str, status: int = 400) -> httpx2.Response:
    return _json({"error": code, "error_description": "SECRET of an answer"}, status)
