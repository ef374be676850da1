"""An OpenID provider in this process, with a switch for each fault; the real one is in `provider.mjs`."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe
from time import time
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2
import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from webclient.domain.model import Json
from webclient.settings import Settings, load_settings

ISSUER = "https://id.example.com"
CLIENT_ID = "inbox"
SECRET = "the secret of this client"
EVENT = "http://schemas.openid.net/event/backchannel-logout"


def new_key() -> rsa.RSAPrivateKey:
    """Return a new key for signatures."""
    return rsa.generate_private_key(65537, 2048)


FIRST_KEY = new_key()
"""The key of each provider; making one takes a while."""


@dataclass
class FakeProvider:
    """A provider; `metadata`, `claims` and `answer` change what it says, and None takes a name away."""

    metadata: Json = field(default_factory=dict)
    claims: Json = field(default_factory=dict)
    userinfo: Json = field(default_factory=dict)
    lifetime: Json = field(default_factory=lambda: {"expires_in": 300})
    answer: Json = field(default_factory=dict)
    token_headers: Json = field(default_factory=dict)
    algorithm: str = "RS256"
    key: Any = field(default_factory=lambda: FIRST_KEY)
    key_id: str = "first"
    broken: Any = None
    """An answer or an error in the place of every answer."""
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    authorization: str = ""
    secret: str | None = SECRET
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    refresh: str | None = None
    """The refresh token that is valid now; each renewal makes another one."""
    published: Any = None
    """Other keys than the one that signs."""

    def transport(self) -> httpx2.AsyncBaseTransport:
        """Return the connection to it."""
        return httpx2.MockTransport(self._respond)

    def fetched(self, path: str) -> int:
        """Return how often an address was query for."""
        return sum(query == path for query, _form in self.requests)

    def rotate(self) -> None:
        """Sign with a new key from now on."""
        self.key, self.key_id = new_key(), token_urlsafe(4)

    def authorize(self, url: str, **changed: str | None) -> dict[str, str]:
        """Let the person sign in at an address of ours; return the parameters with which they come back."""
        query = dict(parse_qsl(urlsplit(url).query))
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        code = token_urlsafe(8)
        self.codes[code] = query
        answer = {"code": code, "state": query["state"], "iss": ISSUER, **self.answer, **changed}
        return {name: value for name, value in answer.items() if value is not None}

    def logout_token(self, headers: Json | None = None, **changed: Any) -> str:
        """Return a logout token with these claims."""
        now = int(time())
        right = {"iss": ISSUER, "aud": CLIENT_ID, "iat": now, "exp": now + 120, "jti": token_urlsafe(8)}
        right |= {"events": {EVENT: {}}, "sub": "ada"}
        claims = {name: value for name, value in (right | changed).items() if value is not None}
        return jwt.encode(
            claims, self.key, self.algorithm, headers={"kid": self.key_id, "typ": "logout+jwt"} | (headers or {})
        )

    def access_token(self, *, headers: Any = None, **changed: Any) -> str:
        """Return an access token for an agent of Ada with these claims (RFC 9068)."""
        now = int(time())
        right = {"iss": ISSUER, "sub": "ada", "client_id": "claude", "iat": now, "exp": now + 300, "jti": "a"}
        claims = {name: value for name, value in (right | changed).items() if value is not None}
        all_headers = {"kid": self.key_id, "typ": "at+jwt"} | (headers or {})
        return jwt.encode(claims, self.key if self.algorithm != "none" else "", self.algorithm, headers=all_headers)

    def _respond(self, request: httpx2.Request) -> httpx2.Response:
        form = dict(parse_qsl(request.content.decode()))
        self.requests.append((request.url.path, form))
        if isinstance(self.broken, Exception):
            raise self.broken
        if self.broken is not None:
            return self.broken if isinstance(self.broken, httpx2.Response) else self.broken(request)
        match request.url.path:
            case "/.well-known/openid-configuration":
                return _json(self._description())
            case "/keys":
                return _json({"keys": [_public(self.published or self.key, self.key_id)]})
            case "/token":
                return self._token(request, form)
            case "/userinfo":
                return _json({"sub": "ada", **self.userinfo})
        return httpx2.Response(404)

    def _description(self) -> Json:
        named = {
            "issuer": ISSUER,
            "authorization_endpoint": f"{ISSUER}/authorize",
            "token_endpoint": f"{ISSUER}/token",
            "jwks_uri": f"{ISSUER}/keys",
            "userinfo_endpoint": f"{ISSUER}/userinfo",
            "end_session_endpoint": f"{ISSUER}/end",
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            "authorization_response_iss_parameter_supported": True,
            **self.metadata,
        }
        return {name: value for name, value in named.items() if value is not None}

    def _token(self, request: httpx2.Request, form: dict[str, str]) -> httpx2.Response:
        self.authorization = request.headers.get("authorization", "")
        if form.get("grant_type") == "refresh_token":
            if self.refresh is None or form["refresh_token"] != self.refresh:
                return _json({"error": "invalid_grant"}, 400)
            self.refresh += "+"
            return self._tokens({"nonce": None})
        query = self.codes.pop(form.get("code", ""), None)
        challenge = urlsafe_b64encode(sha256(form.get("code_verifier", "").encode()).digest()).decode().rstrip("=")
        if query is None or challenge != query["code_challenge"] or form["redirect_uri"] != query["redirect_uri"]:
            return _json({"error": "invalid_grant", "error_description": "<script>"}, 400)
        return self._tokens({"nonce": query["nonce"]})

    def _tokens(self, own: Json) -> httpx2.Response:
        now = int(time())
        right = {"iss": ISSUER, "sub": "ada", "aud": CLIENT_ID, "iat": now, "exp": now + 300, "sid": "s1"}
        right |= own | {"name": "Ada", "email": "ada@corp.example", "email_verified": True}
        claims = {
            name: value for name, value in (right | {"groups": ["staff"]} | self.claims).items() if value is not None
        }
        headers = {"kid": self.key_id} | self.token_headers
        token = jwt.encode(claims, self.key if self.algorithm != "none" else "", self.algorithm, headers=headers)
        given = {"access_token": "a", "token_type": "Bearer", "id_token": token, "refresh_token": self.refresh}
        given |= self.lifetime
        return _json({name: value for name, value in given.items() if value is not None})


def oidc_settings(folder: Path, fake: FakeProvider, **values: Any) -> Settings:
    """Return settings for the provider."""
    return load_settings(
        data_dir=folder,
        **{
            "identity": ["oidc"],
            "oidc_issuer": ISSUER,
            "oidc_client_id": CLIENT_ID,
            "oidc_client_secret": fake.secret,
            **values,
        },
    )


def back(answer: dict[str, str]) -> str:
    """Return the address with which the person comes back."""
    return f"/auth/callback?{urlencode(answer)}"


def _public(key: Any, key_id: str) -> Json:
    return {**RSAAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": key_id, "use": "sig"}


def _json(body: Json, status: int = 200) -> httpx2.Response:
    return httpx2.Response(status, content=json.dumps(body), headers={"content-type": "application/json"})
