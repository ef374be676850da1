"""The address at which a user signs in, and the secrets that only we know of it (RFC 6749, 7636, 8707)."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from hashlib import sha256
from secrets import token_urlsafe
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from webclient.domain.model import Json
from webclient.servers.sign_in.challenges import OFFLINE
from webclient.servers.sign_in.proofs import ProofKey


def new_secret() -> str:
    """Return a new state, verifier or nonce: 256 random bits (RFC 7636, section 4.1)."""
    return token_urlsafe(32)


def hashed(secret: str) -> str:
    """Return the hash by which a secret is found without being stored."""
    return sha256(secret.encode()).hexdigest()


def authorization_url(endpoint: str, scopes: tuple[str, ...], secrets: Json) -> str:
    """Return the address with the parameters of a sign-in; the query that the endpoint has is kept.

    `secrets` are those of a `PendingSignIn`.
    """
    parameters = {
        "response_type": "code",
        "client_id": secrets["client"]["client_id"],
        "redirect_uri": secrets["redirect_uri"],
        "state": secrets["state"],
        "code_challenge": _challenge(secrets["verifier"]),
        "code_challenge_method": "S256",
        "scope": " ".join(scopes),
        "resource": secrets["resource"],
        # RFC 9449, section 10: a code that is stolen is of no use without the key.
        "dpop_jkt": ProofKey(pem).thumbprint if (pem := secrets.get("proof_key")) else None,
        # OpenID Connect Core, section 11.
        "prompt": "consent" if OFFLINE in scopes else None,
    }
    parts = urlsplit(endpoint)
    given = [each for each in parse_qsl(parts.query, keep_blank_values=True) if each[0] not in parameters]
    ours = [(name, value) for name, value in parameters.items() if value]
    return urlunsplit(parts._replace(query=urlencode([*given, *ours]), fragment=""))


def _challenge(verifier: str) -> str:
    return urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("=")
