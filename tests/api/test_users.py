"""Administrators see and change users over the API; no other user learns of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.embedders.minting import minted
from tests.house import PATIENCE
from tests.two_users import MARK, Route, TwoUsers, routes, two_users
from tests.walkers import ADA, ROOT, Walker
from webclient.auth import Scope, new_token
from webclient.domain.model import AuditAction, Json, Person, RequestState, Role, now
from webclient.store import NewEmbedSession, Store

pytestmark = pytest.mark.anyio

FORM = {"kind": "form", "message": "?", "requestedSchema": {"type": "object", "properties": {}}}


@pytest.fixture
async def users(tmp_path: Path) -> AsyncIterator[TwoUsers]:
    async with two_users(tmp_path) as users:
        yield users


async def send(
    users: TwoUsers, method: str, path: str, who: str | Mapping[str, str] = "root", **options: Any
) -> httpx2.Response:
    """Send a request to the API as a person or program."""
    headers = {"Remote-User": who} if isinstance(who, str) else who
    async with users.client_of({**headers, "Accept": "application/json"}) as client:
        return await client.request(method, f"/api/v1{path}", **options)


async def found(users: TwoUsers, path: str, who: str | Mapping[str, str] = "root", **params: Any) -> Json:
    """Return the JSON of what exists."""
    answer = await send(users, "GET", path, who, params=params)
    assert answer.status_code == 200, answer.text
    document: Json = answer.json()
    return document


async def bearer(users: TwoUsers, user_id: str, *scopes: Scope) -> dict[str, str]:
    """Make a token of a user; return its header."""
    token, secret = new_token(user_id, "Agent", scopes)
    await users.services.store.of(user_id).tokens.add(token, secret)
    return {"Authorization": f"Bearer {secret}"}


async def id_of(users: TwoUsers, subject: str) -> str:
    """Return the id of a user."""
    user = await users.services.store.users.find("proxy", subject)
    assert user is not None
    return user.id


def of_admins(users: TwoUsers) -> list[Route]:
    """Return the routes of administrators."""
    return [route for route in routes(users.app) if route.is_for_admins]


async def test_users_are_listed_with_counts_and_without_content(users: TwoUsers) -> None:
    listed = await found(users, "/users")
    by_subject = {each["subject"]: each for each in listed["users"]}
    assert by_subject.keys() >= {"ada", "bob", "root", "local"}
    ada = by_subject["ada"]
    assert (ada["id"], ada["issuer"], ada["role"], ada["state"], ada["awaited"]) == (
        users.ada,
        "proxy",
        "user",
        "enabled",
        False,
    )
    assert (ada["servers"], ada["open_calls"], ada["waiting_requests"], ada["here"]) == (1, 1, 2, True)
    assert by_subject["root"]["role"] == "admin"
    assert await found(users, f"/users/{users.ada}") == ada
    assert MARK not in str(listed)


async def test_pages_of_users_have_each_once(users: TwoUsers) -> None:
    for number in range(7):
        await users.services.store.users.recognise(Person(issuer="proxy", subject=f"u{number}", name="Übung"))
    seen: list[str] = []
    page = await found(users, "/users", limit=3)
    while True:
        seen += [each["id"] for each in page["users"]]
        assert len(page["users"]) <= 3
        if "next" not in page:
            break
        page = await found(users, "/users", limit=3, after=page["next"])
    assert len(seen) == len(set(seen))
    assert set(seen) == {each.id for each in await users.services.store.users.all()}
    named = await found(users, "/users", q="ÜBUNG u3", limit=3)
    assert [each["subject"] for each in named["users"]] == ["u3"]
    await users.services.accounts.disable(users.ada)
    assert [each["id"] for each in (await found(users, "/users", state="disabled"))["users"]] == [users.ada]
    assert users.ada not in str(await found(users, "/users", state="enabled"))
    assert (await send(users, "GET", "/users?after=nobody")).status_code == 422


async def test_only_administrators_learn_of_users(users: TwoUsers) -> None:
    """Also with the ids of what exists, and with a token that an administrator has lost the role for."""
    before = await found(users, "/users")
    demoted = await users.services.store.users.recognise(Person(issuer="proxy", subject="eve", role=Role.ADMIN))
    lost = Walker("lost", await bearer(users, demoted.id, Scope.ADMIN))
    await users.services.store.users.recognise(Person(issuer="proxy", subject="eve", role=Role.USER))
    others = [each for each in users.walkers if each.name not in (ROOT.name, "token `admin`")]
    ids = users.ids | {"user_id": users.ada}
    for walker in [*others, ADA, lost]:
        for route in of_admins(users):
            async with users.client_of(walker.headers) as client:
                body: dict[str, Any] = {} if route.method == "GET" else {"json": {}}
                answer = await client.request(route.method, route.of(ids), **body)
            assert answer.status_code in (401, 403, 404), (walker, route)
            assert MARK not in answer.text
    after = await found(users, "/users")
    assert [each["id"] for each in before["users"]] == [each["id"] for each in after["users"]][:-1]


@pytest.mark.parametrize("scopes", [[Scope.ASK], [Scope.READ, Scope.ANSWER, Scope.ASK]])
async def test_a_token_of_an_administrator_needs_the_scope(users: TwoUsers, scopes: list[Scope]) -> None:
    root = await id_of(users, "root")
    program = await bearer(users, root, *scopes)
    for path in ("/users", "/audit", "/audit.jsonl", f"/users/{users.ada}"):
        assert (await send(users, "GET", path, program)).status_code == 403
    assert (await send(users, "POST", f"/users/{users.ada}/disable", program)).status_code == 403
    assert (await send(users, "GET", "/users", await bearer(users, root, Scope.ADMIN))).status_code == 200


async def frame_of(store: Store, user_id: str) -> None:
    """Begin a session of an application for a user."""
    session = NewEmbedSession(
        user_id=user_id,
        embedder="chat",
        subject="ada",
        host_session=None,
        origin="https://chat.example",
        scopes=["inbox"],
        ends_at=now() + timedelta(hours=1),
    )
    assert await store.embed_sessions.exchange(session, "t", now() + timedelta(hours=1))


async def test_disabling_ends_everything_that_the_user_has_open(users: TwoUsers) -> None:
    """Browsers, frames, tokens and streams; it works again, but for sign-ins, when the user is enabled."""
    store = users.services.store
    await frame_of(store, users.ada)
    program = await bearer(users, users.ada, Scope.READ)
    async with (
        asyncio.timeout(PATIENCE),
        users.stream(ADA, "/api/v1/events") as page,
        users.stream(Walker("program", program), "/api/v1/events") as stream,
    ):
        answer = await send(users, "POST", f"/users/{users.ada}/disable")
        for sent in (page, stream):
            # An empty piece is the end of the response.
            while await sent.get():
                pass
    assert (answer.status_code, answer.json()["state"]) == (200, "disabled")
    assert "disabled_at" in answer.json()
    assert await store.open_sessions.of(users.ada) == []
    assert users.ada not in users.services.presence.here
    assert (await send(users, "GET", "/servers", program)).status_code == 401
    assert (await send(users, "GET", "/servers", "ada")).status_code == 401
    again = await send(users, "POST", f"/users/{users.ada}/disable")
    assert again.json()["disabled_at"] == answer.json()["disabled_at"]
    assert (await send(users, "POST", f"/users/{users.ada}/enable")).json()["state"] == "enabled"
    assert (await send(users, "GET", "/servers", program)).status_code == 200
    trail = [each for each in reversed(await store.audit.newest()) if each.action.value.startswith("user_")]
    assert [(each.action, each.object) for each in trail] == [
        (AuditAction.USER_DISABLED, users.ada),
        (AuditAction.USER_ENABLED, users.ada),
    ]
    assert {(each.user_id, each.way, each.address) for each in trail} == {
        (await id_of(users, "root"), "proxy", "10.1.2.3")
    }


async def test_each_act_of_a_program_names_its_token(users: TwoUsers) -> None:
    root = await id_of(users, "root")
    program = await bearer(users, root, Scope.ADMIN)
    await send(users, "POST", f"/users/{users.ada}/disable", program)
    entry = (await users.services.store.audit.newest())[0]
    assert (entry.action, entry.user_id, entry.way) == (AuditAction.USER_DISABLED, root, "token")
    assert entry.credential.startswith("token:")


async def test_many_users_are_disabled_with_an_entry_each(users: TwoUsers, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flood of acts is counted together, but not of these: each user is to be found."""
    monkeypatch.setattr("webclient.domain.model.audit.MOST_ALIKE", 2)
    made = [await users.services.store.users.recognise(Person(issuer="proxy", subject=f"u{n}")) for n in range(5)]
    for user in made:
        await send(users, "POST", f"/users/{user.id}/disable")
    trail = await found(users, "/audit", action="user_disabled")
    assert {each["object"] for each in trail["entries"]} == {user.id for user in made}


