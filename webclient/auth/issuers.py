"""The issuers by which users are known here, for administrators who add users before these have signed in."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from webclient.auth.assertions import assertion_issuer
from webclient.auth.host import HostSessions
from webclient.auth.oidc import OIDC
from webclient.auth.proxy_header import PROXY
from webclient.domain.model import HOST_ISSUER
from webclient.settings import Settings


class Issuers:
    """The issuers of the ways of `settings`; `host` knows the embedding applications."""

    def __init__(self, settings: Settings, host: HostSessions | None) -> None:
        self._host = host
        self._of_ways = tuple(_of_ways(settings))

    @property
    def of_ways(self) -> Collection[str]:
        """Those that prove who their users are to this program: not embedding applications."""
        return self._of_ways

    @property
    def default(self) -> str:
        """The issuer that is meant where none is named; empty if there is none, or more than one."""
        return self._of_ways[0] if len(self._of_ways) == 1 else ""

    def knows(self, issuer: str) -> bool:
        """Return whether users of this issuer can sign in here."""
        if issuer.startswith(HOST_ISSUER):
            return self._host is not None and self._host.embedder(issuer.removeprefix(HOST_ISSUER)) is not None
        return issuer in self._of_ways

    @staticmethod
    def has_emails(issuer: str) -> bool:
        """Return whether an issuer can prove e-mail addresses: embedding applications name none."""
        return not issuer.startswith(HOST_ISSUER)


def _of_ways(settings: Settings) -> Iterator[str]:
    if PROXY in settings.identity:
        yield assertion_issuer(settings) if settings.auth_jwt else PROXY
    if OIDC in settings.identity and settings.oidc_issuer:
        yield settings.oidc_issuer
