"""Credentials, servers, webhooks and exports are in the trail: who, by which credential, from where; no secrets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx2
import pytest

from tests.embedders.minting import minted
from tests.two_users import TwoUsers, two_users
from tests.walkers import embedders_file
from webclient.auth import Scope, new_token
from webclient.auth.host import PREFIX
from webclient.domain.model import (
    COMMAND_LINE,
    LOCAL_USER,
    Actor,
    Acts,
    AuditAction,
    AuditEntry,
    Grant,
    Person,
    Role,
    acting,
    audit,
)
from webclient.web.pages.users.audit_words import action_words, detail_words

pytestmark = pytest.mark.anyio

ADDRESS = "https://mcp.example.com/mcp?key=s3cret-in-query"
SERVER = {
    "label": "Travel",
    "transport": {"type": "http", "url": ADDRESS, "headers": {"Authorization": "Bearer s3cret-in-header"}},
}


@pytest.fixture
async def users(tmp_path: Path) -> AsyncIterator[TwoUsers]:
    async with two_users(tmp_path, users_add_servers=True) as users:
        yield users


async def entries(users: TwoUsers, *actions: AuditAction) -> list[AuditEntry]:
    """Return the entries with these actions, oldest first."""
    return [entry for entry in reversed(await users.services.store.audit.newest()) if entry.action in actions]


async def sent(users: TwoUsers, method: str, path: str, who: str = "ada", **options: Any) -> httpx2.Response:
    """Send a request of a user, and return the answer, which must be a success."""
    async with users.client(who) as client:
        answer = await client.request(method, path, **options)
    assert answer.status_code < 400, answer.text
    return answer


@pytest.mark.slow
async def test_tokens_are_in_the_trail_with_their_scopes(users: TwoUsers) -> None:
    body = {"label": "Agent", "scopes": ["ask", "read"]}
    made = (await sent(users, "POST", "/api/v1/tokens", json=body)).json()
    async with users.client(None, Authorization=f"Bearer {made['secret']}") as program:
        await program.get("/api/v1/history.jsonl")
    for _n in range(2):
        await sent(users, "DELETE", f"/api/v1/tokens/{made['id']}")
    made_of, exported, revoked = await entries(
        users, AuditAction.TOKEN_MADE, AuditAction.HISTORY_EXPORTED, AuditAction.TOKEN_REVOKED
    )
    assert (made_of.user_id, made_of.address, made_of.way) == (users.ada, "10.1.2.3", "proxy")
    assert (made_of.object, made_of.details) == (made["id"], body)
    assert exported.credential == f"token:{made['id']}"
    assert (revoked.object, revoked.details) == (made["id"], body)
    page = (await sent(users, "GET", "/admin/audit", "root")).text
    assert "Agent" in page
    assert made["secret"] not in page


async def test_the_reach_of_a_token_is_in_the_trail(users: TwoUsers) -> None:
    body = {"label": "Agent", "scopes": ["ask", "admin"], "may_ask": "everyone"}
    await sent(users, "POST", "/api/v1/tokens", "root", json=body)
    await sent(users, "POST", "/tokens", "root", data={"label": "Other", "scope": "ask", "everyone": "on"})
    by_api, in_page = await entries(users, AuditAction.TOKEN_MADE)
    assert by_api.details == {"label": "Agent", "scopes": ["ask", "admin"], "may_ask": ["*"]}
    assert in_page.details["may_ask"] == ["*"]


async def test_servers_are_in_the_trail_without_secrets(users: TwoUsers) -> None:
    server = (await sent(users, "POST", "/api/v1/servers", json=SERVER)).json()["id"]
    path = f"/api/v1/servers/{server}"
    await sent(users, "PATCH", path, json={"label": "Trips", "modes": ["form"], "muted": True})
    await sent(users, "PATCH", path, json={"headers": {"X-Key": "s3cret-new"}})
    await sent(users, "PATCH", path, json={"label": "Trips"})
    await sent(users, "DELETE", path)
    kinds = (AuditAction.SERVER_ADDED, AuditAction.SERVER_CHANGED, AuditAction.SERVER_REMOVED)
    added, *changed, removed = [entry for entry in await entries(users, *kinds) if entry.object == server]
    assert added.details["label"] == "Travel"
    assert added.details["headers"] == ["Authorization"]
    assert added.details["address"].startswith("https://mcp.example.com/mcp")
    changes = {name for entry in changed for name in entry.details["changed"]}
    assert {"label", "modes", "muted", "headers"} == changes
    assert changed[-1].details["headers"] == ["X-Key"]
    assert (removed.details["label"], removed.details["headers"]) == ("Trips", ["X-Key"])
    page = (await sent(users, "GET", "/admin/audit", "root")).text
    everything = str([entry.details for entry in await users.services.store.audit.newest()])
    assert "s3cret" not in page + everything
    assert (await users.services.store.audit.newest())[-1].user_id


async def test_another_value_of_a_header_is_in_the_trail(users: TwoUsers) -> None:
    server = (await sent(users, "POST", "/api/v1/servers", json=SERVER)).json()["id"]
    await sent(users, "PATCH", f"/api/v1/servers/{server}", json={"headers": {"Authorization": "Bearer other"}})
    (changed,) = await entries(users, AuditAction.SERVER_CHANGED)
    assert (changed.details["changed"], changed.details["headers"]) == (["headers"], ["Authorization"])


async def test_places_for_notices_are_in_the_trail_by_host(users: TwoUsers) -> None:
    url = "https://hooks.example.com/services/T000/s3cret"
    await sent(users, "POST", "/notifications/webhooks", data={"url": url})
    (added,) = await entries(users, AuditAction.NOTICE_TARGET_ADDED)
    assert (added.details["kind"], "hooks.example.com" in added.details["label"]) == ("webhook", True)
    await sent(users, "POST", f"/notifications/targets/{added.object}/remove")
    (removed,) = await entries(users, AuditAction.NOTICE_TARGET_REMOVED)
    assert (removed.object, removed.details) == (added.object, added.details)
    assert "s3cret" not in str(added.details)


async def test_exports_are_in_the_trail(users: TwoUsers) -> None:
    server, call = users.ids["server_id"], users.ids["call_id"]
    for path in ("history.jsonl", f"servers/{server}/log.jsonl", f"calls/{call}/log.jsonl"):
        await sent(users, "GET", f"/api/v1/{path}")
    found = await entries(users, AuditAction.HISTORY_EXPORTED, AuditAction.WIRE_LOG_EXPORTED)
    assert [entry.object for entry in found] == ["", server, call]


async def test_sign_ins_at_servers_are_in_the_trail(users: TwoUsers) -> None:
    grants = users.services.store.of(users.ada).grants
    server = users.ids["server_id"]
    grant = Grant(user_id=users.ada, server_id=server, issuer="https://as.example", resource="r", scopes=("read",))
    with acting(Actor(user_id=users.ada)):
        for refused in (False, True):
            await grants.save(grant)
            await grants.remove(server, refused=refused)
    found = await entries(users, AuditAction.SERVER_SIGNED_IN, AuditAction.SERVER_SIGNED_OUT)
    assert [(entry.action, entry.object) for entry in found] == [
        (AuditAction.SERVER_SIGNED_IN, server),
        (AuditAction.SERVER_SIGNED_OUT, server),
        (AuditAction.SERVER_SIGNED_IN, server),
    ]
    assert found[0].details == {"issuer": "https://as.example", "scopes": ["read"]}


async def test_another_role_is_in_the_trail(users: TwoUsers) -> None:
    with acting(Actor(way="oidc")):
        for role in (Role.USER, Role.ADMIN, Role.ADMIN):
            eve = await users.services.store.users.recognise(Person(issuer="oidc", subject="eve", role=role))
    (changed,) = await entries(users, AuditAction.ROLE_CHANGED)
    assert (changed.object, changed.details) == (eve.id, {"role": "admin"})


async def test_an_entry_names_the_sign_in_of_the_list(users: TwoUsers) -> None:
    store = users.services.store
    for user_id, way in ((users.ada, "oidc"), (LOCAL_USER, "local")):
        secret = await store.browser_sessions.create(user_id, way)
        (own,) = [each for each in await store.open_sessions.of(user_id, secret) if each.is_own]
        assert store.open_sessions.name_of(secret, user_id) == own.id
        assert secret not in own.id


async def test_an_entry_of_a_frame_names_its_sign_in(tmp_path: Path) -> None:
    async with two_users(tmp_path, embedders=embedders_file(tmp_path / "chat")) as users, users.client(None) as client:
        session = (await client.post("/api/v1/sessions", json={"token": minted(sub="eve")})).json()
        (listed,) = await users.services.store.open_sessions.of(session["user_id"])
        named = users.services.store.open_sessions.name_of(
            session["token"].removeprefix(PREFIX), session["user_id"], in_frame=True
        )
        assert named == listed.id


async def test_the_config_file_changes_servers_without_entries(users: TwoUsers) -> None:
    with acting(Actor(user_id=users.ada)):
        await users.services.presence.leave(users.ada)
        await users.services.presence.arrived(users.ada)
    assert await entries(users, AuditAction.SERVER_REMOVED, AuditAction.SERVER_SIGNED_OUT) == []


async def test_a_deleted_user_leaves_no_details(users: TwoUsers) -> None:
    await sent(users, "POST", "/api/v1/servers", json=SERVER)
    await sent(users, "POST", "/api/v1/servers", "root", json=SERVER)
    token, secret = new_token(users.ada, "of-the-operator", [Scope.ASK])
    with acting(COMMAND_LINE):
        await users.services.store.of(users.ada).tokens.add(token, secret)
    for step in ("disable", "delete"):
        await sent(users, "POST", f"/admin/users/{users.ada}/{step}", "root")
    of_ada, of_root = await entries(users, AuditAction.SERVER_ADDED)
    assert (of_ada.details, of_root.details["label"]) == ({}, "Travel")
    assert [entry.details for entry in await entries(users, AuditAction.TOKEN_MADE)] == [{}]


def test_a_flood_of_acts_is_a_handful_of_entries() -> None:
    now = 0.0
    acts = Acts(lambda: now)
    with patch.object(audit, "MOST_ALIKE", 3):
        assert [acts.count("ada", AuditAction.SERVER_ADDED) for _n in range(12)] == [1] * 3 + [0] * 6 + [10, 0, 0]
        assert acts.count("bob", AuditAction.SERVER_ADDED) == acts.count("ada", AuditAction.TOKEN_MADE) == 1
        now += audit.WINDOW
        assert acts.count("ada", AuditAction.SERVER_ADDED) == 1


async def test_a_flood_from_one_user_is_folded(users: TwoUsers) -> None:
    with patch.object(audit, "MOST_ALIKE", 3):
        for _n in range(11):
            await sent(users, "GET", "/api/v1/history.jsonl")
        await sent(users, "GET", "/api/v1/history.jsonl", "bob")
    found = await entries(users, AuditAction.HISTORY_EXPORTED)
    assert [entry.details.get("count", 1) for entry in found] == [1, 1, 1, 10, 1]


async def test_acts_of_a_busy_user_are_trimmed_and_tokens_stay(users: TwoUsers) -> None:
    await sent(users, "POST", "/api/v1/tokens", json={"label": "Agent", "scopes": ["ask"]})
    for who in ("ada", "ada", "bob", "ada", "ada"):
        await sent(users, "GET", "/api/v1/history.jsonl", who)
    await users.services.store.audit.purge(2)
    found = await entries(users, AuditAction.HISTORY_EXPORTED, AuditAction.TOKEN_MADE)
    assert [(entry.user_id == users.ada, entry.action) for entry in found] == [
        (True, AuditAction.TOKEN_MADE),
        (False, AuditAction.HISTORY_EXPORTED),
        (True, AuditAction.HISTORY_EXPORTED),
        (True, AuditAction.HISTORY_EXPORTED),
    ]


async def test_long_details_are_cut(users: TwoUsers) -> None:
    with acting(Actor(user_id=users.ada)):
        details = {"label": "x" * 10_000, "headers": ["h"] * 1_000}
        await users.services.store.audit.add(AuditAction.SERVER_CHANGED, details=details)
    (entry,) = await entries(users, AuditAction.SERVER_CHANGED)
    assert len(str(entry.details)) < 500


def test_each_action_and_detail_has_words() -> None:
    assert action_words().keys() == set(AuditAction)
    assert all(detail_words().values())


async def test_muting_a_program_is_in_the_trail(users: TwoUsers) -> None:
    made = (await sent(users, "POST", "/api/v1/tokens", json={"label": "Agent", "scopes": ["ask"]})).json()
    for verb in ("mute", "unmute"):
        await sent(users, "POST", f"/tokens/{made['id']}/{verb}")
    found = await entries(users, AuditAction.PROGRAM_MUTED, AuditAction.PROGRAM_UNMUTED)
    assert [each.action for each in found] == [AuditAction.PROGRAM_MUTED, AuditAction.PROGRAM_UNMUTED]
    assert {(each.object, each.user_id, each.address) for each in found} == {(made["id"], users.ada, "10.1.2.3")}
    assert {each.details["label"] for each in found} == {"Agent"}
