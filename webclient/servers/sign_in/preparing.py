"""Prepares a sign-in until the user can open it: discovery, checks, registration, address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from webclient.domain.model import Grant, Json, PendingSignIn, Reason, ReasonCode, SignInStepKind, now
from webclient.servers.sign_in.authorization_url import authorization_url, hashed, new_secret
from webclient.servers.sign_in.challenges import Challenge, selected, token_challenge, with_offline
from webclient.servers.sign_in.client import Client
from webclient.servers.sign_in.discovery import Discovered, discover, wants_key
from webclient.servers.sign_in.errors import SignInError
from webclient.servers.sign_in.fetching import Fetching
from webclient.servers.sign_in.guarded_fetch import GuardedFetch
from webclient.servers.sign_in.metadata import AuthorizationServer
from webclient.servers.sign_in.proofs import ProofKey
from webclient.servers.sign_in.protected_server import ProtectedServer
from webclient.servers.sign_in.registration import Registrar

LIFETIME = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Preparing:
    """Makes the row of a sign-in; `callback_url` is the usual redirect URI."""

    fetching: Fetching
    registrar: Registrar
    callback_url: str

    async def prepare(
        self,
        server: ProtectedServer,
        challenge: Challenge | None,
        before: Grant | None,
        forgotten: str | None = None,
    ) -> PendingSignIn:
        """Return a sign-in that the user can open; `before` is the grant that is not enough. Raises SignInError.

        A registered client with the ID `forgotten` is replaced.
        """
        async with self.fetching.on_behalf_of(server.key, server.url) as fetch:
            known = partial(self.registrar.first_known, server, self.callback_url, before)
            found = await discover(fetch, server, challenge, known=known)
            endpoint = _checked_endpoint(server, found.at)
            if before and before.issuer != found.at.issuer:
                # Scopes of another authorization server mean nothing here.
                before = None
            scopes = selected(server.text("scope"), challenge or Challenge(), found.scopes, before)
            client = await self._client(fetch, server, found, scopes, forgotten)
        if scopes and not server.text("scope"):
            scopes = with_offline(scopes, found.at.scopes)
        granted = before.scopes if before else ()
        secrets = self._secrets(server, found, endpoint, client)
        return PendingSignIn(
            user_id=server.user_id,
            server_id=server.server_id,
            issuer=found.at.issuer,
            scopes=scopes,
            new_scopes=tuple(scope for scope in scopes if scope not in granted),
            authorization_url=authorization_url(endpoint, scopes, secrets),
            state_hash=hashed(secrets["state"]),
            expires_at=now() + LIFETIME,
            secrets=secrets,
        )

    async def challenge_of(self, server: ProtectedServer) -> Challenge | None:
        """Return the challenge of a server that is asked without a token. Raises SignInError."""
        async with self.fetching.on_behalf_of(server.key, server.url) as fetch:
            fetched = await fetch.get(server.url, SignInStepKind.CHALLENGE)
            fetch.record(SignInStepKind.CHALLENGE, fetched)
        return token_challenge(fetched.challenges)

    async def for_browser(self, pending: PendingSignIn, redirect_uri: str) -> PendingSignIn:
        """Return the sign-in with the redirect URI of the browser that opens it. Raises SignInError.

        Each host name of ours is another redirect URI, which may need a registration.
        """
        return await self._with_client(pending, {"redirect_uri": redirect_uri}, None)

    async def registered_again(self, pending: PendingSignIn, redirect_uri: str) -> PendingSignIn:
        """Return the sign-in with another registered client than the one it has. Raises SignInError.

        A link that is open somewhere belongs to the client before, so the way back from it must find nothing.
        """
        changed = {"redirect_uri": redirect_uri, "state": new_secret(), "verifier": new_secret()}
        client_id = pending.secrets["client"]["client_id"]
        again = await self._with_client(pending, changed | {"was_registered_again": True}, client_id)
        return replace(again, state_hash=hashed(changed["state"]), nonce_hash=None)

    async def _with_client(self, pending: PendingSignIn, changed: Json, forgotten: str | None) -> PendingSignIn:
        secrets = {**pending.secrets, **changed}
        server = ProtectedServer(
            user_id=pending.user_id,
            server_id=pending.server_id,
            url=secrets["server_url"],
            oauth=secrets["oauth"],
        )
        at = AuthorizationServer(**secrets["at"])
        async with self.fetching.on_behalf_of(server.key, server.url) as fetch:
            client = await self.registrar.client_for(
                fetch,
                server,
                at,
                redirect_uri=secrets["redirect_uri"],
                scopes=pending.scopes,
                forgotten=forgotten,
            )
        secrets["client"] = client.as_json()
        url = authorization_url(str(at.authorization_endpoint), pending.scopes, secrets)
        return replace(pending, secrets=secrets, authorization_url=url)

    async def _client(
        self,
        fetch: GuardedFetch,
        server: ProtectedServer,
        found: Discovered,
        scopes: tuple[str, ...],
        forgotten: str | None,
    ) -> Client:
        # A registration may limit a client to its scopes, so it names all that the server knows.
        allowed = tuple(dict.fromkeys((*scopes, *(found.scopes or ()))))
        try:
            return await self.registrar.client_for(
                fetch,
                server,
                found.at,
                redirect_uri=self.callback_url,
                scopes=with_offline(allowed, found.at.scopes),
                forgotten=forgotten,
            )
        except SignInError as error:
            if found.at.is_guessed and error.reason.code is ReasonCode.SIGN_IN_REGISTRATION_REFUSED:
                # Nothing is there at the guessed address: the server wants a key in place of a sign-in.
                raise wants_key(server) from error
            raise

    def _secrets(self, server: ProtectedServer, found: Discovered, endpoint: str, client: Client) -> Json:
        at = found.at
        names = {"issuer", "token_endpoint", "registration_endpoint", "revocation_endpoint", "announces_iss"}
        return {
            "state": new_secret(),
            "verifier": new_secret(),
            "redirect_uri": self.callback_url,
            "resource": found.resource,
            "client": client.as_json(),
            "proof_key": ProofKey.new().pem if found.wants_proof else None,
            "server_url": server.url,
            "oauth": server.oauth,
            "at": {name: getattr(at, name) for name in names}
            | {"authorization_endpoint": endpoint, "auth_methods": at.auth_methods and list(at.auth_methods)}
            | {"takes_metadata_documents": at.takes_metadata_documents},
        }


def _checked_endpoint(server: ProtectedServer, at: AuthorizationServer) -> str:
    """Return the authorization endpoint of a server that announces PKCE. Raises SignInError.

    MCP 2026-07-28, Authorization, Authorization Code Protection: without the announcement clients MUST NOT proceed.
    """
    if not at.announces_pkce and not server.deviations.pkce_unannounced:
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_NO_PKCE, issuer=at.issuer))
    if at.authorization_endpoint is None:
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_NO_ENDPOINT, issuer=at.issuer, name="authorization_endpoint"))
    return at.authorization_endpoint
