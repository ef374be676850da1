"""The OpenID provider: begins and finishes sign-ins, and says where they end.

Authlib makes the requests; tokens are verified as all other JWTs are. Done here is what it leaves to its caller: the
issuer of the answer (RFC 9207), bounds, and the claims beside those of the token.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.base_client import OAuthError
from authlib.integrations.httpx_client import AsyncOAuth2Client
from authlib.integrations.starlette_client import StarletteOAuth2App

from webclient.auth.jwt import JwtFault, JwtRefusedError
from webclient.auth.oidc_provider.begun_flows import BegunFlow
from webclient.auth.oidc_provider.bounded import TOTAL_SECONDS, TooLargeError, Transport, client_options, transport_of
from webclient.auth.oidc_provider.claims import is_allowed, is_shut_out, is_whole, merged, person_of, session_of
from webclient.auth.oidc_provider.metadata import Metadata, read_metadata
from webclient.auth.oidc_provider.provider_tokens import PAUSE, LoggedOut, ProviderTokens
from webclient.auth.oidc_provider.refusals import AccessTokenRefusedError, Refusal, RefusedError
from webclient.auth.oidc_provider.steps import Begun, EndedError, Finished, ProviderClient, Renewed
from webclient.domain.model import Json, ReasonCode
from webclient.network import network_reason, network_words
from webclient.settings import Settings
from webclient.support.library_parts import expect
from webclient.support.log_lines import rare_logger

logger = rare_logger(__name__)

LEEWAY = 60
"""Seconds by which the clocks of the provider and of this machine may differ."""

FRESH = 3600.0
"""Seconds after which the description of the provider, and its keys, are fetched again."""

LASTING = 86_400.0
"""Seconds for which agents go on with an old description while the provider cannot be reached."""

_ENDED = ("invalid_grant", "access_denied", "login_required", "interaction_required", "consent_required")
"""Errors for which a refresh token is of no use any more (RFC 6749, section 5.2; OpenID Connect Core 1.0, 3.1.2.6)."""

_MALFORMED = (ValueError, LookupError, TypeError, AttributeError, RuntimeError)
"""The errors of JSON of another shape, or too deep."""

_REFUSAL_OF = {
    ReasonCode.HOST_UNKNOWN: Refusal.HOST_UNKNOWN,
    ReasonCode.NOTHING_LISTENS: Refusal.NOTHING_LISTENS,
    ReasonCode.CERTIFICATE_INVALID: Refusal.CERTIFICATE_INVALID,
}
_UNUSABLE = (httpx2.HTTPError, httpx2.InvalidURL, *_MALFORMED)

WRITTEN_FOR = {"Authlib": "1.9"}
"""The version of Authlib whose inner parts are used here."""

RELIED_ON = (
    "auth/oidc_provider/provider.py: an app needs no framework, and makes a `client_cls` for each step",
    "auth/oidc_provider/provider_tokens.py: `fetch_jwk_set` keeps the keys until it is forced",
)
"""Behaviour that Authlib does not promise, by the file that relies on it."""

expect(StarletteOAuth2App._get_oauth_client, "self metadata", "client_cls", "client_kwargs")
expect(StarletteOAuth2App.fetch_jwk_set, "self force")


class Provider:
    """The provider of the settings; `transport` makes the connections of tests."""

    def __init__(self, settings: Settings, transport: Transport | None = None) -> None:
        self._settings = settings
        self._transport = transport or transport_of(settings.ca_file)
        self._turn = asyncio.Lock()
        self._loaded: tuple[float, Metadata, Any] | None = None
        self._failed_at = -PAUSE
        self._tokens = ProviderTokens(self.issuer, settings.oidc_client_id or "", LEEWAY)

    @property
    def issuer(self) -> str:
        """The issuer of its users."""
        return self._settings.oidc_issuer or ""

    @property
    def label(self) -> str:
        """The name of the provider for people."""
        return self._settings.oidc_label or urlsplit(self.issuer).netloc

    async def begin(self, redirect_uri: str, page: str, *, again: bool = False) -> Begun:
        """Begin a sign-in that comes back to `redirect_uri` and goes on to `page`. Raises RefusedError.

        With `again` the provider asks for a sign-in even if it has a session, so that another account can be chosen.
        """
        async with _refusing(page):
            metadata, app = await self._app()
            prompt = {"prompt": metadata.prompt_again} if again else {}
            made = await app.create_authorization_url(redirect_uri, **prompt)
        flow = BegunFlow(
            state=made["state"],
            nonce=made["nonce"],
            verifier=made["code_verifier"],
            redirect_uri=redirect_uri,
            page=page,
        )
        return Begun(url=made["url"], flow=flow)

    async def finish(self, answer: Mapping[str, str], flow: BegunFlow) -> Finished:
        """Finish the sign-in of a flow with the parameters of the provider's answer to it. Raises RefusedError."""
        async with _refusing(flow.page):
            metadata, app = await self._app()
            _check_answer(answer, metadata, flow.page)
            token = await app.fetch_access_token(
                code=answer["code"], code_verifier=flow.verifier, redirect_uri=flow.redirect_uri
            )
            claims = await self._claims(app, metadata, token, flow.nonce)
        person = person_of(claims, self._settings)
        if not is_allowed(claims, self._settings):
            raise RefusedError(Refusal.NOT_ALLOWED, flow.page, person)
        return Finished(
            person=person,
            page=flow.page,
            id_token=token["id_token"],
            provider_session=session_of(claims),
            ends_at=_end_of(claims),
            refresh_token=_refresh_token(token),
        )

    async def renew(self, refresh_token: str, subject: str) -> Renewed:
        """Return a new ID token of a subject (OpenID Connect Core 1.0, section 12.2).

        Raises EndedError, also if their groups may not sign in any more, and RefusedError while it is not possible.
        """
        ended = None
        async with _refusing("/", "An ID token is not renewed"):
            metadata, app = await self._app()
            try:
                async with app._get_oauth_client() as client:
                    token = await client.refresh_token(metadata.endpoints["token_endpoint"], refresh_token)
            except OAuthError as error:
                if error.error not in _ENDED:
                    raise
                ended = EndedError(error.error)
            else:
                claims = await self._renewed_claims(app, metadata, token, subject)
        if ended or claims is None or is_shut_out(claims, self._settings):
            raise ended or EndedError
        return Renewed(
            id_token=token["id_token"],
            refresh_token=_refresh_token(token) or refresh_token,
            ends_at=_end_of(claims),
        )

    async def _renewed_claims(self, app: Any, metadata: Metadata, token: Any, subject: str) -> Json | None:
        if "id_token" not in token:
            # Permitted, and then only a sign-in gives another one.
            return None
        claims = await self._tokens.verify_id_token(
            token["id_token"], app, metadata.algorithms, nonce=None, access_token=token.get("access_token")
        )
        if claims["sub"] != subject:
            raise JwtRefusedError(JwtFault.WRONG_CLAIM, "sub")
        return claims

    async def client(self) -> ProviderClient:
        """Return this program as the provider knows it. Raises RefusedError while it cannot be reached."""
        async with _refusing("/", "A server is not opened"):
            metadata, _app = await self._app()
        return ProviderClient(
            issuer=self.issuer,
            client_id=self._settings.oidc_client_id or "",
            secret=self._settings.oidc_client_secret,
            takes_secret_in_form=metadata.takes_secret_in_form,
            token_endpoint=metadata.endpoints["token_endpoint"],
        )

    async def sign_out_url(self, id_token: str | None, back_to: str) -> str | None:
        """Return the address that ends the session at the provider (RP-Initiated Logout 1.0).

        None: the provider has no such address, or cannot be reached.
        """
        try:
            async with _refusing("/"):
                metadata, app = await self._app()
                if "end_session_endpoint" not in metadata.endpoints:
                    return None
                made = await app.create_logout_url(
                    post_logout_redirect_uri=back_to, id_token_hint=id_token, client_id=self._settings.oidc_client_id
                )
        except RefusedError:
            return None
        return str(made["url"])

    async def verify_logout(self, token: str) -> LoggedOut:
        """Return whom the provider has signed out, by its logout token. Raises RefusedError."""
        async with _refusing("/", "A logout token is refused"):
            metadata, app = await self._app()
            return await self._tokens.verify_logout_token(token, app, metadata.algorithms)

    async def verify_access_token(self, token: str, resources: Collection[str]) -> Json:
        """Return the claims of an agent's access token for these addresses. Raises AccessTokenRefusedError."""
        refused = None
        try:
            async with _refusing("/", "A token of an agent is refused"):
                app = await self._app_of_agents()
                try:
                    return await self._tokens.verify_access_token(token, app, resources)
                except AccessTokenRefusedError as error:
                    refused = error
        except RefusedError:
            self._failed_at = monotonic()
        raise refused or AccessTokenRefusedError(JwtFault.KEYS_UNREACHABLE)

    async def _app_of_agents(self) -> Any:
        """Return the app; a description that is too old lasts while the provider cannot be reached."""
        known = self._loaded if self._loaded and self._loaded[0] > monotonic() - LASTING else None
        if monotonic() - self._failed_at < PAUSE:
            # Agents do not wait for it again, and their requests do not make us ask.
            if known is None:
                raise RefusedError(Refusal.UNREACHABLE)
            return known[2]
        try:
            return (await self._app())[1]
        except (TimeoutError, TooLargeError, *_UNUSABLE):
            self._failed_at = monotonic()
            if known is None:
                raise
            return known[2]

    async def _app(self) -> tuple[Metadata, Any]:
        # One fetch for all who wait.
        async with self._turn:
            if self._loaded is None or self._loaded[0] < monotonic() - FRESH:
                metadata = await read_metadata(self.issuer, self._transport)
                self._loaded = (monotonic(), metadata, self._made(metadata))
            return self._loaded[1:]

    def _made(self, metadata: Metadata) -> Any:
        method = "client_secret_post" if metadata.takes_secret_in_form else "client_secret_basic"
        return _App(
            None,
            "oidc",
            client_id=self._settings.oidc_client_id,
            client_secret=self._settings.oidc_client_secret,
            client_kwargs={
                "scope": " ".join(self._settings.oidc_scopes),
                "code_challenge_method": "S256",
                "token_endpoint_auth_method": method if self._settings.oidc_client_secret else "none",
                "make_transport": self._transport,
            },
            issuer=metadata.issuer,
            id_token_signing_alg_values_supported=metadata.algorithms,
            **metadata.endpoints,
        )

    async def _claims(self, app: Any, metadata: Metadata, token: Any, nonce: str) -> dict[str, Any]:
        if "id_token" not in token:
            raise JwtRefusedError(JwtFault.MISSING_CLAIM, "id_token")
        claims = await self._tokens.verify_id_token(
            token["id_token"], app, metadata.algorithms, nonce=nonce, access_token=token.get("access_token")
        )
        if is_whole(claims, self._settings) or "userinfo_endpoint" not in metadata.endpoints:
            return claims
        # Used at once, so its time does not count: Authlib takes a token for expired 60 seconds before it is.
        lasting = {name: token[name] for name in ("access_token", "token_type") if name in token}
        more = await app.userinfo(token=lasting)
        # OpenID Connect Core 1.0, section 5.3.2: it may be that of another user.
        if more["sub"] != claims["sub"]:
            raise ValueError("userinfo of another subject")
        return merged(claims, more)


