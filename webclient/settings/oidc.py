"""The settings of the sign-in with an OpenID provider; the secret comes from the environment or a file only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode

from webclient.settings.rules import DISCOVERY, checked_issuer

LARGEST_SECRET = 4096
"""Characters of a client secret."""

_Names = Annotated[list[str], NoDecode]


class OidcSettings(BaseSettings):
    """The settings of the way `oidc`: which provider, as which client, and whom to admit."""

    oidc_issuer: str | None = Field(
        None,
        description="Issuer of the OpenID provider that signs users in, such as https://id.example.com/realms/company; "
        "with --identity oidc.",
    )
    oidc_client_id: str | None = Field(None, description="Client ID with which this is registered at the provider.")
    oidc_client_secret: str | None = Field(
        None, repr=False, description="Client secret at the provider; a public client has none."
    )
    oidc_client_secret_file: Path | None = Field(None, description="File that has the client secret at the provider.")
    oidc_scopes: _Names = Field(
        default=["openid", "profile", "email"], description="Scopes that the provider is asked for."
    )
    oidc_roles_claim: str = Field(
        "groups",
        description="Claim in which the provider names the groups or roles of a user, with dots for a claim within a "
        "claim: groups by default.",
    )
    oidc_admin_groups: _Names = Field(
        default=[], description="Group or role at the provider whose members are administrators."
    )
    oidc_allowed_groups: _Names = Field(
        default=[], description="Group or role at the provider whose members may sign in; by default everybody may."
    )
    oidc_allowed_domains: _Names = Field(
        default=[],
        description="Domain, such as example.com, of the verified e-mail addresses with which users may sign in.",
    )
    oidc_label: str | None = Field(
        None, max_length=60, description="Name of the provider on the sign-in page; by default its host."
    )

    oidc_check_seconds: float = Field(
        45,
        ge=1,
        le=86_400,
        description="Seconds between two looks whether the company still opens a server to a user; 45 by default.",
    )
    oidc_agent_scope: str | None = Field(
        None,
        max_length=100,
        pattern=r"^[!#-\[\]-~]+$",
        description="Scope that access tokens of agents must have at the gateway; by default none.",
    )
    oidc_agent_names: _Names = Field(
        default=[],
        description="Name of an agent for its cards, as CLIENT_ID=NAME; by default its client ID.",
    )

    @property
    def agent_names(self) -> Mapping[str, str]:
        """The names of agents by their client IDs."""
        return {client: name for client, _, name in (each.rpartition("=") for each in self.oidc_agent_names)}

    @field_validator("oidc_agent_names")
    @classmethod
    def _oidc_agent_names(cls, given: list[str]) -> list[str]:
        if any(not all(part.strip() for part in each.rpartition("=")) for each in given):
            raise ValueError("Write the name of an agent as CLIENT_ID=NAME.")
        return given

    @field_validator(
        "oidc_scopes",
        "oidc_admin_groups",
        "oidc_allowed_groups",
        "oidc_allowed_domains",
        "oidc_agent_names",
        mode="before",
    )
    @classmethod
    def _split_oidc(cls, given: Any) -> Any:
        return [part.strip() for part in given.split(",") if part.strip()] if isinstance(given, str) else given

    @field_validator("oidc_scopes")
    @classmethod
    def _oidc_scopes(cls, given: list[str]) -> list[str]:
        scopes = [scope for each in given for scope in each.split()]
        return scopes if "openid" in scopes else ["openid", *scopes]

    @field_validator("oidc_allowed_domains")
    @classmethod
    def _oidc_domains(cls, given: list[str]) -> list[str]:
        return [domain.lower().removeprefix("@") for domain in given]

    @field_validator("oidc_issuer")
    @classmethod
    def _oidc_issuer(cls, given: str | None) -> str | None:
        return checked_issuer(given.removesuffix(DISCOVERY)) if given else None

    @model_validator(mode="after")
    def _oidc_secret_of_file(self) -> Self:
        if self.oidc_client_secret_file is None:
            return self
        if self.oidc_client_secret:
            raise ValueError(
                "The client secret is given twice: leave out either WEBCLIENT_OIDC_CLIENT_SECRET or "
                "--oidc-client-secret-file."
            )
        try:
            with self.oidc_client_secret_file.open(encoding="utf-8") as file:
                secret = file.read(LARGEST_SECRET).strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            raise ValueError(f"{self.oidc_client_secret_file} cannot be read: {reason}.") from None
        if not secret:
            raise ValueError(f"{self.oidc_client_secret_file} is empty: it must have the client secret.")
        # The settings are frozen for everybody else.
        object.__setattr__(self, "oidc_client_secret", secret)
        return self
