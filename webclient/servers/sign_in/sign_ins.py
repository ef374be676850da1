"""The sign-ins to all protected servers: where each stands, and what its user does about it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from webclient.domain.errors import ConflictError, NotFoundError, SignInFailedError
from webclient.domain.model import Auth, Grant, PendingSignIn, Reason, ReasonCode, ServerKey, SignInStep, SignInStepKind
from webclient.network import Network, ServerGuard, Zone, networks_of
from webclient.servers.sign_in.auth_states import AuthStates
from webclient.servers.sign_in.authorization import ServerAuthorization
from webclient.servers.sign_in.authorization_url import hashed, new_secret
from webclient.servers.sign_in.callback import Callback, Finished
from webclient.servers.sign_in.checks import CompanyChecks
from webclient.servers.sign_in.client_credentials import MachineGrants
from webclient.servers.sign_in.client_document import callback_url, document_url
from webclient.servers.sign_in.enterprise import Assertions, Identities
from webclient.servers.sign_in.errors import SignInError
from webclient.servers.sign_in.fetching import Fetching, TransportOf
from webclient.servers.sign_in.flows import Flows
from webclient.servers.sign_in.grants import access_of, endpoint_of, refresh_of
from webclient.servers.sign_in.preparing import Preparing
from webclient.servers.sign_in.protected_server import ProtectedServer
from webclient.servers.sign_in.registration import Registrar
from webclient.servers.sign_in.renewals import Renewals
from webclient.servers.sign_in.trace import Trace
from webclient.settings import Settings
from webclient.store import Store
from webclient.store.live import Hub
from webclient.support.background import Supervisor

LONGEST_END = 5
"""Seconds that revocations may take when this program ends."""


@dataclass(frozen=True, slots=True)
class Started:
    """A sign-in that a user opens: `url` is at the authorization server, `nonce` is for a cookie of this browser."""

    url: str
    nonce: str


class SignIns:
    """The sign-ins of the users who are here: those of a user are in memory from `load` to `let_go`.

    `guard` says to where servers may lead. `transport_of` replaces the transport of all requests to authorization
    servers, for tests.
    """

    def __init__(self, store: Store, hub: Hub, settings: Settings, *, transport_of: TransportOf | None = None) -> None:
        self._store = store
        self._states = AuthStates(hub)
        self._trace = Trace()
        self.guard = ServerGuard(settings.has_users, networks_of(settings.server_networks), settings.ca_file)
        self._fetching = Fetching(
            self._trace,
            transport_of,
            networks=networks_of(settings.sign_in_networks),
            open_to=self._open_to,
            ca_file=settings.ca_file,
        )
        self._registrar = Registrar(store, document_url(settings))
        self._preparing = Preparing(self._fetching, self._registrar, callback_url(settings))
        self._renewals = Renewals(store, self._states, self._fetching, self._registrar)
        self._assertions = Assertions(self._fetching)
        self.checks = CompanyChecks(self._states, self._assertions, settings.oidc_check_seconds, self._lose)
        self.disconnect: Callable[[ServerKey, Reason], Awaitable[None]] | None = None
        """Ends the connection to a server that its user has lost."""
        machine = MachineGrants(self._fetching, self._registrar, self._assertions, settings.ca_file)
        self._flows = Flows(store, self._states, self._preparing, machine)
        self._callback = Callback(store, self._states, self._flows, self._fetching, self._registrar, self._trace)
        self._revocations = Supervisor()

    @property
    def identities(self) -> Identities | None:
        """The saved ID tokens that open the servers of a company."""
        return self._assertions.identities

    @identities.setter
    def identities(self, given: Identities) -> None:
        self._assertions.identities = given

    async def load(self, user_id: str) -> None:
        """Read the rows of a user who has come."""
        user = self._store.of(user_id)
        for grant in await user.grants.all():
            self._states.load((user_id, grant.server_id), granted=grant)
        for pending in await user.sign_ins.all():
            self._states.load((user_id, pending.server_id), wanted=pending)
            self._flows.watch(pending)

    async def let_go(self, user_id: str) -> None:
        """Forget everything in memory about the sign-ins of a user who has left; the rows stay."""
        for key in self._states.keys_of(user_id):
            await self._flows.stop(key)
            self._renewals.forget(key)
            self._states.forget(key)
            self._trace.forget(key)
            self.checks.forget(key)

    async def close(self) -> None:
        """End all work; a renewal in progress is completed."""
        await self._flows.close()
        await self._renewals.close()
        await self._revocations.ended(LONGEST_END)

    def auth_of(self, key: ServerKey) -> Auth:
        """Return where the sign-in to a server stands."""
        return self._states.of(key)

    def waiting_for_company(self) -> list[ServerKey]:
        """Return the servers that open once their users have signed in to this program again."""
        return self._states.ended_by(ReasonCode.SIGN_IN_COMPANY_AGAIN)

    def trace_of(self, key: ServerKey) -> tuple[SignInStep, ...]:
        """Return the steps of the last sign-ins to a server, oldest first."""
        return self._trace.of(key)

    def authorization_for(self, server: ProtectedServer) -> ServerAuthorization:
        """Return what the HTTP client of a connection to the server uses."""
        self.checks.watch(server)
        return ServerAuthorization(server, self._store, self._states, self._flows, self._renewals)

    async def begin(self, server: ProtectedServer) -> None:
        """Prepare a sign-in for its user, unless one waits already; return at once."""
        await self._store.of(server.user_id).step_ups.remove(server.server_id)
        self._flows.begin(server)

    async def start(self, user_id: str, sign_in_id: str, redirect_uri: str) -> Started:
        """Return the address at which a user signs in, and comes back from to `redirect_uri`.

        A sign-in that is opened again gets another client: the authorization server may have forgotten the first one,
        which it shows the user, and not us. Raises NotFoundError, SignInFailedError.
        """
        pending, nonce = self._wanted(user_id, sign_in_id), new_secret()
        if pending.nonce_hash and pending.is_registered:
            # If that is not possible, the link is as good as it was.
            with suppress(SignInError):
                pending = await self._preparing.registered_again(pending, redirect_uri)
        if redirect_uri != pending.secrets["redirect_uri"]:
            try:
                pending = await self._preparing.for_browser(pending, redirect_uri)
            except SignInError as error:
                raise SignInFailedError(error.reason) from error
        await self._replace(replace(pending, nonce_hash=hashed(nonce)))
        return Started(pending.authorization_url, nonce)

    async def register_again(self, user_id: str, sign_in_id: str) -> None:
        """Register again with the authorization server of a sign-in that waits, which gets another address.

        Raises NotFoundError, SignInFailedError, and ConflictError if its client was registered by hand.
        """
        pending = self._wanted(user_id, sign_in_id)
        if not pending.is_registered:
            raise ConflictError(Reason(ReasonCode.SIGN_IN_NOT_REGISTERED))
        try:
            pending = await self._preparing.registered_again(pending, pending.secrets["redirect_uri"])
        except SignInError as error:
            raise SignInFailedError(error.reason) from error
        await self._replace(pending)

    async def _replace(self, pending: PendingSignIn) -> None:
        """Save a changed sign-in. Raises NotFoundError if it is over meanwhile."""
        if not await self._store.of(pending.user_id).sign_ins.change(pending):
            raise NotFoundError(Reason(ReasonCode.SIGN_IN_UNKNOWN))
        self._states.change((pending.user_id, pending.server_id), wanted=pending)

    async def finish(self, query: str, nonce: str | None, user_id: str | None) -> Finished:
        """Take the raw query with which a browser returns from an authorization server; never raises for its content.

        `nonce` is the cookie of this browser, and `user_id` its signed-in user, as far as there are any.
        """
        return await self._callback.finish(query, nonce, user_id)

    async def cancel(self, user_id: str, sign_in_id: str) -> None:
        """Dismiss a sign-in; calls that wait for it fail. Raises NotFoundError."""
        pending = self._wanted(user_id, sign_in_id)
        key = (user_id, pending.server_id)
        await self._store.of(user_id).sign_ins.remove(pending.server_id)
        await self._remove_unfinished(pending)
        self._flows.unwatch(key)
        self._states.change(key, wanted=None, error=Reason(ReasonCode.SIGN_IN_DISMISSED))

    async def sign_out(self, server: ProtectedServer) -> None:
        """Remove the tokens for a server, then revoke them in the background (RFC 7009)."""
        user, auth = self._store.of(server.user_id), self._states.of(server.key)
        await self._flows.stop(server.key)
        self._renewals.forget(server.key)
        await user.sign_ins.remove(server.server_id)
        await user.grants.remove(server.server_id)
        await user.step_ups.remove(server.server_id)
        if auth.wanted:
            await self._remove_unfinished(auth.wanted)
        self._states.reset(server.key)
        if auth.granted:
            revocation = revoke(self._fetching, self._registrar, server.url, auth.granted)
            self._revocations.start(revocation, name="revoke a token")

    async def _lose(self, server: ProtectedServer, reason: Reason) -> None:
        """Take a server from its user, whose company opens it no more: its tokens, then the connection."""
        granted = self._states.of(server.key).granted
        # First what needs no database.
        self._states.change(server.key, granted=None, error=reason)
        await self._store.of(server.user_id).grants.remove(server.server_id)
        if granted:
            revocation = revoke(self._fetching, self._registrar, server.url, granted)
            self._revocations.start(revocation, name="revoke a token")
        if self.disconnect is not None:
            await self.disconnect(server.key, reason)

    async def _remove_unfinished(self, pending: PendingSignIn) -> None:
        """Remove the client of a sign-in that its user gives up, whether it was opened here or by a program."""
        await self._registrar.remove(pending.user_id, pending.issuer, pending.secrets)

    async def until_signed_in(self, server: ProtectedServer) -> None:
        """Wait until the wanted sign-in to a server has ended. Raises SignInFailedError if there is no token now."""
        await self.authorization_for(server).until_signed_in()

    async def forget(self, server: ProtectedServer) -> None:
        """Sign out of a server that was removed or changed, and forget its trace."""
        self.checks.forget(server.key)
        await self.sign_out(server)
        self._trace.forget(server.key)

    async def _open_to(self, key: ServerKey, server_url: str) -> tuple[Collection[Zone], Sequence[Network]]:
        server = None
        with suppress(NotFoundError):
            server = await self._store.of(key[0]).servers.get(key[1])
        return await self.guard.open_to(server, server_url)

    def _wanted(self, user_id: str, sign_in_id: str) -> PendingSignIn:
        """Return the sign-in of a user that waits. Raises NotFoundError."""
        pending = self._states.find_wanted(user_id, sign_in_id)
        if pending is None:
            raise NotFoundError(Reason(ReasonCode.SIGN_IN_UNKNOWN))
        return pending


logger = logging.getLogger(__name__)


async def revoke(fetching: Fetching, registrar: Registrar, server_url: str, grant: Grant) -> None:
    """Revoke the refresh token of a grant, or the access token without one; never raises.

    A client that the authorization server does not know is forgotten (RFC 7009, section 2.2.1).
    """
    url, refresh = grant.secrets.get("revocation_endpoint"), refresh_of(grant)
    if not url:
        return
    form = {"token": refresh or access_of(grant), "token_type_hint": "refresh_token" if refresh else "access_token"}
    try:
        headers, body = endpoint_of(grant).client.authenticated(form, grant.issuer)
        async with fetching.on_behalf_of((grant.user_id, grant.server_id), server_url) as fetch:
            fetched = await fetch.post(url, SignInStepKind.REVOCATION, data=body, headers=headers)
            failed = Reason.of(ReasonCode.SIGN_IN_NOT_REVOKED, issuer=grant.issuer, status=fetched.status)
            fetch.record(SignInStepKind.REVOCATION, fetched, reason=None if fetched.status == 200 else failed)
        if fetched.status == 401 or (fetched.body or {}).get("error") == "invalid_client":
            await registrar.remove(grant.user_id, grant.issuer, grant.secrets)
    except SignInError:
        # The trace has it; the tokens are deleted here in any case.
        pass
    except Exception as error:  # noqa: BLE001  (nothing waits for it)
        logger.error("A revocation failed: %s", type(error).__name__)  # noqa: TRY400
