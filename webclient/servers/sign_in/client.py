"""This program as one authorization server knows it, and how it authenticates there."""

from __future__ import annotations

import time
from base64 import b64encode
from dataclasses import asdict, dataclass
from secrets import token_urlsafe
from typing import Any, Self
from urllib.parse import quote

import jwt

from webclient.domain.model import Json, Reason, ReasonCode
from webclient.servers.sign_in.errors import SignInError

BASIC = "client_secret_basic"
POST = "client_secret_post"
KEY = "private_key_jwt"
NONE = "none"

ASSERTION_SECONDS = 300
_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


@dataclass(frozen=True, slots=True)
class Client:
    """A client ID, and the `secret` or private `key` (PEM) with which `auth_method` proves that it is ours.

    `is_registered` says that this program registered it by itself, so that it can register again.
    """

    client_id: str
    secret: str | None = None
    auth_method: str = NONE
    key: str | None = None
    algorithm: str | None = None
    is_registered: bool = False

    @classmethod
    def of(cls, values: Json) -> Self:
        """Return the client that `as_json` gave."""
        known: Any = {name: values[name] for name in cls.__slots__ if values.get(name) is not None}
        return cls(**known)

    def as_json(self) -> Json:
        """Return the client as plain data, which is secret."""
        return asdict(self)

    def authenticated(self, form: Json, issuer: str) -> tuple[dict[str, str], Json]:
        """Return headers and form of a request to the authorization server (RFC 6749, section 2.3.1).

        The id is in the form beside Basic, too: servers made with the Python SDK do not find it otherwise.
        Raises SignInError.
        """
        if self.auth_method == KEY:
            # RFC 7523, section 2.2: the assertion names the client.
            return {}, {**form, "client_assertion_type": _ASSERTION, "client_assertion": self._assertion(issuer)}
        body = {**form, "client_id": self.client_id} if self.client_id else form
        if self.secret is None or self.auth_method == NONE:
            return {}, body
        if self.auth_method == POST:
            return {}, body | {"client_secret": self.secret}
        pair = f"{quote(self.client_id, safe='')}:{quote(self.secret, safe='')}"
        return {"authorization": f"Basic {b64encode(pair.encode()).decode()}"}, body

    def _assertion(self, issuer: str) -> str:
        """Return a signed statement that we are the client; its audience is the issuer (RFC 7523, section 3)."""
        at = int(time.time())
        claims = {
            "iss": self.client_id,
            "sub": self.client_id,
            "aud": issuer,
            "iat": at,
            "exp": at + ASSERTION_SECONDS,
            "jti": token_urlsafe(16),
        }
        try:
            return jwt.encode(claims, self.key or "", algorithm=self.algorithm or _algorithm(self.key or ""))
        # PyJWT says NotImplementedError for a name of an algorithm that it does not know.
        except (jwt.PyJWTError, ValueError, TypeError, NotImplementedError) as error:
            raise SignInError(Reason(ReasonCode.SIGN_IN_KEY_UNUSABLE)) from error


ANONYMOUS = Client("")
"""No client: the assertion of a workload says who asks."""


def _algorithm(key: str) -> str:
    """Return the usual algorithm for a private key. Raises ValueError, TypeError."""
    loaded = jwt.algorithms.ECAlgorithm(jwt.algorithms.ECAlgorithm.SHA256)
    try:
        loaded.prepare_key(key)
    except (jwt.InvalidKeyError, TypeError, ValueError):
        return "RS256"
    return "ES256"
