"""A server as sign-in sees it: its user, its address and its `oauth` settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from webclient.domain.model import Json, Reason, ReasonCode, ServerKey
from webclient.servers.sign_in.deviations import AllowedDeviations
from webclient.servers.sign_in.errors import SignInError

ENTERPRISE = "enterprise"
"""The grant of servers that users open with their own sign-in to this program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectedServer:
    """A server that may want a sign-in.

    `oauth` is `{client_id, client_secret, issuer, scope, client_metadata_url, grant, private_key, exceptions, idp_…,
    assertion…}`, of which nothing is required.
    """

    user_id: str
    server_id: str
    url: str
    oauth: Json = field(default_factory=dict, repr=False)

    @property
    def key(self) -> ServerKey:
        """The user and the server."""
        return self.user_id, self.server_id

    @property
    def where(self) -> str:
        """The host and port, which name the server in a sentence."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def deviations(self) -> AllowedDeviations:
        """The deviations that the user allows this server."""
        return AllowedDeviations.of(self.oauth)

    @property
    def is_enterprise(self) -> bool:
        """Whether an identity provider of an enterprise vouches for the user (Enterprise-Managed Authorization)."""
        return self.opens_with_sign_in or self.text("idp_id_token") is not None

    @property
    def opens_with_sign_in(self) -> bool:
        """Whether it does so for the user's own sign-in to this program."""
        return self.oauth.get("grant") == ENTERPRISE

    @property
    def is_workload(self) -> bool:
        """Whether an assertion of the platform on which this program runs opens the server."""
        return self.oauth.get("grant") == "jwt_bearer"

    @property
    def needs_no_person(self) -> bool:
        """Whether tokens are requested without a sign-in."""
        return self.is_enterprise or self.is_workload or self.oauth.get("grant") == "client_credentials"

    def text(self, name: str) -> str | None:
        """Return a setting that is a text and not empty."""
        value = self.oauth.get(name)
        return value if isinstance(value, str) and value else None

    def require(self, name: str) -> str:
        """Return a setting. Raises SignInError without it."""
        value = self.text(name)
        if value is None:
            raise SignInError(Reason.of(ReasonCode.SIGN_IN_NOT_CONFIGURED, name=name))
        return value
