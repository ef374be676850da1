"""Why a sign-in is not possible, or has failed."""

from __future__ import annotations

import re

from webclient.domain.model import Reason, ReasonCode

_UNKNOWN_CLIENT = ("invalid_client", "unauthorized_client", "deleted_client")
"""Codes for a client that is not there (RFC 6749, sections 4.1.2.1 and 5.2); the last one is Google's."""

_SAYS_UNKNOWN = re.compile(
    r"\b(client|application)\b[^.]{0,200}?\b(not found|unknown|not registered|(does not|no longer) exists?)\b"
    r"|\b(unknown|invalid|unregistered|no such) (oauth )?client",
    re.IGNORECASE,
)
"""How authorization servers describe it beside another code, such as FastMCP's `invalid_request`."""


class SignInError(Exception):
    """A sign-in cannot go on; `reason` says why, and what to do."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.code)
        self.reason = reason


class UnavailableError(SignInError):
    """A server does not answer, or only with errors of its own; later it may."""


class CompanyDecisionError(SignInError):
    """The company does not open the server to the user, or not before they have signed in to this program again."""


class RefusedGrantError(SignInError):
    """The authorization server refuses what it was given: the code, the refresh token, or the client.

    `error` is its code (RFC 6749, section 5.2). `description` is its own words, which are read and never quoted.
    """

    def __init__(self, issuer: str, error: str, description: str = "") -> None:
        super().__init__(Reason.of(ReasonCode.SIGN_IN_REFUSED, issuer=issuer, error=error))
        self.error = error
        self.is_client_unknown = says_client_unknown(error, description)


def says_client_unknown(error: str, description: str) -> bool:
    """Return whether a refusal says that the authorization server does not know this client."""
    return error in _UNKNOWN_CLIENT or _SAYS_UNKNOWN.search(description) is not None
