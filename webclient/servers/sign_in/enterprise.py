"""Has a company's identity provider vouch for a user: an ID token becomes an assertion for one server (ID-JAG).

The ID token is that of the user's own sign-in to this program, or one in the settings of the server. What the provider
refuses is the company's decision: there is no other way to the server then.

Sources: MCP extension Enterprise-Managed Authorization; RFC 8693; draft-ietf-oauth-identity-assertion-authz-grant.
"""

from __future__ import annotations

from time import monotonic
from typing import Protocol
from urllib.parse import urlsplit

from webclient.auth import IdentityUnavailableError, NoIdentityError, ProvedIdentity
from webclient.domain.model import Json, Reason, ReasonCode, ServerKey, SignInStepKind
from webclient.servers.sign_in.client import BASIC, NONE, POST, Client
from webclient.servers.sign_in.errors import CompanyDecisionError, RefusedGrantError, SignInError, UnavailableError
from webclient.servers.sign_in.fetching import Fetching
from webclient.servers.sign_in.grants import with_resource
from webclient.servers.sign_in.guarded_fetch import Fetched, GuardedFetch
from webclient.servers.sign_in.metadata import find_authorization_server
from webclient.servers.sign_in.protected_server import ProtectedServer

_TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"  # noqa: S105  (not a password)
_ID_JAG = "urn:ietf:params:oauth:token-type:id-jag"
_ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"  # noqa: S105

_DENIALS = ("access_denied", "invalid_grant", "invalid_scope", "invalid_target")
"""Errors of a provider that knows us, and does not open the server to this user (RFC 8693, section 2.2.2)."""

_ASKS_AGAIN = ("login_required", "interaction_required", "insufficient_user_authentication")
"""Errors of a provider that wants to see the user first."""

_TEMPORARY = ("temporarily_unavailable", "server_error", "slow_down")


class Identities(Protocol):
    """The saved ID tokens of users (`auth.SavedIdentities`)."""

    @property
    def issuer(self) -> str:
        """The issuer of the ID tokens."""
        ...

    async def of(self, user_id: str) -> ProvedIdentity:
        """Return a valid ID token of a user. Raises NoIdentityError, IdentityUnavailableError."""
        ...


class Assertions:
    """Asks the company for assertions; `vouched_at` is when it has last given one for each server (monotonic)."""

    def __init__(self, fetching: Fetching) -> None:
        self._fetching = fetching
        self.identities: Identities | None = None
        self.vouched_at: dict[ServerKey, float] = {}

    async def request(
        self,
        server: ProtectedServer,
        audience: str,
        resource: str | None,
        scopes: tuple[str, ...],
        *,
        is_check: bool = False,
    ) -> str:
        """Return an assertion about the user of a server for its authorization server `audience`.

        What only checks whether there still is one is a step of the sign-in if there is none.
        Raises CompanyDecisionError for a refusal, UnavailableError if it may be given later, SignInError.
        """
        issuer, client, id_token, url = await self._identity(server)
        form = {
            "grant_type": _TOKEN_EXCHANGE,
            "requested_token_type": _ID_JAG,
            "audience": audience,
            "subject_token": id_token,
            "subject_token_type": _ID_TOKEN,
        }
        if scopes:
            form["scope"] = " ".join(scopes)
        # Who named this provider permits its own network.
        async with self._fetching.on_behalf_of(server.key, issuer) as fetch:
            if url is None:
                url = (await find_authorization_server(fetch, issuer, server.deviations)).token_endpoint
            headers, body = client.authenticated(with_resource(form, resource), issuer)
            fetched = await fetch.post(url, SignInStepKind.ASSERTION, data=body, headers=headers)
            assertion = _recorded(fetch, fetched, issuer, is_check=is_check)
        self.vouched_at[server.key] = monotonic()
        return assertion

    async def _identity(self, server: ProtectedServer) -> tuple[str, Client, str, str | None]:
        """Return issuer, client, ID token and token endpoint of the user of a server; without one it is looked for."""
        if not server.opens_with_sign_in:
            client = _client(server.require("idp_client_id"), server.text("idp_client_secret"), in_form=False)
            id_token = server.require("idp_id_token")
            return server.require("idp_issuer"), client, id_token, server.text("idp_token_endpoint")
        if self.identities is None:
            raise SignInError(Reason.of(ReasonCode.SIGN_IN_NOT_CONFIGURED, name="--identity oidc"))
        where = urlsplit(self.identities.issuer).netloc
        try:
            proved = await self.identities.of(server.user_id)
        except NoIdentityError as error:
            raise CompanyDecisionError(Reason.of(ReasonCode.SIGN_IN_COMPANY_AGAIN, where=where)) from error
        except IdentityUnavailableError as error:
            raise UnavailableError(Reason.of(ReasonCode.SIGN_IN_UNREACHABLE, where=where)) from error
        known = proved.client
        client = _client(known.client_id, known.secret, in_form=known.takes_secret_in_form)
        return known.issuer, client, proved.id_token, known.token_endpoint


def _client(client_id: str, secret: str | None, *, in_form: bool) -> Client:
    method = NONE if not secret else POST if in_form else BASIC
    return Client(client_id, secret, method)


def _recorded(fetch: GuardedFetch, fetched: Fetched, issuer: str, *, is_check: bool) -> str:
    try:
        assertion = _read(fetched, issuer)
    except SignInError as error:
        fetch.record(SignInStepKind.ASSERTION, fetched, reason=error.reason)
        raise
    if not is_check:
        fetch.record(SignInStepKind.ASSERTION, fetched)
    return assertion


def _read(fetched: Fetched, issuer: str) -> str:
    """Return the assertion in an answer, of which no part but an error code is quoted. Raises as `request`."""
    answer: Json = fetched.body or {}
    error, assertion = answer.get("error"), answer.get("access_token")
    if fetched.is_temporary or error in _TEMPORARY:
        raise fetched.unavailable
    where = urlsplit(issuer).netloc
    if error in _DENIALS:
        raise CompanyDecisionError(Reason.of(ReasonCode.SIGN_IN_COMPANY_DENIED, where=where, error=str(error)))
    if error in _ASKS_AGAIN:
        raise CompanyDecisionError(Reason.of(ReasonCode.SIGN_IN_COMPANY_AGAIN, where=where))
    if isinstance(error, str) and error:
        raise RefusedGrantError(issuer, error[:100])
    if not fetched.is_success or answer.get("issued_token_type") != _ID_JAG or not isinstance(assertion, str):
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_NO_TOKEN, issuer=issuer, status=fetched.status))
    return assertion
