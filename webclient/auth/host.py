"""The way "host": an embedding application vouches for its users with short-lived tokens.

A token is exchanged once for a session. The frame keeps the id of the session in memory and sends it as Bearer; a
cookie has it too, for what a browser loads by itself. A session ends ten minutes after its last token.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from secrets import token_urlsafe
from time import monotonic

from starlette.requests import HTTPConnection

from webclient.auth.authenticator import InvalidCredentialError, SignedOutOfAppError
from webclient.auth.credentials import bearer_token, browser_of, is_gateway, is_over_https
from webclient.auth.embedders import GATEWAY, MANAGE, Embedder, Embedders, MintedToken, TokenRefusedError
from webclient.auth.jwt import LEEWAY, JwtFault, claimed_issuer
from webclient.auth.principal import Embedding, Principal, PrincipalKind, Scope
from webclient.auth.refusals import Refusal, Refusals, address_of
from webclient.auth.users import Users
from webclient.domain.model import HOST_ISSUER, EmbedSession, Person, SignInKey, SignInKind, User, now
from webclient.domain.shares import Shelf
from webclient.settings import Settings
from webclient.store import EmbedSessions, NewEmbedSession, UsedTokens

HOST = "host"
"""The name of the way that goes by Bearer."""

HOST_COOKIE = "host-cookie"
"""The name of the way that goes by the cookie of the same sessions."""

GRACE = timedelta(minutes=10)
"""How long a session outlives its last token, so that a late renewal cuts nothing off."""

AGENT_LIFE = timedelta(hours=2)
"""How long the session of an agent outlasts its last token: longer than a question waits for an agent that has gone."""

TAB = timedelta(hours=1)
"""How long a tab lasts that was opened from a frame, as nothing renews it."""

PREFIX = "embed-"
"""The beginning of the Bearer tokens of this way; all others are for the ways after it."""

CODE_SECONDS = 60.0
"""Seconds in which the code for a tab must be used."""

CODES = 5
"""Codes of one session that can be used; an older one is forgotten."""

MOST_RENEWED = 10_000
"""Sessions of which it is remembered that their renewal was recorded."""

_SCOPES = {
    "inbox": frozenset({Scope.READ, Scope.ANSWER}),
    "inbox:read": frozenset({Scope.READ}),
    "ask": frozenset({Scope.ASK}),
    "calls": frozenset(),
}
"""The permissions that go with each scope of a token; `web/http/security/embedded.py` has their routes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchanged:
    """A session that has just begun or was renewed: its Bearer `token`, and the headers for a browser."""

    token: str
    user_id: str
    ends_at: datetime
    headers: dict[str, str]