async def test_a_deleted_user_is_gone(users: TwoUsers) -> None:
    assert (await send(users, "DELETE", f"/users/{users.ada}")).status_code == 204
    assert await users.services.store.of(users.ada).servers.all() == []
    for method in ("GET", "DELETE"):
        assert (await send(users, method, f"/users/{users.ada}")).status_code == 404


async def test_an_administrator_cannot_lock_themselves_out(users: TwoUsers) -> None:
    root = await id_of(users, "root")
    program = await bearer(users, root, Scope.ADMIN)
    for who in ("root", program):
        for each in (root, "local"):
            for method, path in (("POST", "/disable"), ("POST", "/enable"), ("DELETE", "")):
                assert (await send(users, method, f"/users/{each}{path}", who)).status_code == 409
    assert (await send(users, "GET", "/users")).status_code == 200


async def test_the_last_administrator_stays(users: TwoUsers) -> None:
    """The token of the operator signs no browser in here, so it does not count; two who disable each other do."""
    root = await id_of(users, "root")
    operator = {"Authorization": f"Bearer {users.services.settings.token}"}
    for method, path in (("POST", "/disable"), ("DELETE", "")):
        assert (await send(users, method, f"/users/{root}{path}", operator)).status_code == 409
    assert (await send(users, "GET", "/users")).status_code == 200
    eve = await users.services.store.users.recognise(Person(issuer="proxy", subject="eve", role=Role.ADMIN))
    of_eve = await bearer(users, eve.id, Scope.ADMIN)
    answers = await asyncio.gather(
        send(users, "POST", f"/users/{eve.id}/disable"), send(users, "POST", f"/users/{root}/disable", of_eve)
    )
    assert sorted(each.status_code for each in answers) in ([200, 401], [200, 409])
    everyone = await users.services.store.users.all()
    assert len([each for each in everyone if each.role is Role.ADMIN and not each.disabled_at]) == 2


