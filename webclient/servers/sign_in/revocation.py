"""Revokes tokens at their authorization server, as far as it lets us (RFC 7009)."""

from __future__ import annotations

import logging

from webclient.domain.model import Grant, Reason, ReasonCode, SignInStepKind
from webclient.servers.sign_in.errors import SignInError
from webclient.servers.sign_in.fetching import Fetching
from webclient.servers.sign_in.grants import access_of, endpoint_of, refresh_of
from webclient.servers.sign_in.registration import Registrar

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
            await registrar.forget(grant.user_id, grant.issuer, grant.secrets)
    except SignInError:
        # The trace has it; the tokens are deleted here in any case.
        pass
    except Exception as error:  # noqa: BLE001  (nothing waits for it)
        logger.error("A revocation failed: %s", type(error).__name__)  # noqa: TRY400
