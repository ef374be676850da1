"""The settings that say how users are recognised; those of a proxy work together or not at all."""

from __future__ import annotations

from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field, field_validator, model_validator
from pydantic_settings import NoDecode

from webclient.settings.assertions import AssertionSettings
from webclient.settings.oidc import OidcSettings
from webclient.settings.rules import UNIX, checked_header_name, checked_proxy, checked_sign_out_url

Names = Annotated[list[str], NoDecode]
"""A list that is written with commas in the environment."""


class UserLimits(NamedTuple):
    """The most that one user may have at once: open pages and streams, added servers, running calls, questions.

    Of `requests` to this program so many are handled at the same time, and as many as a `line` is long wait.
    """

    streams: int = 5000
    servers: int = 1000
    calls: int = 10_000
    pending: int = 10_000
    requests: int = 16
    line: int = 1000


WAYS = ("local", "proxy", "oidc", "host")
"""The ways in which users can be recognised; each is a module of `auth/`."""


class IdentitySettings(AssertionSettings, OidcSettings):
    """The settings of the ways in which users are recognised."""

    identity: Names = Field(
        default=["local"],
        description="Way in which users are recognised: local, by the token; proxy, by a header that a proxy in front "
        "of this adds, signed or not; oidc, by an OpenID provider; host, by an application that embeds this. One or "
        "several.",
    )
    embedders: Path | None = Field(
        None, description="A file that names the applications that may embed this, and vouch for their users."
    )
    auth_header: str | None = Field(
        None,
        description="Header in which the proxy names the user, such as Remote-User; with --trusted-proxy and "
        "--identity proxy.",
    )
    auth_name_header: str | None = Field(None, description="Header in which the proxy gives the user's full name.")
    auth_email_header: str | None = Field(
        None, description="Header in which the proxy gives the user's e-mail address, which it has verified."
    )
    admins: Names = Field(
        default=[], description="User who is an administrator, by name or e-mail address, as the sign-in gives them."
    )
    sign_out_url: str | None = Field(
        None, description="Address at which the proxy signs users out: a path that begins with /, or https://."
    )
    trusted_proxies: Names = Field(
        default=[],
        description="Address or network of a proxy in front of this, or unix for the one at --unix-socket, whose "
        "X-Forwarded-For and X-Forwarded-Proto are believed; none by default.",
    )

    session_hours: float = Field(
        12,
        gt=0,
        le=720,
        description="Hours after which a browser has to sign in again, with any --identity but local alone.",
    )
    session_idle_minutes: float = Field(
        120, gt=0, description="Minutes without an open page or a request after which it has to as well."
    )
    sign_in_days: int | None = Field(
        None,
        gt=0,
        le=3650,
        description="Days after the last sign-in of a user from which the tokens of their programs are refused, and "
        "they get no notifications, until they sign in again; never by default.",
    )

    users_add_servers: bool | None = Field(
        None,
        description="Whether users other than administrators may add MCP servers; by default only where the user of "
        "the token is the only one.",
    )

    max_user_streams: int = Field(
        200, gt=0, description="Pages and event streams that one user may have open, where there are several users."
    )
    max_user_servers: int = Field(
        25, gt=0, description="MCP servers that one user may add, where there are several users."
    )
    max_user_calls: int = Field(
        200, gt=0, description="Calls of one user that may run at once, where there are several users."
    )
    max_user_pending: int = Field(
        1000,
        gt=0,
        description="Questions of all MCP servers and programs together that may wait for one user, where there are "
        "several users.",
    )

    max_user_requests: int = Field(
        8,
        gt=0,
        description="Requests of one user that are handled at the same time, where there are several users; the others "
        "wait in line.",
    )
    max_user_line: int = Field(
        200, gt=0, description="Requests of one user that wait in line, where there are several users; more get 429."
    )

    @property
    def user_limits(self) -> UserLimits:
        """What one user may have at once; the only one may have what the machine can bear."""
        if not self.has_users:
            return UserLimits()
        return UserLimits(
            self.max_user_streams,
            self.max_user_servers,
            self.max_user_calls,
            self.max_user_pending,
            self.max_user_requests,
            self.max_user_line,
        )

    @property
    def has_users(self) -> bool:
        """Whether there are users besides the local one."""
        return self.identity != ["local"] or self.embedders is not None

    @property
    def session_lifetime(self) -> timedelta | None:
        """How long a browser stays signed in at most; None for as long as the store keeps a session."""
        return timedelta(hours=self.session_hours) if self.has_users else None

    @property
    def session_idle(self) -> timedelta | None:
        """How long it stays signed in without a request or an open page; None for no such end."""
        return timedelta(minutes=self.session_idle_minutes) if self.has_users else None

    @property
    def sign_in_period(self) -> timedelta | None:
        """How long programs act for a user who does not sign in; None for as long as the user is not disabled."""
        return timedelta(days=self.sign_in_days) if self.sign_in_days else None

    @property
    def may_add_servers(self) -> bool:
        """Whether every user may add MCP servers."""
        return not self.has_users if self.users_add_servers is None else self.users_add_servers

    @field_validator("identity", "admins", "trusted_proxies", mode="before")
    @classmethod
    def _split_names(cls, given: Any) -> Any:
        return [part.strip() for part in given.split(",") if part.strip()] if isinstance(given, str) else given

    @field_validator("trusted_proxies")
    @classmethod
    def _trusted(cls, given: list[str]) -> list[str]:
        return [checked_proxy(address) for address in given]

    @field_validator("identity")
    @classmethod
    def _known_ways(cls, given: list[str]) -> list[str]:
        if not given or set(given) - set(WAYS):
            raise ValueError(f"The identity is {', '.join(given) or 'empty'}. Use one or more of {', '.join(WAYS)}.")
        return given

    @field_validator("auth_header", "auth_name_header", "auth_email_header")
    @classmethod
    def _header(cls, given: str | None) -> str | None:
        return checked_header_name(given) if given else None

    @field_validator("sign_out_url")
    @classmethod
    def _sign_out(cls, given: str | None) -> str | None:
        return checked_sign_out_url(given) if given else None

    @model_validator(mode="after")
    def _host_has_embedders(self) -> Self:
        if "host" in self.identity and self.embedders is None:
            raise ValueError("The identity host needs a file with the embedding applications: --embedders FILE.")
        return self

    @model_validator(mode="after")
    def _provider_is_known(self) -> Self:
        named = bool(self.oidc_issuer or self.oidc_client_id)
        if named != ("oidc" in self.identity) or (named and not (self.oidc_issuer and self.oidc_client_id)):
            raise ValueError(
                "Sign-in with an OpenID provider takes three settings: --identity oidc, the provider with "
                "--oidc-issuer URL, and the client ID from there with --oidc-client-id ID."
            )
        return self

    @model_validator(mode="after")
    def _proxy_is_known(self) -> Self:
        named = bool(self.auth_header or self.auth_name_header or self.auth_email_header)
        if (named or self.auth_jwt is not None) != ("proxy" in self.identity):
            raise ValueError(
                "The identity proxy goes with the header in which a proxy names users: --auth-header NAME and the "
                "proxy's address with --trusted-proxy ADDRESS, or --auth-jwt KIND if it signs that."
            )
        if self.auth_jwt is None:
            self._check_unsigned_header(named=named)
        elif named:
            raise ValueError("--auth-jwt has its own header, with name and e-mail address: leave out --auth-header.")
        if (
            any(each != UNIX and ip_network(each).prefixlen == 0 for each in self.trusted_proxies)
            and "proxy" in self.identity
        ):
            raise ValueError(
                "With --identity proxy, --trusted-proxy must not be every address: all could say who they are."
            )
        return self

    def _check_unsigned_header(self, *, named: bool) -> None:
        if named and not (self.auth_header and self.trusted_proxies):
            # Without the address of the proxy, everybody who reaches the port could say who they are.
            raise ValueError(
                "A proxy that names users takes three settings: --identity proxy, the header with --auth-header NAME, "
                "and the proxy's address with --trusted-proxy ADDRESS."
            )
