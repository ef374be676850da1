"""Finishes a sign-in when a browser comes back from the authorization server.

First `state`, then browser and user, then `iss`, then the error, then the code: text of a sender that is not proven is
never used (MCP 2026-07-28, Authorization; RFC 9207; RFC 9700).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hmac import compare_digest
from urllib.parse import parse_qsl

import anyio

from webclient.domain.errors import NotFoundError
from webclient.domain.model import LOCAL_USER, Grant, PendingSignIn, Reason, ReasonCode, SignInStepKind, now
from webclient.servers.sign_in.auth_states import AuthStates
from webclient.servers.sign_in.authorization_url import hashed
from webclient.servers.sign_in.client import Client
from webclient.servers.sign_in.errors import RefusedGrantError, SignInError, says_client_unknown
from webclient.servers.sign_in.fetching import Fetching
from webclient.servers.sign_in.flows import Flows
from webclient.servers.sign_in.grants import new_grant, proof_key_of, with_resource
from webclient.servers.sign_in.registration import Registrar
from webclient.servers.sign_in.token_endpoint import TokenEndpoint, request_tokens
from webclient.servers.sign_in.trace import Trace
from webclient.store import StorageError, Store

_PARAMETERS = ("state", "iss", "error", "error_description", "code")
_MOST_PARAMETERS = 20
_LONGEST_ERROR = 100
_LONGEST_TEXT = 1000


@dataclass(frozen=True, slots=True)
class Finished:
    """How the return from an authorization server ended: signed in to the server, unless there is a `reason`.

    `user_id` and `server_id` are None if the sign-in is unknown, or belongs to another user or browser.
    """

    user_id: str | None
    server_id: str | None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Callback:
    """Takes the queries with which browsers come back."""

    store: Store
    states: AuthStates
    flows: Flows
    fetching: Fetching
    registrar: Registrar
    trace: Trace

    async def finish(self, query: str, nonce: str | None, user_id: str | None) -> Finished:
        """Finish the sign-in that a query belongs to; raises StorageError only."""
        parameters = _read(query)
        state_hash = hashed(parameters.get("state", ""))
        pending = await self.store.system.sign_ins.by_state(state_hash)
        if pending is None:
            return Finished(None, None, Reason(ReasonCode.SIGN_IN_UNKNOWN))
        if user_id not in (None, pending.user_id):
            return Finished(None, None, Reason(ReasonCode.SIGN_IN_OTHER_USER))
        if not _is_same_browser(pending, nonce, user_id):
            return Finished(None, None, Reason(ReasonCode.SIGN_IN_OTHER_BROWSER))
        # Exactly one of several tabs gets it.
        used = await self.store.of(pending.user_id).sign_ins.use(state_hash, now())
        if used is None:
            return Finished(pending.user_id, pending.server_id, Reason(ReasonCode.SIGN_IN_USED))
        return await self._conclude(used, parameters)

    async def _conclude(self, pending: PendingSignIn, parameters: Mapping[str, str]) -> Finished:
        key = (pending.user_id, pending.server_id)
        try:
            # Shielded: the code works once, and a token that is not stored is lost.
            with anyio.CancelScope(shield=True):
                _check_answer(pending, parameters)
                if _is_client_unknown(parameters):
                    raise await self._unknown_client(pending)
                code = _code(pending, parameters)
                grant = await self._exchange(pending, code)
                self._check_wanted(pending)
                await self.store.of(pending.user_id).grants.save(grant)
        except SignInError as error:
            reason = error.reason
        except StorageError as error:
            reason = error.reason
        except NotFoundError:
            self.states.reset(key)
            return Finished(None, None, Reason(ReasonCode.SIGN_IN_REMOVED))
        else:
            self.flows.unwatch(key)
            self.states.change(key, granted=grant, wanted=None, error=None)
            return Finished(*key)
        self.trace.add(key, SignInStepKind.AUTHORIZATION, pending.authorization_url, reason=reason)
        wanted = self.states.of(key).wanted
        if wanted and wanted.id == pending.id:
            self.flows.unwatch(key)
            self.states.change(key, wanted=None, error=reason)
        return Finished(*key, reason)

    def _check_wanted(self, pending: PendingSignIn) -> None:
        """Raise SignInError if the user has dismissed the sign-in, or signed out, while the token was requested."""
        wanted = self.states.of((pending.user_id, pending.server_id)).wanted
        if wanted is None or wanted.id != pending.id:
            raise SignInError(Reason(ReasonCode.SIGN_IN_UNKNOWN))

    async def _unknown_client(self, pending: PendingSignIn) -> SignInError:
        """Forget the registration, so that the next sign-in registers again, and return the error that says so."""
        await self.registrar.remove(pending.user_id, pending.issuer, pending.secrets)
        return SignInError(Reason.of(ReasonCode.SIGN_IN_CLIENT_UNKNOWN, issuer=pending.issuer))

    async def _exchange(self, pending: PendingSignIn, code: str) -> Grant:
        """Return the grant for a code. Raises SignInError."""
        key, secrets = (pending.user_id, pending.server_id), pending.secrets
        client, url = Client.of(secrets["client"]), secrets["at"]["token_endpoint"]
        endpoint = TokenEndpoint(pending.issuer, url, client, proof_key_of(secrets))
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": secrets["redirect_uri"],
            "code_verifier": secrets["verifier"],
        }
        self.trace.add(key, SignInStepKind.AUTHORIZATION, pending.authorization_url, found="code")
        try:
            async with self.fetching.on_behalf_of(key, secrets["server_url"]) as fetch:
                tokens = await request_tokens(fetch, endpoint, with_resource(form, secrets["resource"]))
        except RefusedGrantError as error:
            if error.is_client_unknown:
                raise await self._unknown_client(pending) from error
            raise
        return new_grant(
            key,
            endpoint,
            tokens,
            resource=secrets["resource"],
            requested=pending.scopes,
            revocation_endpoint=secrets["at"]["revocation_endpoint"],
            redirect_uri=secrets["redirect_uri"],
        )


def _read(query: str) -> dict[str, str]:
    """Return the parameters of a query; one that is repeated means nothing (RFC 6749, section 3.1)."""
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)
    except ValueError:
        return {}
    counts = Counter(name for name, _value in pairs)
    return {name: value for name, value in pairs if name in _PARAMETERS and counts[name] == 1}


def _is_same_browser(pending: PendingSignIn, nonce: str | None, user_id: str | None) -> bool:
    """Return whether the browser that came back is the one that began, or its user's.

    The check is safe because a foreign browser has neither the cookie nor the session: without it, an attacker could
    send a victim the attacker's own address, and get the victim's token.
    """
    if nonce and pending.nonce_hash and compare_digest(hashed(nonce), pending.nonce_hash):
        return True
    # A program of the only user may open the address itself, and then has neither.
    return user_id == pending.user_id or (pending.nonce_hash is None and pending.user_id == LOCAL_USER)


def _check_answer(pending: PendingSignIn, parameters: Mapping[str, str]) -> None:
    """Check that the issuer sent an answer, and in time. Raises SignInError."""
    issuer, iss = pending.issuer, parameters.get("iss")
    if pending.expires_at <= now():
        raise SignInError(Reason(ReasonCode.SIGN_IN_EXPIRED))
    if iss is not None and iss != issuer:
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_OTHER_ISS, issuer=issuer))
    if iss is None and pending.secrets["at"]["announces_iss"]:
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_MISSING_ISS, issuer=issuer))


def _is_client_unknown(parameters: Mapping[str, str]) -> bool:
    error = parameters.get("error")
    return bool(error) and says_client_unknown(str(error), parameters.get("error_description", "")[:_LONGEST_TEXT])


def _code(pending: PendingSignIn, parameters: Mapping[str, str]) -> str:
    """Return the code of a checked answer. Raises SignInError."""
    issuer = pending.issuer
    if error := parameters.get("error"):
        if error == "access_denied":
            raise SignInError(Reason.of(ReasonCode.SIGN_IN_DENIED, issuer=issuer))
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_ERROR, issuer=issuer, error=error[:_LONGEST_ERROR]))
    if not parameters.get("code"):
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_NO_CODE, issuer=issuer))
    return parameters["code"]
