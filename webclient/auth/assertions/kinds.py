"""The kinds of signed assertions: in which header each comes, how it is signed, and what must be in it.

Sources: Cloudflare, "Application token" and "Validate JWTs"; Google Cloud, "Securing your app with signed headers";
AWS, "Authenticate users using an Application Load Balancer".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webclient.settings import AssertionKind

HEADERS: Mapping[AssertionKind, str] = {
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

GOOGLE_ISSUER = "https://cloud.google.com/iap"