async def test_sign_ins_of_others_are_listed_and_ended(users: TwoUsers) -> None:
    await users.services.store.browser_sessions.create(users.ada, "oidc")
    listed = (await found(users, f"/users/{users.ada}/sign-ins"))["sign_ins"]
    assert [(each["way"], each["own"]) for each in listed] == [("oidc", False)] * 2
    path = f"/users/{users.ada}/sign-ins/{listed[0]['id']}"
    assert [(await send(users, "DELETE", path)).status_code for _n in range(2)] == [204, 404]
    assert (await send(users, "DELETE", f"/users/{users.ada}/sign-ins")).json() == {"ended": 1}
    assert await users.services.store.open_sessions.of(users.ada) == []


async def test_tokens_of_others_are_listed_and_revoked(users: TwoUsers) -> None:
    """Questions that the program has asked others are withdrawn, as when its user revokes it."""
    token, secret = new_token(users.ada, "Agent of Ada", [Scope.ASK])
    await users.services.store.of(users.ada).tokens.add(token, secret)
    answer = await send(users, "POST", "/requests", {"Authorization": f"Bearer {secret}"}, json=FORM)
    listed = (await found(users, f"/users/{users.ada}/tokens"))["tokens"]
    assert "Agent of Ada" in {each["label"] for each in listed}
    assert secret not in str(listed)
    assert (await send(users, "DELETE", f"/users/{users.ada}/tokens/{token.id}")).status_code == 204
    assert (await send(users, "GET", "/me", {"Authorization": f"Bearer {secret}"})).status_code == 401
    request = await users.services.store.of(users.ada).requests.get(answer.json()["id"])
    assert request.state is RequestState.WITHDRAWN
    entry = next(each for each in await users.services.store.audit.newest() if each.object == token.id)
    assert (entry.user_id, entry.details["user"]) == (await id_of(users, "root"), users.ada)
    bob = await id_of(users, "bob")
    assert (await send(users, "DELETE", f"/users/{bob}/tokens/{token.id}")).status_code == 404


