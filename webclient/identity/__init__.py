"""Identity: makes a `Principal` of each request, by ways that are modules behind one interface.

Promises: a request with a wrong credential has no principal, even if it has a right one as well; nothing outside of
this room reads a cookie or a token. A new way is a module with a `Way`, and one line in `build`.
"""

from __future__ import annotations

from collections.abc import Sequence

from webclient.identity.credentials import bearer_token
from webclient.identity.identity import Identity
from webclient.identity.local import LocalToken
from webclient.identity.one_time_code import OneTimeCode
from webclient.identity.principal import Principal, PrincipalKind, Scope
from webclient.identity.way import InvalidCredentialError, Sessions, SignIn, SignInOutcome, SignInResult, Way
from webclient.settings import Settings

__all__ = [
    "Identity",
    "InvalidCredentialError",
    "Principal",
    "PrincipalKind",
    "Scope",
    "Sessions",
    "SignIn",
    "SignInOutcome",
    "SignInResult",
    "Way",
    "bearer_token",
    "build",
]


def build(settings: Settings, sessions: Sessions, ways: Sequence[Way] = ()) -> Identity:
    """Return the ways of `settings`, after the additional `ways`, with browser sessions in `sessions`."""
    local = LocalToken(settings, sessions, OneTimeCode() if settings.one_time_link else None)
    return Identity([*ways, local], sign_in=local)