class HostSessions:
    """Begins, renews and ends sessions for tokens that embedders have minted."""

    def __init__(
        self,
        settings: Settings,
        embedders: Embedders,
        sessions: EmbedSessions,
        used_tokens: UsedTokens,
        users: Users,
        *,
        refusals: Refusals | None = None,
    ) -> None:
        self._settings = settings
        self._embedders = embedders
        self._sessions = sessions
        self._used_tokens = used_tokens
        self._users = users
        self._refusals = refusals
        self._renewed: OrderedDict[str, None] = OrderedDict()
        # Each session has a share, so that no frame takes the codes of others.
        self._codes = Shelf[tuple[float, str, str]](CODES)

    def embedder(self, name: str) -> Embedder | None:
        """Return the embedder with this name."""
        return self._embedders.get(name)

    @property
    def embedders(self) -> Collection[Embedder]:
        """All embedders."""
        return self._embedders.all

    def origins(self) -> frozenset[str]:
        """Return the origins of all embedders, in lower case."""
        return self._embedders.origins

    async def use(self, embedders: Sequence[Embedder]) -> None:
        """Replace the embedders. Raises StorageError; then nothing was changed.

        Sessions end with their embedder, with their origin, and with the key that vouched for them.
        """
        after = {each.name: each for each in embedders}
        changed = [(each, after.get(each.name)) for each in self._embedders.all if each != after.get(each.name)]
        await self._sessions.end_all_but(
            {old.name: new.origins if new and _same_key(old, new) else () for old, new in changed}
        )
        self._embedders.use(embedders)
        # What remains of a changed embedder goes on with the permissions that it has now.
        await self._sessions.reopen([old.name for old, _new in changed])

    async def exchange(self, connection: HTTPConnection, token: str, *, origin: str | None = None) -> Exchanged:
        """Exchange a minted token for a session, or renew the one of the request. Raises TokenRefusedError."""
        async with self._audited(connection):
            return await self._exchange(connection, token, origin)

    def vouches_for(self, issuer: str) -> bool:
        """Return whether this is the issuer of an embedder's tokens."""
        return self._embedders.is_from(issuer)

    async def agent(self, connection: HTTPConnection, token: str) -> Principal:
        """Return the agent that a minted token names, at the gateway. Raises TokenRefusedError."""
        async with self._audited(connection):
            minted = await self._embedders.verify(token)
            person = _person(minted)
            try:
                return await self._agent(minted, person)
            except TokenRefusedError as error:
                error.person = person
                raise

    async def _agent(self, minted: MintedToken, person: Person) -> Principal:
        if GATEWAY not in minted.scopes or minted.agent is None:
            raise TokenRefusedError(JwtFault.WRONG_SCOPE)
        user = await self._recognised(person)
        session = self._session_of(minted, user, [GATEWAY], minted.expires_at + AGENT_LIFE)
        key = await self._sessions.of_agent(session, minted.agent, minted.issued_at)
        if key is None:
            raise TokenRefusedError(JwtFault.ENDED)
        return Principal(
            user_id=user.id,
            kind=PrincipalKind.PROGRAM,
            scopes=frozenset({Scope.GATEWAY}),
            way=HOST,
            role=user.role,
            name=f"{minted.agent} ({self.label_of(minted.embedder)})",
            sign_in=SignInKey(SignInKind.FRAME, key),
            ends_at=minted.expires_at + timedelta(seconds=LEEWAY),
            agent_id=key,
        )

    async def _exchange(self, connection: HTTPConnection, token: str, origin: str | None) -> Exchanged:
        minted = await self._embedders.verify(token, origin=origin)
        person = _person(minted)
        try:
            return await self._begin(connection, minted, person)
        except TokenRefusedError as error:
            error.person = person
            raise

    async def _begin(self, connection: HTTPConnection, minted: MintedToken, person: Person) -> Exchanged:
        if not minted.scopes & _SCOPES.keys():
            raise TokenRefusedError(JwtFault.WRONG_SCOPE)
        user = await self._recognised(person)
        ends_at = minted.expires_at + GRACE
        current = _own_bearer(connection)
        session_id = await self._sessions.exchange(
            self._session_of(minted, user, sorted(minted.scopes & _SCOPES.keys()), ends_at),
            minted.token_id,
            _forgotten_at(minted),
            current=current,
            is_first_renewal=current not in self._renewed,
            browser=browser_of(connection),
        )
        if session_id is None:
            raise TokenRefusedError(JwtFault.REPLAYED)
        if session_id == current:
            self._note_renewal(session_id)
        return Exchanged(
            token=PREFIX + session_id, user_id=user.id, ends_at=ends_at, headers=self._cookie_of_frame(session_id)
        )

    async def _recognised(self, person: Person) -> User:
        try:
            return await self._users.recognise(person)
        except InvalidCredentialError:
            raise TokenRefusedError(JwtFault.DISABLED_USER) from None

    @staticmethod
    def _session_of(minted: MintedToken, user: User, scopes: list[str], ends_at: datetime) -> NewEmbedSession:
        return NewEmbedSession(
            user_id=user.id,
            embedder=minted.embedder,
            subject=minted.subject,
            host_session=minted.session,
            origin=minted.origin,
            scopes=scopes,
            ends_at=ends_at,
        )

    async def end(self, connection: HTTPConnection, *, subject: str | None, host_session: str | None) -> int:
        """End sessions for their embedder; the Bearer is a token with the scope for that. Raises TokenRefusedError."""
        async with self._audited(connection):
            minted = await self._embedders.verify(bearer_token(connection) or "")
            if MANAGE not in minted.scopes:
                raise TokenRefusedError(JwtFault.WRONG_SCOPE)
            if not await self._used_tokens.use(minted.embedder, minted.token_id, _forgotten_at(minted)):
                raise TokenRefusedError(JwtFault.REPLAYED)
        return await self._sessions.end(minted.embedder, subject=subject, host_session=host_session)

    @asynccontextmanager
    async def _audited(self, connection: HTTPConnection) -> AsyncIterator[None]:
        try:
            yield
        except TokenRefusedError as error:
            if self._refusals:
                refusal = Refusal(address=address_of(connection), way=HOST, code=error.code.value)
                if error.person is not None:
                    refusal = await self._users.named(refusal, error.person)
                await self._refusals.add(refusal)
            raise

    def _note_renewal(self, session_id: str) -> None:
        # Sessions are renewed every few minutes: the audit trail has the first time.
        self._renewed[session_id] = None
        if len(self._renewed) > MOST_RENEWED:
            self._renewed.popitem(last=False)

    async def code_for(self, principal: Principal) -> str | None:
        """Return a code that gives one tab a session like this one; None if this one has ended."""
        session = await self._sessions.find(principal.session_id or "")
        if session is None:
            return None
        code = token_urlsafe(24)
        self._codes.put(session.key, code, (monotonic() + CODE_SECONDS, session.key, session.embedder))
        asyncio.get_running_loop().call_later(CODE_SECONDS, self._codes.take, code)
        return code

    async def open_tab(self, connection: HTTPConnection, embedder: str, code: str) -> dict[str, str] | None:
        """Exchange a code for a session of its own; return its cookie, or None for a wrong, used or old code."""
        until, key, name = self._codes.take(code) or (0.0, "", "")
        if until < monotonic() or name != embedder:
            return None
        session_id = await self._sessions.copy(key, now() + TAB)
        return self._cookie_of_tab(connection, session_id) if session_id else None

    async def user_of(self, code: str) -> str | None:
        """Use a code up, and return the user of its session; None for a wrong, used or old code."""
        until, key, _name = self._codes.take(code) or (0.0, "", "")
        session = await self._sessions.of_key(key) if until >= monotonic() else None
        return session.user.id if session else None

    async def find(self, session_id: str) -> EmbedSession | None:
        """Return a session, as of a second ago; None at once if its user is disabled."""
        session = await self._sessions.still_open(session_id)
        return session if session and await self._users.is_enabled(session.user.id) else None

    async def ended_by(self, session_id: str) -> str | None:
        """Return the label of the embedder of a session that was ended before its time."""
        name = await self._sessions.ended_by(session_id)
        return None if name is None else self.label_of(name) or name

    def label_of(self, name: str) -> str | None:
        """Return the display name of an embedder, or None for an unknown one."""
        embedder = self._embedders.get(name)
        return embedder.label if embedder else None

    @property
    def cookie_name(self) -> str:
        """The name of the cookie: not that of browsers that sign in themselves."""
        return f"webclient-embed-{self._settings.cookie_port}"

    def _cookie_of_frame(self, session_id: str) -> dict[str, str]:
        # It is in the partition of the page around the frame, so no other site's frame of us has it.
        return self._cookie(session_id, "SameSite=None", "Secure", "Partitioned")

    def _cookie_of_tab(self, connection: HTTPConnection, session_id: str) -> dict[str, str]:
        # A tab has a partition of its own, and what another site sends must not have its cookie. Nor may the cookie
        # outlive the session, because it would refuse other sign-ins of the browser.
        secure = ["Secure"] if is_over_https(connection, self._settings) else []
        return self._cookie(session_id, "SameSite=Strict", f"Max-Age={int(TAB.total_seconds())}", *secure)

    def _cookie(self, session_id: str, *flags: str) -> dict[str, str]:
        return {"Set-Cookie": "; ".join([f"{self.cookie_name}={session_id}", "Path=/", "HttpOnly", *flags])}


