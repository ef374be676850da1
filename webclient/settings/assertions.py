"""The settings of signed assertions: which proxy signs them, for whom, and with which keys."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Self

from pydantic import Field, field_validator, model_validator
from pydantic_settings import BaseSettings

from webclient.settings.rules import checked_key_address

_TEAM = re.compile(r"https://[a-z0-9-]+(\.[a-z0-9-]+)+/?", re.ASCII | re.IGNORECASE)
_BALANCER = re.compile(r"arn:(aws[a-z-]*):elasticloadbalancing:([a-z0-9-]+):[0-9]{12}:loadbalancer/[A-Za-z0-9/-]+")

_AWS_KEYS = {
    "aws": "https://public-keys.auth.elb.{region}.amazonaws.com",
    "aws-us-gov": "https://s3-{region}.amazonaws.com/aws-elb-public-keys-prod-{region}",
}
"""Where each partition of AWS publishes the keys of its load balancers."""


class AssertionKind(StrEnum):
    """The proxies whose signed assertions are understood."""

    CLOUDFLARE = "cloudflare"
    GOOGLE_IAP = "google-iap"
    AWS_ALB = "aws-alb"


class AssertionSettings(BaseSettings):
    """The settings of signed assertions, which go together."""

    auth_jwt: AssertionKind | None = Field(
        None,
        description="Proxy that signs its assertion of who the user is: cloudflare, google-iap or aws-alb; with "
        "--auth-audience and --identity proxy, in place of --auth-header.",
    )
    auth_audience: str | None = Field(
        None,
        min_length=1,
        description="Audience of signed assertions: the AUD tag of Cloudflare's application, Google's "
        "/projects/…/backendServices/…, or the client ID of the load balancer at its provider.",
    )
    auth_issuer: str | None = Field(
        None,
        min_length=1,
        description="Issuer of signed assertions: https://TEAM.cloudflareaccess.com, or the provider of the load "
        "balancer, as it writes itself.",
    )
    auth_signer: str | None = Field(None, description="ARN of the load balancer that signs assertions (aws-alb).")
    auth_keys: str | None = Field(
        None,
        description="Address of the keys of signed assertions, if it is another than the public one of the proxy.",
    )

    @field_validator("auth_keys")
    @classmethod
    def _keys(cls, given: str | None) -> str | None:
        return checked_key_address(given) if given else None

    @model_validator(mode="after")
    def _assertion_is_whole(self) -> Self:
        rest = (self.auth_audience, self.auth_issuer, self.auth_signer, self.auth_keys)
        if self.auth_jwt is None:
            if any(rest):
                raise ValueError(
                    "--auth-audience, --auth-issuer, --auth-signer and --auth-keys go with --auth-jwt KIND."
                )
            return self
        if not self.auth_audience:
            # The keys sign for all customers of the proxy, so without it everybody's assertions would do.
            raise ValueError("--auth-jwt needs the audience that is ours: --auth-audience AUDIENCE.")
        if bool(self.auth_issuer) is (self.auth_jwt is AssertionKind.GOOGLE_IAP):
            raise ValueError("--auth-jwt cloudflare and aws-alb need --auth-issuer ISSUER; google-iap has a fixed one.")
        if bool(self.auth_signer) is not (self.auth_jwt is AssertionKind.AWS_ALB):
            raise ValueError(
                "--auth-jwt aws-alb needs the load balancer's ARN: --auth-signer ARN; no other kind has one."
            )
        self._check_kind()
        return self

    def _check_kind(self) -> None:
        if self.auth_jwt is AssertionKind.CLOUDFLARE and not _TEAM.fullmatch(self.auth_issuer or ""):
            raise ValueError(
                f"The issuer {self.auth_issuer!r} is not that of a team: write https://TEAM.cloudflareaccess.com."
            )
        if self.auth_jwt is AssertionKind.AWS_ALB and not self.key_address:
            raise ValueError(
                f"The signer {self.auth_signer!r} is not the ARN of a load balancer whose keys are known: write "
                "arn:aws:elasticloadbalancing:REGION:ACCOUNT:loadbalancer/app/NAME/ID, or add --auth-keys URL."
            )

    @property
    def key_address(self) -> str:
        """The address of the keys of signed assertions; for a load balancer, of the folder with its keys."""
        if self.auth_keys:
            return self.auth_keys
        if self.auth_jwt is AssertionKind.CLOUDFLARE:
            return f"{(self.auth_issuer or '').rstrip('/')}/cdn-cgi/access/certs"
        if self.auth_jwt is AssertionKind.GOOGLE_IAP:
            return "https://www.gstatic.com/iap/verify/public_key-jwk"
        found = _BALANCER.fullmatch(self.auth_signer or "")
        return _AWS_KEYS.get(found[1], "").format(region=found[2]) if found else ""