class _Client(AsyncOAuth2Client):  # type: ignore[misc]  # Authlib has no types
    """Authlib's client, with a bounded transport of its own for each exchange."""

    def __init__(self, *given: Any, make_transport: Transport, **options: Any) -> None:
        super().__init__(*given, **options | client_options(make_transport))


class _App(StarletteOAuth2App):  # type: ignore[misc]
    client_cls = _Client


def _refresh_token(token: Any) -> str | None:
    found = token.get("refresh_token")
    return found if isinstance(found, str) and found else None


def _end_of(claims: Mapping[str, Any]) -> datetime:
    return datetime.fromtimestamp(claims["exp"], UTC)


def _check_answer(answer: Mapping[str, str], metadata: Metadata, page: str) -> None:
    # Before anything else of it is read: another provider must not even tell an error (RFC 9207, section 2.4).
    if answer.get("iss", metadata.issuer if not metadata.names_issuer else None) != metadata.issuer:
        raise RefusedError(Refusal.OTHER_ISSUER, page)
    if answer.get("error") == "access_denied":
        raise RefusedError(Refusal.CANCELLED, page)
    if "error" in answer or "code" not in answer:
        logger.warning("The OpenID provider refused a sign-in: %.100r", answer.get("error"))
        raise RefusedError(Refusal.PROVIDER_ERROR, page)