class HostBearer:
    """Identifies by the session whose id a frame sends as Bearer."""

    name = HOST

    def __init__(self, host: HostSessions) -> None:
        self._host = host

    async def identify(self, connection: HTTPConnection) -> Principal | None:
        """Return the principal of the session; None for Bearer tokens of other ways.

        Raises InvalidCredentialError, and SignedOutOfAppError if the session was ended.
        """
        session_id = _own_bearer(connection)
        return None if session_id is None else await _principal(self._host, session_id, self.name)


class HostAgents:
    """Identifies agents at the gateway by the tokens that embedders mint for them."""

    name = HOST

    def __init__(self, host: HostSessions) -> None:
        self._host = host

    async def identify(self, connection: HTTPConnection) -> Principal | None:
        """Return the principal of a minted token; None for other tokens, and elsewhere. Raises TokenRefusedError."""
        token = bearer_token(connection) if is_gateway(connection) else None
        issuer = claimed_issuer(token) if token else None
        if token is None or issuer is None or not self._host.vouches_for(issuer):
            return None
        return await self._host.agent(connection, token)


class HostCookie(HostBearer):
    """Identifies by the cookie of a session; asked last, so that it never helps another credential."""

    name = HOST_COOKIE

    async def identify(self, connection: HTTPConnection) -> Principal | None:
        """Return the principal of the session cookie. Raises as `HostBearer` does."""
        session_id = connection.cookies.get(self._host.cookie_name)
        return await _principal(self._host, session_id, self.name) if session_id else None


