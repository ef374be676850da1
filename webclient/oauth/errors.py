"""Why a sign-in is not possible, or has failed."""

from __future__ import annotations

from webclient.model import Reason, ReasonCode


class SignInError(Exception):
    """A sign-in cannot go on; `reason` says why, and what to do."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.code)
        self.reason = reason


class UnavailableError(SignInError):
    """A server does not answer, or only with errors of its own; later it may."""


class RefusedGrantError(SignInError):
    """The authorization server refuses what it was given: the code, the refresh token, or the client.

    `error` is its code (RFC 6749, section 5.2).
    """

    def __init__(self, issuer: str, error: str) -> None:
        super().__init__(Reason.of(ReasonCode.SIGN_IN_REFUSED, issuer=issuer, error=error))
        self.error = error

    @property
    def is_client_unknown(self) -> bool:
        """Whether the server has forgotten us, so that we must register again."""
        return self.error in ("invalid_client", "unauthorized_client")