async def test_servers_of_others_are_listed_and_removed(users: TwoUsers) -> None:
    url = "https://mcp.example.com/mcp?key=s3cret-in-query-9f8a7b6c5d"
    server = {"label": "Travel", "transport": {"type": "http", "url": url, "headers": {"Authorization": "Bearer s3c"}}}
    made = await send(users, "POST", "/servers", json=server)
    root, theirs = await id_of(users, "root"), made.json()["id"]
    listed = (await found(users, f"/users/{root}/servers"))["servers"]
    assert [(each["label"], each["state"], each["configured"]) for each in listed] == [
        ("Travel", "disconnected", False)
    ]
    assert listed[0]["address"].startswith("https://mcp.example.com/mcp")
    assert "s3c" not in str(listed)
    hers = users.ids["server_id"]
    assert (await send(users, "DELETE", f"/users/{users.ada}/servers/{theirs}")).status_code == 404
    assert (await send(users, "DELETE", f"/users/{users.ada}/servers/{hers}")).status_code == 204
    assert (await found(users, f"/users/{users.ada}/servers"))["servers"] == []
    entry = next(each for each in await users.services.store.audit.newest() if each.object == hers)
    assert (entry.action, entry.user_id, entry.details["user"]) == (AuditAction.SERVER_REMOVED, root, users.ada)


# Users who have not come yet


async def test_an_added_user_gets_the_question_at_the_first_sign_in(users: TwoUsers) -> None:
    added = await send(users, "POST", "/users", json={"issuer": "proxy", "subject": "zoe", "name": "Zoe"})
    zoe = added.json()
    assert (added.status_code, zoe["awaited"], zoe["issuer"], zoe["role"]) == (201, True, "proxy", "user")
    assert added.headers["location"] == f"/api/v1/users/{zoe['id']}"
    assert (await send(users, "POST", "/users", json={"issuer": "proxy", "subject": "zoe"})).status_code == 200
    agent = await asker(users)
    user = {"issuer": "proxy", "subject": "zoe"}
    answer = await send(users, "POST", "/requests", agent, json={**FORM, "user": user})
    assert answer.status_code == 201
    theirs = await found(users, "/requests", "zoe")
    assert [each["id"] for each in theirs["requests"]] == [answer.json()["id"]]
    me = await found(users, f"/users/{zoe['id']}")
    assert (me["awaited"], "signed_in_at" in me) == (False, True)
    trail = [each for each in reversed(await users.services.store.audit.newest()) if each.object == zoe["id"]]
    actions = [AuditAction.USER_ADDED, AuditAction.REQUESTED, AuditAction.FIRST_SEEN]
    assert [each.action for each in trail] == actions
    assert trail[0].details == {"issuer": "proxy", "subject": "zoe"}


async def asker(users: TwoUsers, **body: Any) -> dict[str, str]:
    """Make a token that may ask all users; return its header."""
    wanted = {"label": "Chat app", "scopes": ["ask"], "may_ask": "everyone", **body}
    made = await send(users, "POST", "/tokens", json=wanted)
    return {"Authorization": f"Bearer {made.json()['secret']}"}


