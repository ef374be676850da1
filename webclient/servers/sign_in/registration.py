"""Finds the client ID for an authorization server: preregistered, by metadata document, or by dynamic registration.

MCP 2026-07-28, Authorization, Client Registration Approaches; RFC 7591.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from webclient.domain.model import Grant, Json, Reason, ReasonCode, Registration, SignInStepKind
from webclient.servers.sign_in.client import BASIC, KEY, NONE, POST, Client
from webclient.servers.sign_in.client_document import client_metadata, with_twin
from webclient.servers.sign_in.errors import SignInError
from webclient.servers.sign_in.guarded_fetch import Fetched, GuardedFetch
from webclient.servers.sign_in.metadata import AuthorizationServer
from webclient.servers.sign_in.protected_server import ProtectedServer
from webclient.store import Store

_USABLE = (NONE, BASIC, POST)
_LONGEST_ERROR = 200
_HOUR = 3600

MOST_REGISTRATIONS = 10
"""How often a user is registered at an issuer within an hour; one that forgets at once must not end in a loop."""


MOST_REMEMBERED = 200
"""Registrations of one user that are remembered, whose oldest are forgotten early: a server may name many issuers."""


class Registrations:
    """The registrations of the last hour, by user; `clock` is monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times: dict[str, deque[tuple[float, int]]] = {}

    @property
    def remembered(self) -> int:
        """The number of registrations that take memory."""
        return sum(map(len, self._times.values()))

    def add(self, user_id: str, issuer: str) -> bool:
        """Count a registration; return whether the user is still within the limit at the issuer."""
        at = self._clock()
        # Those of other users, too: what is over takes no memory.
        for other in [each for each, times in self._times.items() if times[-1][0] <= at - _HOUR]:
            del self._times[other]
        times = self._times.setdefault(user_id, deque(maxlen=MOST_REMEMBERED))
        # Not the issuer itself, which a server may make as long as it likes.
        place = hash(issuer)
        if sum(then > at - _HOUR and where == place for then, where in times) >= MOST_REGISTRATIONS:
            return False
        times.append((at, place))
        return True


@dataclass(frozen=True, slots=True)
class Registrar:
    """Gives a client for each authorization server; `document_url` is the address of our metadata document."""

    store: Store
    document_url: str | None = None
    registered: Registrations = field(default_factory=Registrations)

    async def client_for(
        self,
        fetch: GuardedFetch,
        server: ProtectedServer,
        at: AuthorizationServer,
        *,
        redirect_uri: str,
        scopes: tuple[str, ...] = (),
        forgotten: str | None = None,
    ) -> Client:
        """Return the client to use at `at`; a new one is registered with these `scopes`. Raises SignInError.

        A registered client with the ID `forgotten` is not used again: the authorization server may know it no more.
        """
        if server.text("client_id"):
            await self._bind(server, at.issuer)
            return configured_client(server, at)
        document = server.text("client_metadata_url") or self.document_url
        if document and at.takes_metadata_documents:
            return Client(document)
        registrations = self.store.of(server.user_id).registrations
        name = with_twin(redirect_uri)[0]
        known = await registrations.get(at.issuer, name)
        if known and _is_usable(known.secrets, scopes) and known.secrets["client_id"] != forgotten:
            return _registered_client(known.secrets)
        if not self.registered.add(server.user_id, at.issuer):
            raise SignInError(Reason.of(ReasonCode.SIGN_IN_REGISTERED_OFTEN, issuer=at.issuer, n=MOST_REGISTRATIONS))
        secrets = await _register(fetch, at, redirect_uri, scopes)
        await registrations.save(
            Registration(user_id=server.user_id, issuer=at.issuer, redirect_uri=name, secrets=secrets)
        )
        return _registered_client(secrets)

    async def first_known(
        self, server: ProtectedServer, redirect_uri: str, before: Grant | None, issuers: Sequence[str]
    ) -> str | None:
        """Return the first of some issuers that gave us tokens or a client ID before."""
        if before and before.issuer in issuers:
            return before.issuer
        registrations = self.store.of(server.user_id).registrations
        for issuer in issuers:
            if await registrations.get(issuer, with_twin(redirect_uri)[0]):
                return issuer
        return None

    async def remove(self, user_id: str, issuer: str, secrets: Json) -> None:
        """Remove the registration that the secrets of a sign-in or grant name.

        The next sign-in registers again. A later registration stays: several servers may share an issuer that has
        forgotten us.
        """
        if not secrets.get("redirect_uri"):
            return
        registrations, name = self.store.of(user_id).registrations, with_twin(secrets["redirect_uri"])[0]
        known = await registrations.get(issuer, name)
        if known is None or known.secrets["client_id"] == secrets["client"]["client_id"]:
            await registrations.remove(issuer, name)

    async def _bind(self, server: ProtectedServer, issuer: str) -> None:
        """Refuse to show a configured client to another authorization server than its own. Raises SignInError.

        Without the setting `issuer` it belongs to the first one that the server names.
        """
        place, client_id = f"server:{server.server_id}", str(server.text("client_id"))
        registrations = self.store.of(server.user_id).registrations
        first = await registrations.get(place, client_id)
        configured = server.text("issuer") or (first.secrets.get("issuer") if first else None)
        if configured and str(configured).rstrip("/") != issuer.rstrip("/"):
            raise SignInError(
                Reason.of(ReasonCode.SIGN_IN_CLIENT_OF_OTHER_ISSUER, configured=str(configured), issuer=issuer)
            )
        if first is None:
            binding = {"issuer": issuer}
            await registrations.save(
                Registration(user_id=server.user_id, issuer=place, redirect_uri=client_id, secrets=binding)
            )


