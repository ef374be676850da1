"""Sessions of embedding applications: exchanged, renewed, revoked, and no more than their scope."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from time import time
from typing import Any

import pytest
from starlette.requests import HTTPConnection
from starlette.testclient import TestClient

from tests.embedders.minting import ISSUER, ORIGIN, SECRET, embedder, minted
from webclient.auth import InvalidCredentialError, Principal, PrincipalKind, Refusal, Refusals, Scope, Users, host
from webclient.auth.embedders import Embedder, Embedders, TokenRefusedError
from webclient.auth.host import HostBearer, HostSessions
from webclient.auth.jwt import LEEWAY, JwtFault
from webclient.domain.model import ACTING, Actor, AuditAction, Json
from webclient.runtime.app import create_app
from webclient.settings import load_settings
from webclient.store import Store

BASE = "http://127.0.0.1:8765"
OTHER_SECRET = "the secret of the other application, as long"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("embedders")
    scopes = ["inbox", "inbox:read", "ask", "embed:admin"]
    chat: Json = {"name": "Team chat", "issuer": ISSUER, "secret_env": "CHAT", "may": scopes}
    chat["origins"] = [ORIGIN, "http://localhost:3000"]
    desk = {"issuer": "desk", "origins": ["https://desk.example"], "secret_env": "DESK", "may": scopes}
    (folder / "embedders.json").write_text(json.dumps({"chat": chat, "desk": desk}), "utf-8")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CHAT", SECRET)
        environment.setenv("DESK", OTHER_SECRET)
        settings = load_settings(
            port=8765, token="the token of the operator", data_dir=folder, embedders=folder / "embedders.json"
        )
        with TestClient(create_app(settings), base_url=BASE) as client:
            yield client


def exchange(client: TestClient, token: str, status: int = 201, bearer: str = "", **body: str) -> Json:
    client.cookies.clear()
    headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
    answer = client.post("/api/v1/sessions", json={"token": token, **body}, headers=headers)
    assert answer.status_code == status, answer.text
    client.cookies.clear()
    return dict(answer.json())


def get(client: TestClient, path: str, session: Json, method: str = "GET", **options: Any) -> int:
    headers = {"Authorization": f"Bearer {session['token']}"}
    return client.request(method, path, headers=headers, **options).status_code


def test_a_token_is_exchanged_for_the_session_of_its_subject(client: TestClient) -> None:
    session = exchange(client, minted(sub="ada", name="Ada L."))
    headers = {"Authorization": f"Bearer {session['token']}"}
    me = client.get("/api/v1/me", headers=headers).json()
    assert (me["user_id"], me["name"], me["scopes"]) == (session["user_id"], "Ada L.", ["answer", "read"])
    assert exchange(client, minted(sub="ada"))["user_id"] == session["user_id"]
    assert exchange(client, minted(sub="bob"))["user_id"] != session["user_id"]


def test_one_subject_of_two_embedders_is_two_users(client: TestClient) -> None:
    desk = minted(OTHER_SECRET, iss="desk", origin="https://desk.example", sub="ada")
    assert exchange(client, desk)["user_id"] != exchange(client, minted(sub="ada"))["user_id"]


def test_a_token_is_exchanged_once(client: TestClient) -> None:
    token = minted()
    exchange(client, token)
    assert exchange(client, token, 401)["code"] == "replayed"


def test_two_embedders_may_use_the_same_token_id(client: TestClient) -> None:
    exchange(client, minted(jti="the same"))
    exchange(client, minted(OTHER_SECRET, iss="desk", origin="https://desk.example", jti="the same"))


def test_a_refused_token_says_why_and_is_not_quoted(client: TestClient) -> None:
    token = minted(origin="https://evil.example")
    problem = exchange(client, token, 401)
    assert problem["code"] == "wrong_origin"
    assert token not in json.dumps(problem)
    assert exchange(client, minted(), 401, origin="http://localhost:3000")["code"] == "wrong_origin"


def test_a_session_ends_some_time_after_its_token(client: TestClient) -> None:
    now = int(time())
    session = exchange(client, minted(iat=now, exp=now + 100))
    left = datetime.fromisoformat(session["expires_at"]).timestamp() - now
    assert left == 700


def test_a_renewed_session_keeps_its_id(client: TestClient) -> None:
    first = exchange(client, minted(sub="ada"))
    again = exchange(client, minted(sub="ada"), bearer=first["token"])
    assert again["token"] == first["token"]
    assert again["expires_at"] >= first["expires_at"]


def test_a_token_of_another_subject_begins_another_session(client: TestClient) -> None:
    ada = exchange(client, minted(sub="ada"))
    bob = exchange(client, minted(sub="bob"), bearer=ada["token"])
    assert bob["token"] != ada["token"]
    assert bob["user_id"] != ada["user_id"]
    assert get(client, "/api/v1/me", ada) == 200


def test_the_cookie_of_a_frame_is_partitioned(client: TestClient) -> None:
    answer = client.post("/api/v1/sessions", json={"token": minted()})
    client.cookies.clear()
    cookie = answer.headers["set-cookie"]
    assert all(flag in cookie for flag in ("HttpOnly", "Secure", "SameSite=None", "Partitioned"))
    name, _equals, value = cookie.partition(";")[0].partition("=")
    assert client.get("/api/v1/me", headers={"Cookie": f"{name}={value}"}).status_code == 200
    # It does not help a wrong Bearer.
    assert (
        client.get("/api/v1/me", headers={"Cookie": f"{name}={value}", "Authorization": "Bearer x"}).status_code == 401
    )


def test_another_site_cannot_use_the_session(client: TestClient) -> None:
    session = exchange(client, minted())
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    headers = {"Authorization": f"Bearer {session['token']}", **foreign}
    assert client.get("/api/v1/requests", headers=headers).status_code == 403
    assert client.post("/api/v1/sessions", json={"token": minted()}, headers=headers).status_code == 403


@pytest.mark.parametrize(
    ("scope", "method", "path", "status"),
    [
        ("inbox", "GET", "/api/v1/requests", 200),
        ("inbox", "POST", "/api/v1/requests/unknown/answer", 404),
        ("inbox", "POST", "/requests/unknown", 404),
        ("inbox:read", "GET", "/api/v1/requests", 200),
        ("inbox:read", "POST", "/api/v1/requests/unknown/answer", 403),
        ("inbox:read", "POST", "/requests/unknown", 403),
        ("inbox", "GET", "/", 403),
        ("inbox", "GET", "/servers", 403),
        ("inbox", "GET", "/history", 403),
        ("inbox", "GET", "/api/v1/servers", 403),
        ("inbox", "POST", "/api/v1/servers", 403),
        ("inbox", "DELETE", "/api/v1/requests/unknown", 403),
        ("inbox", "POST", "/api/v1/calls", 403),
        ("inbox", "POST", "/logout", 403),
        ("ask", "GET", "/api/v1/events", 403),
        ("ask", "POST", "/api/v1/requests/unknown/answer", 403),
    ],
)
def test_a_session_reaches_no_more_than_its_scope(
    client: TestClient, scope: str, method: str, path: str, status: int
) -> None:
    body = {"json": {"action": "decline"}} if path.startswith("/api/") else {"data": {"action": "decline"}}
    session = exchange(client, minted(scope=scope))
    assert get(client, path, session, method, **(body if method == "POST" else {})) == status


def test_an_application_that_asks_is_named(client: TestClient) -> None:
    chat = exchange(client, minted(sub="sam", scope="ask inbox"))
    request = _ask(client, chat)
    assert request["asked_by"] == {"kind": "program", "label": "Team chat", "embedder": "chat"}
    headers = {"Authorization": f"Bearer {chat['token']}"}
    card = client.get(f"/requests/{request['id']}", headers=headers).text
    assert 'data-asker="application"' in card
    assert "Team chat" in card
    assert 'href="/tokens' not in card  # it has none that could be revoked
    # Without a name of its own it is called as in the file, and each session of it finds its answer.
    desk: Json = {"iss": "desk", "origin": "https://desk.example", "sub": "sam", "scope": "ask"}
    other = _ask(client, exchange(client, minted(OTHER_SECRET, **desk)))
    assert other["asked_by"]["label"] == "desk"
    assert get(client, f"/api/v1/requests/{other['id']}", exchange(client, minted(OTHER_SECRET, **desk))) == 200


def _ask(client: TestClient, session: Json) -> Json:
    body = {"kind": "form", "message": "Where to?", "requestedSchema": {"type": "object", "properties": {}}}
    answer = client.post("/api/v1/requests", json=body, headers={"Authorization": f"Bearer {session['token']}"})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def test_a_disabled_user_is_out_of_the_frame_at_once(client: TestClient) -> None:
    eve = exchange(client, minted(sub="eve"))
    assert get(client, "/api/v1/me", eve) == 200
    users = client.app.state.services.store.users  # type: ignore[attr-defined]
    client.portal.call(users.disable, eve["user_id"])  # type: ignore[union-attr]
    assert get(client, "/api/v1/me", eve) == 401
    assert exchange(client, minted(sub="eve"), 401)["code"] == "disabled_user"


def test_an_embedder_ends_sessions_by_subject_and_by_session(client: TestClient) -> None:
    ada, bob, desk = (
        exchange(client, minted(sub="ada")),
        exchange(client, minted(sub="bob", sid="s1")),
        exchange(client, minted(OTHER_SECRET, iss="desk", origin="https://desk.example", sub="ada", sid="s1")),
    )
    assert _end(client, "?sub=ada") >= 1
    assert (get(client, "/api/v1/me", ada), get(client, "/api/v1/me", bob), get(client, "/api/v1/me", desk)) == (
        401,
        200,
        200,
    )
    assert _end(client, "?sid=s1") == 1


def test_only_a_token_for_it_ends_sessions(client: TestClient) -> None:
    token = minted(scope="embed:admin")
    for bearer, status in ((minted(), 401), (token, 200), (token, 401), ("", 401), ("the token of the operator", 401)):
        headers = {"Authorization": f"Bearer {bearer}"}
        assert client.delete("/api/v1/embed/sessions?sub=nobody", headers=headers).status_code == status
    assert exchange(client, minted(scope="embed:admin"), 401)["code"] == "wrong_scope"


def _end(client: TestClient, query: str) -> int:
    headers = {"Authorization": f"Bearer {minted(scope='embed:admin')}"}
    answer = client.delete(f"/api/v1/embed/sessions{query}", headers=headers)
    assert answer.status_code == 200, answer.text
    return int(answer.json()["ended"])


def sessions_of(store: Store, *embedders: Embedder, refusals: Refusals | None = None) -> HostSessions:
    """Return the sessions in this store, for these embedders."""
    parts = Embedders(embedders), store.embed_sessions, store.used_tokens, Users(store.users)
    return HostSessions(load_settings(port=8765), *parts, refusals=refusals)


def a_request(bearer: str = "") -> HTTPConnection:
    """Return a request of a frame with this token."""
    headers = [(b"authorization", f"Bearer {bearer}".encode())] if bearer else []
    return HTTPConnection({"type": "http", "scheme": "https", "headers": headers})


async def identified(store: Store, bearer: str, *embedders: Embedder) -> Principal:
    """Return the principal of a session, when the embedders file has these applications."""
    principal = await HostBearer(sessions_of(store, *embedders)).identify(a_request(bearer))
    assert principal
    return principal


@pytest.mark.anyio
async def test_a_session_has_no_more_than_its_embedder_may(store: Store) -> None:
    scopes = frozenset({"inbox", "ask"})
    session = await sessions_of(store, embedder(may=scopes)).exchange(a_request(), minted(scope="inbox ask"))
    whole = await identified(store, session.token, embedder(may=scopes))
    assert whole.scopes == {Scope.READ, Scope.ANSWER, Scope.ASK}
    # The file allows less since the session began.
    less = await identified(store, session.token, embedder(may=frozenset({"ask", "inbox:read"})))
    assert less.scopes == {Scope.ASK}
    assert less.kind is PrincipalKind.PROGRAM
    assert less.embedding
    assert less.embedding.granted == {"ask"}


@pytest.mark.anyio
async def test_a_session_ends_when_its_embedder_lost_the_origin(store: Store) -> None:
    session = await sessions_of(store, embedder()).exchange(a_request(), minted())
    assert (await identified(store, session.token, embedder())).user_id == session.user_id
    for changed in (embedder(origins=("http://localhost:3000",)), embedder(name="desk")):
        with pytest.raises(InvalidCredentialError):
            await identified(store, session.token, changed)


@pytest.mark.anyio
async def test_a_tab_opens_once_and_for_its_own_embedder(store: Store) -> None:
    sessions = sessions_of(store, embedder(), embedder(name="desk", issuer="desk"))
    session = await sessions.exchange(a_request(), minted())
    principal = await HostBearer(sessions).identify(a_request(session.token))
    assert principal

    async def open_tab(name: str, code: str | None) -> bool:
        assert code
        return await sessions.open_tab(a_request(), name, code) is not None

    code = await sessions.code_for(principal)
    assert [await open_tab("chat", code) for _ in range(2)] == [True, False]
    # Codes of another session, however many, take none away; of its own, only the newest count.
    other = await HostBearer(sessions).identify(a_request((await sessions.exchange(a_request(), minted())).token))
    assert other
    code = await sessions.code_for(principal)
    flood = [await sessions.code_for(other) for _ in range(1100)]
    assert await open_tab("chat", code)
    assert [await open_tab("chat", each) for each in (flood[-6], flood[-5], flood[-1])] == [False, True, True]
    stolen = await sessions.code_for(principal)
    assert not await open_tab("desk", stolen)
    # It was tried, so it is used up.
    assert not await open_tab("chat", stolen)
    assert not await open_tab("chat", "invented")


@pytest.mark.anyio
async def test_only_the_first_renewal_is_in_the_audit_trail(store: Store) -> None:
    sessions = sessions_of(store, embedder())
    token = ACTING.set(Actor(address="10.1.2.3"))
    try:
        session = await sessions.exchange(a_request(), minted())
        for _ in range(3):
            assert (await sessions.exchange(a_request(session.token), minted())).token == session.token
    finally:
        ACTING.reset(token)
    actions = [entry.action for entry in await store.audit.newest()]
    assert actions.count(AuditAction.EMBED_SESSION_RENEWED) == 1
    assert actions.count(AuditAction.EMBED_SESSION_BEGUN) == 1


@pytest.mark.anyio
async def test_a_used_token_is_remembered_while_it_is_accepted(store: Store) -> None:
    sessions = sessions_of(store, embedder())
    # It has expired, and is accepted because clocks differ.
    late = int(time()) - LEEWAY // 2
    token = minted(iat=late - 60, exp=late)
    await sessions.exchange(a_request(), token)
    with pytest.raises(TokenRefusedError) as refused:
        await sessions.exchange(a_request(), token)
    assert refused.value.code is JwtFault.REPLAYED


@pytest.mark.anyio
async def test_bearer_tokens_of_others_are_left_to_their_ways(store: Store) -> None:
    way = HostBearer(sessions_of(store, embedder()))
    assert [await way.identify(a_request(bearer)) for bearer in ("", "mcpweb_secret")] == [None, None]
    with pytest.raises(InvalidCredentialError):
        await way.identify(a_request("embed-invented"))


@pytest.mark.anyio
async def test_a_code_for_a_sign_in_names_its_user_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = sessions_of(store, embedder())
    session = await sessions.exchange(a_request(), minted())
    principal = await HostBearer(sessions).identify(a_request(session.token))
    assert principal

    async def code() -> str:
        made = await sessions.code_for(principal)
        assert made
        return made

    first = await code()
    assert [await sessions.user_of(each) for each in (first, first, "invented")] == [session.user_id, None, None]
    # The oldest code of the session gives way to the newest, so that codes fill no memory.
    oldest, *others = [await code() for _ in range(host.CODES + 1)]
    assert [await sessions.user_of(each) for each in (oldest, *others)] == [None, *[session.user_id] * host.CODES]
    monkeypatch.setattr(host, "CODE_SECONDS", -1.0)
    late = await code()
    assert await sessions.user_of(late) is None
    assert await sessions.open_tab(a_request(), "chat", await code()) is None


@pytest.mark.anyio
async def test_a_refused_token_is_an_attempt_for_the_audit_trail(store: Store) -> None:
    written: list[Refusal] = []

    async def write(refusal: Refusal, _count: int) -> None:
        written.append(refusal)

    sessions = sessions_of(store, embedder(may=frozenset({"inbox"})), refusals=Refusals(write))
    attempts = (
        sessions.exchange(a_request(), minted(aud="another")),
        sessions.end(a_request(minted()), subject="ada", host_session=None),
    )
    for attempt in attempts:
        with pytest.raises(TokenRefusedError):
            await attempt
    assert [(each.way, each.code) for each in written] == [("host", "wrong_audience"), ("host", "wrong_scope")]