async def test_the_first_to_prove_the_address_is_the_added_user(tmp_path: Path) -> None:
    async with two_users(tmp_path, auth_email_header="Remote-Email") as users:
        zoe = (await send(users, "POST", "/users", json={"issuer": "proxy", "email": "Zoe@corp.example"})).json()
        assert "subject" not in zoe
        agent = await asker(users)
        user = {"issuer": "proxy", "email": "zoe@CORP.example"}
        answer = await send(users, "POST", "/requests", agent, json={**FORM, "user": user})
        assert answer.status_code == 201
        for subject, email in (("eve", "eve@corp.example"), ("zoe@corp.example", "")):
            headers = {"Remote-User": subject} | ({"Remote-Email": email} if email else {})
            assert (await found(users, "/requests", headers))["requests"] == []
        for subject in ("z1", "z1"):
            mine = await found(users, "/requests", {"Remote-User": subject, "Remote-Email": "zoe@corp.example"})
            assert [each["id"] for each in mine["requests"]] == [answer.json()["id"]]
        # Once it was taken over, the address opens nothing: it may be another person's some day.
        later = {"Remote-User": "z2", "Remote-Email": "zoe@corp.example"}
        assert (await found(users, "/requests", later))["requests"] == []
        assert (await found(users, f"/users/{zoe['id']}"))["subject"] == "z1"
        # Whose it is now is not known.
        assert (await send(users, "POST", "/requests", agent, json={**FORM, "user": user})).status_code == 409
        some = await asker(users, may_ask=[zoe["id"]])
        assert (await send(users, "POST", "/requests", some, json={**FORM, "user": user})).status_code == 404
        known = (await send(users, "POST", "/users", json={"issuer": "proxy", "email": "eve@corp.example"})).json()
        assert known["subject"] == "eve"


async def test_a_user_who_was_added_and_disabled_does_not_get_in(users: TwoUsers) -> None:
    zoe = (await send(users, "POST", "/users", json={"issuer": "proxy", "subject": "zoe"})).json()["id"]
    await send(users, "POST", f"/users/{zoe}/disable")
    assert (await send(users, "GET", "/me", "zoe")).status_code == 401
    user = {"issuer": "proxy", "subject": "zoe"}
    assert (await send(users, "POST", "/requests", await asker(users), json={**FORM, "user": user})).status_code == 404


async def test_an_unknown_user_stays_unknown(users: TwoUsers) -> None:
    """Asking makes no user, and what no sign-in can prove cannot be added."""
    agent = await asker(users)
    for user in ({"issuer": "proxy", "subject": "zoe"}, {"issuer": "proxy", "email": "zoe@corp.example"}):
        assert (await send(users, "POST", "/requests", agent, json={**FORM, "user": user})).status_code == 404
    before = await users.services.store.users.all()
    for body in (
        {"subject": "zoe", "issuer": "local"},
        {"subject": "zoe", "issuer": "https://elsewhere.example"},
        {"subject": "zoe", "issuer": "host:unknown"},
        {"email": "zoe@corp.example", "issuer": "host:chat"},
        {"email": "zoe", "issuer": "proxy"},
        {"subject": "zoe", "email": "zoe@corp.example", "issuer": "proxy"},
        {"subject": "\x1fzoe", "issuer": "proxy"},
        # Users of several issuers sign in, so one has to be named.
        {"subject": "zoe"},
        {},
    ):
        assert (await send(users, "POST", "/users", json=body)).status_code == 422, body
    assert await users.services.store.users.all() == before


async def test_a_user_of_an_application_is_added_by_its_subject(users: TwoUsers) -> None:
    added = (await send(users, "POST", "/users", json={"issuer": "host:chat", "subject": "eve"})).json()
    async with users.client(None) as client:
        session = (await client.post("/api/v1/sessions", json={"token": minted(sub="eve")})).json()
    assert session["user_id"] == added["id"]


async def test_only_so_many_users_are_awaited(users: TwoUsers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webclient.store.users.users.MOST_AWAITED", 2)
    statuses = [
        (await send(users, "POST", "/users", json={"issuer": "proxy", "subject": f"u{n}"})).status_code
        for n in range(3)
    ]
    assert statuses == [201, 201, 409]
