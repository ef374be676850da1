"""Results of the steps of a sign-in at the OpenID provider, and its client; nothing here needs Authlib."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from webclient.auth.oidc_provider.begun_flows import BegunFlow
from webclient.domain.model import Person


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A sign-in that leads the browser to `url`; it must keep the `flow`."""

    url: str
    flow: BegunFlow


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A finished sign-in: the person, and the `page` on which they go on.

    `provider_session` is the provider's own name for the session (`sid`), by which it can end ours. The `id_token`
    ends at `ends_at`; the `refresh_token` renews it, if there is one.
    """

    person: Person
    page: str
    id_token: str
    provider_session: str | None
    ends_at: datetime
    refresh_token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewed:
    """A renewed ID token, and the refresh token for the next one."""

    id_token: str = field(repr=False)
    refresh_token: str | None = field(repr=False)
    ends_at: datetime


class EndedError(Exception):
    """The provider renews an ID token no more: the user has to sign in again, if the provider lets them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderClient:
    """This program as the provider knows it, and the provider's token endpoint."""

    issuer: str
    client_id: str
    secret: str | None = field(repr=False)
    takes_secret_in_form: bool
    token_endpoint: str
