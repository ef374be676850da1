"""Identity: makes a `Principal` of each request, by authenticators behind one interface.

Promises: a request with a wrong credential has no principal, even if it has a right one as well; nothing outside of
this room reads a cookie or a token. A new one is a module with an `Authenticator`, a name in the setting `identity`,
and a line in `build`; `Users.recognise` gives it the user of whomever it has recognised.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from webclient.auth.assertions import ASSERTION_HEADERS, ProxyAssertion
from webclient.auth.authenticator import (
    Authenticator,
    EndedSession,
    InvalidCredentialError,
    Sessions,
    SignedOutOfAppError,
    SignIn,
    SignInOutcome,
    SignInResult,
)
from webclient.auth.credentials import bearer_token, same_secret
from webclient.auth.host import HOST, Exchanged, HostAgents, HostBearer, HostCookie, HostSessions
from webclient.auth.identity import Identity
from webclient.auth.issuers import Issuers
from webclient.auth.jwt import unchecked_claims
from webclient.auth.local import LOCAL, LocalToken, OneTimeCode, TokenSignIn
from webclient.auth.oidc import BACKCHANNEL_PATH, BEGIN_PATH, CALLBACK_PATH, OIDC, BackchannelLogout, OidcSignIn
from webclient.auth.oidc_agents import METADATA_PATH, OidcAgents, challenge, resource_metadata
from webclient.auth.principal import Principal, PrincipalKind, Scope, scopes_of, user_principal
from webclient.auth.proxy_header import PROXY, TRUSTED_PEER, ProxyHeader, SignInElsewhere
from webclient.auth.refusals import Refusal, Refusals, address_of
from webclient.auth.saved_identities import (
    IdentityUnavailableError,
    NoIdentityError,
    ProvedIdentity,
    SavedIdentities,
)
from webclient.auth.session_cookie import SessionCookie
from webclient.auth.signing_keys import key_client
from webclient.auth.tokens import NamedUsers, Tokens, TokensOfPrograms, new_token
from webclient.auth.users import Users, UserTable
from webclient.settings import Settings

if TYPE_CHECKING:
    from webclient.auth.oidc_provider import BegunFlows, Provider

__all__ = [
    "ASSERTION_HEADERS",
    "BACKCHANNEL_PATH",
    "BEGIN_PATH",
    "CALLBACK_PATH",
    "HOST",
    "LOCAL",
    "METADATA_PATH",
    "OIDC",
    "PROXY",
    "TRUSTED_PEER",
    "Authenticator",
    "BackchannelLogout",
    "EndedSession",
    "Exchanged",
    "HostSessions",
    "Identity",
    "IdentityUnavailableError",
    "InvalidCredentialError",
    "Issuers",
    "NoIdentityError",
    "OidcSignIn",
    "Principal",
    "PrincipalKind",
    "ProvedIdentity",
    "Refusal",
    "Refusals",
    "SavedIdentities",
    "Scope",
    "SessionCookie",
    "Sessions",
    "SignIn",
    "SignInOutcome",
    "SignInResult",
    "SignedOutOfAppError",
    "Tokens",
    "UserTable",
    "Users",
    "address_of",
    "bearer_token",
    "build",
    "key_client",
    "new_token",
    "resource_metadata",
    "same_secret",
    "scopes_of",
    "unchecked_claims",
    "user_principal",
]


def build(
    settings: Settings,
    sessions: Sessions,
    table: UserTable,
    authenticators: Sequence[Authenticator] = (),
    *,
    once: OneTimeCode | None = None,
    host: HostSessions | None = None,
    tokens: Tokens | None = None,
    refusals: Refusals | None = None,
    provider: Provider | None = None,
    flows: BegunFlows | None = None,
    identities: SavedIdentities | None = None,
) -> Identity:
    """Return the authenticators of `settings`, in their order, after the additional ones.

    Browser sessions are in `sessions`, users in `table`, sessions of embedded frames in `host`, and tokens of programs
    in `tokens`; `refusals` are audited, and the OpenID `provider` signs users in, whose begun sign-ins are `flows`, and
    whose ID tokens are saved in `identities`.
    `once` is the code of a one-time link, by default a new one if that is set.
    """
    once = once or (OneTimeCode() if settings.one_time_link else None)
    cookie = SessionCookie(settings, sessions, settings.identity)
    # First Bearer tokens, the local one last because it refuses all others; then what browsers send by themselves.
    named = NamedUsers(table, Issuers(settings, host).of_ways)
    programs = [TokensOfPrograms(tokens, settings.sign_in_period, named)] if tokens else []
    of_apps: list[Authenticator] = [HostBearer(host), HostAgents(host)] if host else []
    bearers: list[Authenticator] = [*of_apps, *programs]
    if provider:
        bearers.append(OidcAgents(settings, provider, table))
    bearers.append(LocalToken(settings))
    by_token = LOCAL in settings.identity
    # Where no way begins sessions, a cookie is left from other settings or was set by another site of the domain. It
    # must not shut out a person whom the proxy names.
    begins_sessions = by_token or provider is not None
    cookies: list[Authenticator] = [*([cookie] if begins_sessions else []), *([HostCookie(host)] if host else [])]
    headers = [_proxy(settings, Users(table, settings.admins))] if PROXY in settings.identity else []
    sign_in: SignIn = TokenSignIn(settings, cookie, once) if by_token else SignInElsewhere(settings)
    if provider and flows:
        users = Users(table, settings.admins)
        sign_in = OidcSignIn(
            settings, provider, cookie, users, sign_in, flows=flows, refusals=refusals, identities=identities
        )
    found = [*authenticators, *bearers, *cookies, *headers]
    said = partial(challenge, settings=settings) if provider else None
    return Identity(found, sign_in=sign_in, refusals=refusals, challenge=said)


def _proxy(settings: Settings, users: Users) -> Authenticator:
    return ProxyAssertion(settings, users) if settings.auth_jwt else ProxyHeader(settings, users)
