"""Signed assertions: a proxy in front says with each request who is signed in, and signs it for us.

Promises: an assertion is accepted only if the proxy of the settings signed it, for the audience of the settings, with
the one algorithm of its kind, and it has not expired; each refusal is one sentence with a code, and quotes nothing.

Sources: Cloudflare, "Application token" and "Validate JWTs"; Google Cloud, "Securing your app with signed headers";
AWS, "Authenticate users using an Application Load Balancer". The JOSE header is signed as well, so claims in it may be
relied on once the signature is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from time import time
from typing import Any, Protocol

from jwt import PyJWK
from starlette.requests import HTTPConnection

from webclient.auth.jwt import LEEWAY, JwtFault, JwtRefusedError, read_header, verify
from webclient.auth.principal import Principal, user_principal
from webclient.auth.proxy_header import PROXY, TRUSTED_PEER
from webclient.auth.signing_keys import PemKeys, PublishedKeys, key_client
from webclient.auth.users import Users
from webclient.domain.i18n import N_
from webclient.domain.model import Json, Person
from webclient.settings import AssertionKind, Settings

LARGEST = 16_384
"""Characters of an assertion: the claims of a load balancer may be long."""

GOOGLE_ISSUER = "https://cloud.google.com/iap"

ASSERTION_HEADERS: Mapping[AssertionKind, str] = {
    AssertionKind.CLOUDFLARE: "cf-access-jwt-assertion",
    AssertionKind.GOOGLE_IAP: "x-goog-iap-jwt-assertion",
    AssertionKind.AWS_ALB: "x-amzn-oidc-data",
}
"""The header of each kind, in lower case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The algorithm of a kind, the claims that must be there, and whether its JOSE header has claims as well."""

    algorithm: str
    required: tuple[str, ...]
    has_header_claims: bool = False
    vouches_for_email: bool = True


RULES: Mapping[AssertionKind, Rules] = {
    AssertionKind.CLOUDFLARE: Rules(algorithm="RS256", required=("iss", "aud", "sub", "iat", "exp")),
    AssertionKind.GOOGLE_IAP: Rules(algorithm="ES256", required=("iss", "aud", "sub", "iat", "exp")),
    # Its claims are those of the provider's userinfo; audience (`client`), issuer, signer and end are in the header.
    AssertionKind.AWS_ALB: Rules(algorithm="ES256", required=("sub",), has_header_claims=True, vouches_for_email=False),
}


class AssertionRefusedError(JwtRefusedError):
    """A signed assertion is not accepted."""

    title = N_("Not signed in")
    sentences = {  # noqa: RUF012  (declared by the class above)
        JwtFault.MALFORMED: N_("The sign-in of the proxy is malformed: its header must have a JWT."),
        JwtFault.WRONG_ALGORITHM: N_("The sign-in of the proxy is signed with another algorithm than the proxy uses."),
        JwtFault.UNKNOWN_KEY: N_(
            "The key of the proxy's sign-in is unknown. If the proxy has changed its keys, try again in half a minute."
        ),
        JwtFault.KEYS_UNREACHABLE: N_(
            "The keys of the proxy cannot be fetched, so its sign-in cannot be checked. Try again in half a minute."
        ),
        JwtFault.WRONG_SIGNATURE: N_("The signature of the proxy's sign-in is wrong."),
        JwtFault.MISSING_CLAIM: N_("The sign-in of the proxy has no claim “{claim}”."),
        JwtFault.WRONG_AUDIENCE: N_(
            "The sign-in of the proxy is meant for another application: check --auth-audience."
        ),
        JwtFault.WRONG_ISSUER: N_("The sign-in of the proxy is from another issuer: check --auth-issuer."),
        JwtFault.WRONG_SIGNER: N_("The sign-in of the proxy is from another load balancer: check --auth-signer."),
        JwtFault.NOT_YET_VALID: N_("The sign-in of the proxy is from the future: compare the clocks of both machines."),
        JwtFault.EXPIRED: N_("The sign-in of the proxy has expired. Load the page again to sign in."),
        JwtFault.NO_USER: N_(
            "The sign-in of the proxy names no user. Programs send a token of this application instead."
        ),
    }

    def __init__(self, code: JwtFault, claim: str = "") -> None:
        super().__init__(code, claim)
        if code is JwtFault.KEYS_UNREACHABLE:
            # The user need not sign in again for it.
            self.status = 503


class Keys(Protocol):
    """The keys of the proxy, by their id."""

    async def find(self, key_id: str | None) -> PyJWK | None:
        """Return the key with this id, or None."""
        ...

    def is_unreachable(self, key_id: str | None) -> bool:
        """Return whether a key was not found because nothing could be fetched."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """The person whom the proxy has signed in, and until when that holds."""

    person: Person
    ends_at: datetime


def assertion_issuer(settings: Settings) -> str:
    """Return the issuer of the users of signed assertions."""
    issuer = settings.auth_issuer or GOOGLE_ISSUER
    return issuer.rstrip("/") if settings.auth_jwt is AssertionKind.CLOUDFLARE else issuer


class Assertions:
    """Verifies the assertions of the proxy that `settings` name; raises ValueError if they name none."""

    def __init__(self, settings: Settings) -> None:
        if settings.auth_jwt is None or settings.auth_audience is None:
            raise ValueError("no kind of assertion")
        self._rules = RULES[settings.auth_jwt]
        self._audience = settings.auth_audience
        self._issuer = assertion_issuer(settings)
        self._signer = settings.auth_signer
        one_by_one = settings.auth_jwt is AssertionKind.AWS_ALB
        client = partial(key_client, settings.ca_file)
        self._keys: Keys = (PemKeys if one_by_one else PublishedKeys)(settings.key_address, client)

    async def verify(self, token: str) -> Assertion:
        """Return what the assertion says. Raises AssertionRefusedError."""
        header = read_header(token, LARGEST, AssertionRefusedError)
        if header.get("alg") != self._rules.algorithm:
            raise AssertionRefusedError(JwtFault.WRONG_ALGORITHM)
        if self._rules.has_header_claims:
            # Before the key is looked for: what is not meant for us must not make us ask for keys.
            self._check_header(header)
        claims = self._decoded(token, await self._key(header))
        if self._rules.has_header_claims and claims.get("iss", self._issuer) != self._issuer:
            raise AssertionRefusedError(JwtFault.WRONG_ISSUER)
        ends = min(_seconds(each["exp"]) for each in (header, claims) if "exp" in each)
        return Assertion(
            person=self._person(claims), ends_at=datetime.fromtimestamp(ends, UTC) + timedelta(seconds=LEEWAY)
        )

    async def _key(self, header: Json) -> PyJWK:
        key_id = header.get("kid")
        if not isinstance(key_id, str):
            raise AssertionRefusedError(JwtFault.UNKNOWN_KEY)
        key = await self._keys.find(key_id)
        if key is None:
            unreachable = self._keys.is_unreachable(key_id)
            raise AssertionRefusedError(JwtFault.KEYS_UNREACHABLE if unreachable else JwtFault.UNKNOWN_KEY)
        return key

    def _check_header(self, header: Json) -> None:
        if missing := next((name for name in ("signer", "iss", "client", "exp") if name not in header), None):
            raise AssertionRefusedError(JwtFault.MISSING_CLAIM, missing)
        if header["signer"] != self._signer:
            raise AssertionRefusedError(JwtFault.WRONG_SIGNER)
        if header["iss"] != self._issuer:
            raise AssertionRefusedError(JwtFault.WRONG_ISSUER)
        if header["client"] != self._audience:
            raise AssertionRefusedError(JwtFault.WRONG_AUDIENCE)
        if _seconds(header["exp"]) <= time() - LEEWAY:
            raise AssertionRefusedError(JwtFault.EXPIRED)

    def _decoded(self, token: str, key: PyJWK) -> Json:
        in_header = self._rules.has_header_claims
        return verify(
            token,
            key,
            AssertionRefusedError,
            # One, and that of the kind: neither the token nor the key can bring another.
            algorithms=[self._rules.algorithm],
            audience=None if in_header else self._audience,
            issuer=None if in_header else self._issuer,
            required=self._rules.required,
        )

    def _person(self, claims: Json) -> Person:
        subject = claims["sub"]
        if not isinstance(subject, str) or not subject.strip():
            # A service token of Cloudflare has an empty subject.
            raise AssertionRefusedError(JwtFault.NO_USER)
        # Administrators are named by e-mail address as well, so only a verified one counts. Cognito
        # writes the word.
        verified = self._rules.vouches_for_email or claims.get("email_verified") in (True, "true")
        email = _text(claims.get("email"))
        # Cloudflare and Google give no name, and their subjects are numbers.
        name = _text(claims.get("name")) or email
        return Person(issuer=self._issuer, subject=subject, name=name, email=email if verified else "")


def _seconds(given: Any) -> float:
    # `exp` of a load balancer's header is not checked by PyJWT, nor whether a year is one of `datetime`.
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < 2**37:
        raise AssertionRefusedError(JwtFault.MALFORMED)
    return float(given)


def _text(given: Any) -> str:
    return given if isinstance(given, str) and given.isprintable() else ""


class ProxyAssertion:
    """Identifies by the signed assertion that `settings` name."""

    name = PROXY

    def __init__(self, settings: Settings, users: Users) -> None:
        self._header = ASSERTION_HEADERS[settings.auth_jwt] if settings.auth_jwt else ""
        self._trusts_addresses = bool(settings.trusted_proxies)
        self._assertions = Assertions(settings)
        self._users = users

    async def identify(self, connection: HTTPConnection) -> Principal | None:
        """Return the principal whom the proxy names.

        Raises AssertionRefusedError with the reason, and InvalidCredentialError for a disabled user.
        """
        if self._trusts_addresses and connection.scope.get(TRUSTED_PEER) is not True:
            return None
        token = connection.headers.get(self._header)
        if not token:
            return None
        assertion = await self._assertions.verify(token)
        user = await self._users.recognise(assertion.person)
        # Streams end with the assertion; the page then opens them again, with the next one.
        return user_principal(user, self.name, ends_at=assertion.ends_at)
