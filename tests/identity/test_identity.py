"""Ways to find out who sends a request: which one decides, and that a further one needs no change elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.requests import HTTPConnection
from starlette.testclient import TestClient

from tests.http.small_app import BEARER, TOKEN, MemorySessions, MemoryUsers
from webclient.auth import Identity, InvalidCredentialError, Principal, PrincipalKind, Scope, build
from webclient.domain.model import SignInKey, SignInKind
from webclient.runtime.app import create_app
from webclient.settings import load_settings
from webclient.store import Store
from webclient.web.http.streaming import StreamClient

NAMES = {"a-for-ada": "ada", "b-for-bob": "bob"}
ADA, BOB, STRANGER = ({"X-Badge": badge} for badge in ("a-for-ada", "b-for-bob", "forged"))


class Badge:
    """A toy way: a header with a badge, which can be withdrawn."""

    name = "badge"

    def __init__(self) -> None:
        self.withdrawn: set[str] = set()

    async def identify(self, connection: HTTPConnection) -> Principal | None:
        """Return the principal of the badge."""
        badge = connection.headers.get("x-badge")
        if badge is None:
            return None
        if badge not in NAMES or badge in self.withdrawn:
            raise InvalidCredentialError
        scopes = frozenset(Scope) - {Scope.ADMIN}
        return Principal(
            user_id=NAMES[badge],
            kind=PrincipalKind.USER,
            scopes=scopes,
            way=self.name,
            sign_in=SignInKey(self.name, badge),
        )


def a_request(headers: dict[str, str]) -> HTTPConnection:
    """Return a request with these headers."""
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    return HTTPConnection({"type": "http", "headers": raw})


def identity_of(badge: Badge, sessions: MemorySessions | None = None) -> Identity:
    """Return an identity that asks for badges first."""
    return build(load_settings(token=TOKEN, port=8765), sessions or MemorySessions(), MemoryUsers(), [badge])


def test_a_further_way_serves_pages_and_api_of_its_user_alone(tmp_path: Path) -> None:
    app = create_app(load_settings(token=TOKEN, port=8765, data_dir=tmp_path), authenticators=[Badge()])
    with TestClient(app, base_url="http://127.0.0.1:8765") as client:
        transport = {"type": "http", "url": "http://127.0.0.1:1/mcp"}
        body = {"label": "Ada's own", "transport": transport}
        added = client.post("/api/v1/servers", json=body, headers=ADA | {"Sec-Fetch-Site": "same-origin"})
        assert added.status_code == 201
        address = f"/servers/{added.json()['id']}"
        for prefix in ("", "/api/v1"):
            statuses = [client.get(prefix + address, headers=who).status_code for who in (ADA, BOB, BEARER, STRANGER)]
            assert statuses == [200, 404, 404, 401], prefix
        assert client.get("/api/v1/servers", headers=BOB).json() == {"servers": []}


@pytest.mark.anyio
async def test_the_first_way_with_a_credential_decides() -> None:
    identity = identity_of(Badge())
    principal = await identity.identify(a_request(ADA | BEARER))
    assert principal is not None
    assert (principal.user_id, principal.way) == ("ada", "badge")
    local = await identity.identify(a_request(BEARER))
    assert local is not None
    assert (local.user_id, local.way, local.kind) == ("local", "local", PrincipalKind.PROGRAM)
    assert local.scopes == frozenset(Scope)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "headers", [STRANGER | BEARER, {"Authorization": "Bearer wrong", "Cookie": "webclient-8765=s"}]
)
async def test_a_wrong_credential_is_not_helped_by_a_right_one(headers: dict[str, str]) -> None:
    sessions = MemorySessions()
    sessions.users["s"] = "local"
    assert await identity_of(Badge(), sessions).identify(a_request(headers)) is None


@pytest.mark.anyio
async def test_a_stream_ends_when_its_way_says_so(tmp_path: Path) -> None:
    badge = Badge()
    identity = identity_of(badge)
    principal = await identity.identify(a_request(ADA))
    assert principal is not None
    store = Store(tmp_path)
    await store.open()
    watched = store.watched_sign_ins
    with watched.watching(principal.user_id, principal.sign_in) as ada, watched.watching("bob") as bob:
        await watched.look()
        clients = [StreamClient(watch) for watch in (ada, bob)]
        assert [client.is_signed_in for client in clients] == [True, True]
        watched.end([SignInKey(badge.name, "a-for-ada")])
        assert [client.is_signed_in for client in clients] == [False, True]
    await store.close()


@pytest.mark.anyio
async def test_a_browsers_streams_hang_on_its_session() -> None:
    sessions = MemorySessions()
    sessions.users["s"] = "local"
    identity = identity_of(Badge(), sessions)
    principal = await identity.identify(a_request({"Cookie": "webclient-8765=s"}))
    assert principal is not None
    assert principal.kind is PrincipalKind.USER
    assert "'s'" not in repr(principal)
    assert principal.sign_in == SignInKey(SignInKind.BROWSER, "hash of s")