def configured_client(server: ProtectedServer, at: AuthorizationServer) -> Client:
    """Return the client in the settings of the server."""
    client_id, secret, key = (server.text(name) for name in ("client_id", "client_secret", "private_key"))
    if key:
        return Client(str(client_id), None, KEY, key, server.text("signing_algorithm"))
    methods = at.auth_methods or (BASIC,)
    method = NONE if secret is None else POST if POST in methods and BASIC not in methods else BASIC
    return Client(str(client_id), secret, method)


def _registered_client(secrets: Json) -> Client:
    return replace(Client.of(secrets), is_registered=True)


def _is_usable(secrets: Json, scopes: tuple[str, ...]) -> bool:
    expires = secrets.get("secret_expires_at") or 0
    allowed = secrets.get("scope")
    fits = not isinstance(allowed, str) or set(scopes) <= set(allowed.split())
    return fits and (expires == 0 or expires > time.time())


async def _register(fetch: GuardedFetch, at: AuthorizationServer, redirect_uri: str, scopes: tuple[str, ...]) -> Json:
    """Register dynamically (RFC 7591, section 3). Raises SignInError."""
    if at.registration_endpoint is None:
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_NO_REGISTRATION, issuer=at.issuer, redirect_uri=redirect_uri))
    for body in _attempts(at, redirect_uri, scopes):
        fetched = await fetch.post(at.registration_endpoint, SignInStepKind.REGISTRATION, json=body)
        if not _is_wrong_metadata(fetched):
            break
    if fetched.is_temporary:
        fetch.record(SignInStepKind.REGISTRATION, fetched)
        raise fetched.unavailable
    try:
        # The scopes that were tried: registering again for one of them would change nothing.
        return _registered(fetch, fetched, at.issuer, redirect_uri) | {"scope": " ".join(scopes)}
    except SignInError as error:
        fetch.record(SignInStepKind.REGISTRATION, fetched, reason=error.reason)
        raise


def _attempts(at: AuthorizationServer, redirect_uri: str, scopes: tuple[str, ...]) -> Iterator[Json]:
    """Yield what to register with, best first.

    Metadata that is silent on methods may mean either. Some servers grant only registered scopes (the Python SDK), and
    others register only their own (oidc-provider).
    """
    if at.auth_methods is None:
        methods: tuple[str, ...] = (NONE, BASIC)
    else:
        methods = tuple(each for each in _USABLE if each in at.auth_methods)[:1] or (NONE,)
    for method in methods:
        metadata = client_metadata(redirect_uri) | {"token_endpoint_auth_method": method}
        if scopes:
            yield metadata | {"scope": " ".join(scopes)}
        yield metadata


def _is_wrong_metadata(fetched: Fetched) -> bool:
    wrong = ("invalid_client_metadata", "invalid_scope")
    return fetched.status == 400 and (fetched.body or {}).get("error") in wrong


def _registered(fetch: GuardedFetch, fetched: Fetched, issuer: str, redirect_uri: str) -> Json:
    answer = fetched.body or {}
    client_id = answer.get("client_id")
    if fetched.status not in (200, 201) or not isinstance(client_id, str) or not client_id:
        raise SignInError(
            Reason.of(
                ReasonCode.SIGN_IN_REGISTRATION_REFUSED,
                issuer=issuer,
                status=fetched.status,
                error=_error(answer),
                redirect_uri=redirect_uri,
            )
        )
    secret = answer.get("client_secret") if isinstance(answer.get("client_secret"), str) else None
    # RFC 7591, section 2: the default is Basic.
    method = answer.get("token_endpoint_auth_method") or (BASIC if secret else NONE)
    uris = answer.get("redirect_uris", [redirect_uri])
    wrong = "token_endpoint_auth_method" if method not in _USABLE or (method != NONE and not secret) else ""
    if not isinstance(uris, list) or redirect_uri not in uris:
        wrong = "redirect_uris"
    if wrong:
        raise SignInError(
            Reason.of(ReasonCode.SIGN_IN_REGISTRATION_UNUSABLE, issuer=issuer, name=wrong, redirect_uri=redirect_uri)
        )
    fetch.record(SignInStepKind.REGISTRATION, fetched, found=method)
    return {
        "client_id": client_id,
        "secret": secret,
        "auth_method": method,
        "secret_expires_at": _number(answer.get("client_secret_expires_at")) if secret else 0,
    }


def _error(answer: Json) -> str:
    found = [answer[name] for name in ("error", "error_description") if isinstance(answer.get(name), str)]
    return ": ".join(found)[:_LONGEST_ERROR] or "-"


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
