"""Deviations from the specification that a user allows one server, because its provider leaves no other way.

All are off by default. Each has a word on its risk, which the pages show beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from webclient.domain.model import Json


@dataclass(frozen=True, slots=True)
class AllowedDeviations:
    """The deviations that are allowed for one server.

    `pkce_unannounced`: the metadata may be silent on PKCE, which is used all the same. `other_issuer`: the issuer in
    the metadata may differ within the origin. `no_resource`: the `resource` parameter is left out.
    """

    pkce_unannounced: bool = False
    other_issuer: bool = False
    no_resource: bool = False

    @classmethod
    def of(cls, oauth: Json) -> AllowedDeviations:
        """Return the deviations that are allowed in a server's `oauth` settings."""
        allowed = oauth.get("exceptions") or ()
        return cls(**{name: name in allowed for name in cls.__slots__})

    def accepts_issuer(self, named: object, issuer: str) -> bool:
        """Return whether a document of `issuer` may name the issuer `named`; never one of another origin."""
        if not self.other_issuer or not isinstance(named, str):
            return False
        try:
            one, other = urlsplit(named), urlsplit(issuer)
        except ValueError:
            return False
        return (one.scheme, one.netloc) == (other.scheme, other.netloc)
