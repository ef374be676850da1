"""The sign-in to one server as its HTTP client uses it: a token for each request, and another after a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webclient.domain.errors import SignInFailedError, WebclientError
from webclient.domain.model import Grant, Reason, ReasonCode, Unauthorized
from webclient.servers.sign_in.auth_states import AuthStates
from webclient.servers.sign_in.challenges import Challenge, token_challenge
from webclient.servers.sign_in.flows import Flows
from webclient.servers.sign_in.grants import access_of, is_ending, proof_key_of, refresh_of
from webclient.servers.sign_in.proofs import HEADER, NONCE_WANTED, nonce_in, usable_nonce
from webclient.servers.sign_in.protected_server import ProtectedServer
from webclient.servers.sign_in.renewals import Renewals
from webclient.store import Store

MOST_STEP_UPS = 2
"""How often a user is asked for one more scope; a server may never be content."""

UNAUTHORIZED = 401


@dataclass(frozen=True, slots=True)
class ServerAuthorization:
    """The sign-in of one user to one server (`protocol.Authorization`)."""

    server: ProtectedServer
    store: Store
    states: AuthStates
    flows: Flows
    renewals: Renewals

    async def token(self) -> str | None:
        """Return the token for the next request, renewed shortly before it ends; None without one."""
        grant = self._granted
        if grant and is_ending(grant):
            if self.server.needs_no_person:
                await self._request_again()
            elif refresh_of(grant):
                await self.renewals.renew(self.server)
        return access_of(self._granted)

    def headers(self, token: str, method: str, url: str) -> Mapping[str, str]:
        """Return the headers that present a token in one request: a bound one with a proof of its own."""
        grant = self._granted
        key = proof_key_of(grant.secrets) if grant and grant.is_bound and access_of(grant) == token else None
        if key is None:
            return {"authorization": f"Bearer {token}"}
        proof = key.proof(method, url, token=token, nonce=self.states.nonce_of(self.server.key))
        return {"authorization": f"DPoP {token}", HEADER: proof}

    def note_nonce(self, nonce: str) -> None:
        """Note a nonce for the next proof."""
        if usable := usable_nonce(nonce):
            self.states.note_nonce(self.server.key, usable)

    def accepted(self, token: str) -> None:
        """Note that the server has accepted a token: a later refusal means that it has ended."""
        self.states.accept(self.server.key, token)

    async def after(self, refusal: Unauthorized, *, may_ask: bool) -> str | None:
        """Return another token to send the request again with; None if the user has to sign in first."""
        try:
            return await self._after(refusal, may_ask=may_ask)
        except WebclientError as error:
            # A database that fails now; the request has failed anyway.
            self.states.change(self.server.key, error=error.reason)
            return None

    async def until_signed_in(self) -> None:
        """Wait for the pending sign-in to finish. Raises SignInFailedError if it leaves no valid token."""
        while self.flows.is_wanted(self.server.key):
            await self.states.next_change(self.server.key)
        auth = self.states.of(self.server.key)
        if auth.granted is None or auth.error is not None:
            raise SignInFailedError(auth.error or Reason(ReasonCode.SIGN_IN_REQUIRED))

    @property
    def _granted(self) -> Grant | None:
        return self.states.of(self.server.key).granted

    async def _after(self, refusal: Unauthorized, *, may_ask: bool) -> str | None:
        access = access_of(self._granted)
        if access and access != refusal.token:
            # Another connection has renewed it, or the user has signed in meanwhile.
            return access
        challenge = token_challenge(refusal.challenges)
        if access and _is_for_its_nonce(challenge, refusal):
            return access
        if refusal.status != UNAUTHORIZED:
            if may_ask and challenge and challenge.wants_more_scope:
                return await self._step_up(challenge)
            return None
        self.flows.remember(self.server.key, challenge)
        if self.server.needs_no_person:
            return await self._without_person(refusal.token)
        access = await self._renewed(refusal.token)
        if access is None:
            self._ask(may_ask=may_ask)
        return access

    async def _renewed(self, refused: str | None) -> str | None:
        """Renew a refused token once; a token that came from that and is refused as well is not renewed again."""
        grant = self._granted
        if grant is None or refresh_of(grant) is None:
            return None
        if grant.version > 0 and not self.states.has_accepted(self.server.key, refused):
            return None
        reason = await self.renewals.renew(self.server)
        if reason:
            self.states.change(self.server.key, error=reason)
        access = access_of(self._granted)
        return access if access != refused else None

    def _ask(self, *, may_ask: bool) -> None:
        """Ask the user to sign in, unless that cannot help or is not possible now."""
        granted, error = self._granted, self.states.of(self.server.key).error
        if granted and not self.states.has_accepted_any(self.server.key):
            # Signing in again would give the same token: the user decides, not a loop.
            reason = Reason.of(
                ReasonCode.SIGN_IN_TOKEN_REJECTED, issuer=granted.issuer, resource=granted.resource or self.server.url
            )
            self.states.change(self.server.key, error=reason)
        elif may_ask and not (granted and refresh_of(granted) and error):
            self.flows.begin(self.server)

    async def _without_person(self, refused: str | None) -> str | None:
        granted = self._granted
        if granted and not self.states.has_accepted_any(self.server.key):
            self._ask(may_ask=False)
            return None
        await self._request_again()
        access = access_of(self._granted)
        return access if access != refused else None

    async def _request_again(self) -> None:
        self.flows.begin(self.server)
        await self.flows.prepared(self.server.key)

    async def _step_up(self, challenge: Challenge) -> str | None:
        """Ask the user for more scopes, a few times (MCP, Authorization, Step-Up Authorization Flow).

        A machine asks by itself, and gets the new token.
        """
        refused = access_of(self._granted)
        step_ups, scope = self.store.of(self.server.user_id).step_ups, challenge.scope or ""
        if await step_ups.count(self.server.server_id, scope) >= MOST_STEP_UPS:
            reason = Reason.of(ReasonCode.SIGN_IN_SCOPE_LIMIT, scope=scope)
            self.states.change(self.server.key, error=reason)
            return None
        self.flows.remember(self.server.key, challenge)
        if self.flows.begin(self.server):
            await step_ups.add(self.server.server_id, scope)
        if not self.server.needs_no_person:
            return None
        await self.flows.prepared(self.server.key)
        access = access_of(self._granted)
        return access if access != refused else None


def _is_for_its_nonce(challenge: Challenge | None, refusal: Unauthorized) -> bool:
    """Return whether a token was refused because its proof lacks a nonce that is known now (RFC 9449, section 9)."""
    wanted = challenge is not None and challenge.error == NONCE_WANTED and usable_nonce(refusal.nonce)
    return bool(wanted) and nonce_in(refusal.proof) != wanted