@asynccontextmanager
async def _refusing(page: str, what: str = "A sign-in failed") -> AsyncIterator[None]:
    """Make a refusal of each way in which an exchange with the provider fails, and log the cause.

    `what` begins the line, so that forged logout tokens leave no line about a sign-in out.
    """
    try:
        async with asyncio.timeout(TOTAL_SECONDS):
            yield
    except AuthlibBaseError as error:
        logger.warning(f"{what}: the OpenID provider answered %.100r.", error.error)
        raise RefusedError(Refusal.PROVIDER_ERROR, page) from None
    except TooLargeError as error:
        logger.warning(f"{what}: an answer of the OpenID provider is %s.", error)
        raise RefusedError(Refusal.UNUSABLE, page) from None
    except TimeoutError:
        logger.warning(f"{what}: the OpenID provider did not answer within %d seconds.", TOTAL_SECONDS)
        raise RefusedError(Refusal.UNREACHABLE, page) from None
    except httpx2.TransportError as error:
        raise RefusedError(_unreachable(what, error), page) from None
    except httpx2.HTTPStatusError as error:
        logger.warning(f"{what}: the OpenID provider answered with %s.", error.response.status_code)
        raise RefusedError(Refusal.UNREACHABLE, page) from None
    except (JwtRefusedError, *_UNUSABLE) as error:
        # Of a check of a token the text names the claim; other texts may quote what came.
        why = str(error)[:100] if isinstance(error, JwtRefusedError) else type(error).__name__
        logger.warning(f"{what}: what came from the OpenID provider is unusable: %s", why)
        raise RefusedError(Refusal.UNUSABLE, page) from None


def _unreachable(what: str, error: httpx2.TransportError) -> Refusal:
    """Log why and where the provider cannot be reached, for the operator; return what the person may know of it."""
    url = error.request.url
    reason = network_reason(error, str(url))
    if reason is None:
        logger.warning(f"{what}: the OpenID provider at %s cannot be reached: %s", url.host, type(error).__name__)
        return Refusal.UNREACHABLE
    # With the code in the message, a rare line of one reason does not stand for those of the others.
    message = f"{what}: the OpenID provider cannot be reached ({reason.code}): %s."
    if reason.code is not ReasonCode.CERTIFICATE_INVALID:
        message += " Check --oidc-issuer (WEBCLIENT_OIDC_ISSUER), and the network."
    logger.warning(message, network_words(reason))
    return _REFUSAL_OF.get(reason.code, Refusal.UNREACHABLE)