def _same_key(one: Embedder, other: Embedder) -> bool:
    return (one.issuer, one.secret, one.jwks_url) == (other.issuer, other.secret, other.jwks_url)


async def _principal(host: HostSessions, session_id: str, way: str) -> Principal:
    session = await host.find(session_id)
    if session is None and (label := await host.ended_by(session_id)):
        raise SignedOutOfAppError(label, was_ended=True)
    # An embedder that was taken out of the file vouches for no user any more, nor for an origin that it has lost.
    embedder = host.embedder(session.embedder) if session else None
    if session is None or embedder is None or session.origin not in embedder.origins:
        raise InvalidCredentialError
    allowed = session.scopes & embedder.may & _SCOPES.keys()
    scopes = frozenset[Scope]().union(*(_SCOPES[each] for each in allowed))
    return Principal(
        user_id=session.user.id,
        kind=PrincipalKind.USER if Scope.READ in scopes else PrincipalKind.PROGRAM,
        scopes=scopes,
        way=way,
        name=session.user.name or None,
        session_id=session_id,
        # No end: a renewal moves it.
        sign_in=SignInKey(SignInKind.FRAME, session.key),
        embedding=Embedding(name=embedder.name, label=embedder.label, origin=session.origin, granted=allowed),
    )


def _person(minted: MintedToken) -> Person:
    issuer = f"{HOST_ISSUER}{minted.embedder}"
    return Person(issuer=issuer, subject=minted.subject, name=_printable(minted.name or ""))


def _own_bearer(connection: HTTPConnection) -> str | None:
    token = bearer_token(connection)
    return token.removeprefix(PREFIX) if token and token.startswith(PREFIX) else None


def _forgotten_at(minted: MintedToken) -> datetime:
    # Until then it would be accepted again.
    return minted.expires_at + timedelta(minutes=1)


def _printable(name: str) -> str:
    return "".join(character for character in name if character.isprintable())
