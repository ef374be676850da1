"""A program asks other users than its own: only if an administrator lets it, with limits, and nothing is learned."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.house import PATIENCE
from tests.two_users import TwoUsers, two_users
from webclient.auth import Scope, new_token
from webclient.domain.model import EVERYONE, AuditAction, Json
from webclient.inbox import Limits

pytestmark = pytest.mark.anyio

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}, "password": {"type": "string"}}}
FORM = {"kind": "form", "message": "Where to?", "requestedSchema": SCHEMA}
MUTINGS = (AuditAction.PROGRAM_MUTED, AuditAction.PROGRAM_UNMUTED)


@pytest.fixture
async def users(tmp_path: Path) -> AsyncIterator[TwoUsers]:
    async with two_users(tmp_path) as users:
        yield users


async def send(users: TwoUsers, who: str | Mapping[str, str], method: str, path: str, status: int, **body: Any) -> Json:
    """Send JSON as a person or program; return the JSON of a response with this status."""
    headers = {"Remote-User": who} if isinstance(who, str) else who
    async with users.client_of({**headers, "Accept": "application/json"}) as client:
        response = await client.request(method, f"/api/v1{path}", json=body or None)
    assert response.status_code == status, response.text
    found: Json = response.json() if response.content else {}
    return found


async def program(users: TwoUsers, who: str = "root", status: int = 201, **body: Any) -> dict[str, str]:
    """Make a token as a person, and return its header."""
    wanted = {"label": "Chat app", "scopes": ["ask"], "may_ask": "everyone", **body}
    made = await send(users, who, "POST", "/tokens", status, **wanted)
    return {"Authorization": f"Bearer {made['secret']}"} if status == 201 else {}


async def test_a_program_asks_another_user_and_gets_the_answer(users: TwoUsers) -> None:
    agent = await program(users)
    request = await send(users, agent, "POST", "/requests", 201, user_id=users.ada, **FORM)
    assert (request["asked_by"]["label"], request["asked_by"]["made_by"]) == ("Chat app", "root")
    async with users.client("ada") as ada:
        page = (await ada.get(f"/requests/{request['id']}")).text
        assert 'data-asker="program"' in page
        assert 'data-made-by="root"' in page
        # The token is not hers to revoke.
        assert "/tokens#" not in page
    content = {"city": "Rome", "password": "hunter2hunter2"}
    # Who made the token is asked nothing, and sees nothing.
    for other in ("root", "bob", await program(users)):
        await send(users, other, "GET", f"/requests/{request['id']}", 404)
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        waiting = group.create_task(send(users, agent, "GET", f"/requests/{request['id']}?wait=60", 200))
        await send(users, "ada", "POST", f"/requests/{request['id']}/answer", 200, action="accept", content=content)
    assert waiting.result()["content"] == content
    assert (await send(users, agent, "GET", f"/requests/{request['id']}", 200))["content"]["password"] is None
    trail = {entry.action: entry for entry in await users.services.store.audit.newest()}
    entry = trail[AuditAction.REQUESTED]
    assert (entry.object, entry.way) == (users.ada, "token")


async def test_a_user_is_found_by_the_name_of_their_sign_in(users: TwoUsers) -> None:
    agent = await program(users)
    ada = {"issuer": "proxy", "subject": "ada"}
    request = await send(users, agent, "POST", "/requests", 201, user=ada, **FORM)
    assert (await send(users, "ada", "GET", f"/requests/{request['id']}", 200))["state"] == "pending"
    assert (await send(users, agent, "POST", f"/requests/{request['id']}/withdraw", 200))["state"] == "withdrawn"
    await send(users, agent, "POST", "/requests", 422, user=ada, user_id=users.ada, **FORM)


async def test_a_user_who_may_not_be_asked_does_not_exist(users: TwoUsers) -> None:
    some = await program(users, may_ask=["somebody"])
    none = await program(users, may_ask=[])
    everyone = await program(users)
    await users.services.store.users.disable(users.ada)
    sentences = set()
    for agent in (some, none, everyone):
        refused = await send(users, agent, "POST", "/requests", 404, user_id=users.ada, **FORM)
        sentences.add(refused["detail"].replace(users.ada, "ID"))
        refused = await send(users, agent, "POST", "/requests", 404, user_id="unknown", **FORM)
        sentences.add(refused["detail"].replace("unknown", "ID"))
    assert len(sentences) == 1


async def test_only_administrators_open_other_users_to_a_program(users: TwoUsers) -> None:
    async with users.client("bob") as bob:
        bob_id = (await bob.get("/api/v1/me")).json()["user_id"]
        page = await bob.post("/tokens", data={"label": "Mine", "scope": "ask", "everyone": "on"})
        assert page.status_code == 201
        assert 'name="everyone"' not in page.text
    await program(users, "bob", 403)
    tokens = users.services.store.of(bob_id).tokens
    assert [token.may_ask for token in await tokens.all() if token.label == "Mine"] == [()]
    # The token of an administrator who has lost that role.
    token, secret = new_token(bob_id, "Old", [Scope.ASK], [EVERYONE])
    await tokens.add(token, secret)
    old = {"Authorization": f"Bearer {secret}"}
    await send(users, old, "POST", "/requests", 404, user_id=users.ada, **FORM)
    async with users.client("root") as root:
        page = await root.post("/tokens", data={"label": "Ours", "scope": "ask", "everyone": "on"})
        assert 'name="everyone"' in page.text
    found = (await send(users, "root", "GET", "/tokens", 200))["tokens"]
    assert [token["may_ask"] for token in found if token["label"] == "Ours"] == ["everyone"]


async def test_a_program_cannot_flood_other_users(users: TwoUsers, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = Limits(burst=3, rate=0, pending=1)
    monkeypatch.setattr(users.services.program_requests, "_others", limits)
    agent, other = await program(users), await program(users)
    await send(users, agent, "POST", "/requests", 201, user_id=users.ada, **FORM)
    refused = await send(users, agent, "POST", "/requests", 429, user_id=users.ada, **FORM)
    assert refused["reason_code"] == "others_too_many_pending"
    bob = {"issuer": "proxy", "subject": "bob"}
    await send(users, agent, "POST", "/requests", 201, user=bob, **FORM)
    refused = await send(users, agent, "POST", "/requests", 429, user=bob, **FORM)
    assert refused["reason_code"] == "others_rate_limit"
    # Another program has its own share.
    await send(users, other, "POST", "/requests", 201, user_id=users.ada, **FORM)


async def test_a_program_over_the_rate_learns_when_to_come_again(
    users: TwoUsers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(users.services.program_requests, "_others", Limits(burst=1, rate=0.01, pending=9))
    agent = await program(users)
    await send(users, agent, "POST", "/requests", 201, user_id=users.ada, **FORM)
    async with users.client_of({**agent, "Accept": "application/json"}) as client:
        refused = await client.post("/api/v1/requests", json={"user_id": users.ada, **FORM})
    assert (refused.status_code, refused.json()["reason_code"]) == (429, "others_rate_limit")
    assert 1 <= int(refused.headers["retry-after"]) <= 100


async def test_questions_to_others_at_once_stay_within_the_limit(
    users: TwoUsers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(users.services.program_requests, "_others", Limits(burst=100, rate=0, pending=5))
    agent = await program(users)
    async with users.client_of({**agent, "Accept": "application/json"}) as client:
        body = {"user_id": users.ada, **FORM}
        responses = await asyncio.gather(*(client.post("/api/v1/requests", json=body) for _ in range(12)))
    assert sorted(each.status_code for each in responses) == [201] * 5 + [429] * 7


async def test_revoking_a_token_withdraws_its_questions_to_others(users: TwoUsers) -> None:
    agent = await program(users)
    request = await send(users, agent, "POST", "/requests", 201, user_id=users.ada, **FORM)
    await send(users, "root", "DELETE", f"/tokens/{request['asked_by']['token_id']}", 204)
    assert (await send(users, "ada", "GET", f"/requests/{request['id']}", 200))["state"] == "withdrawn"


async def test_a_person_mutes_a_program_of_another_for_themselves(users: TwoUsers) -> None:
    agent = await program(users)
    request = await send(users, agent, "POST", "/requests", 201, user_id=users.ada, **FORM)
    address = f"/requests/{request['id']}/mute-program"
    async with users.client("ada") as ada:
        assert address in (await ada.get(f"/requests/{request['id']}")).text
        assert f'action="{address}"' in (await ada.get(address)).text
        assert (await ada.post(address)).status_code == 303
        # A question of a server has its own way.
        assert (await ada.post(f"/requests/{users.ids['request_id']}/mute-program")).status_code == 404
        assert (await send(users, "ada", "GET", f"/requests/{request['id']}", 200))["state"] == "cancelled"
        refused = await send(users, agent, "POST", "/requests", 403, user_id=users.ada, **FORM)
        assert refused["reason_code"] == "server_muted"
        await send(users, agent, "POST", "/requests", 201, user={"issuer": "proxy", "subject": "bob"}, **FORM)
        unmute = f"/tokens/muted/program-{request['asked_by']['token_id']}/unmute"
        assert unmute in (await ada.get("/tokens")).text
        assert (await ada.post(unmute)).status_code == 303
        assert (await ada.post(unmute)).status_code == 404
    trail = [entry for entry in await users.services.store.audit.newest() if entry.action in MUTINGS]
    assert [entry.action for entry in reversed(trail)] == list(MUTINGS)
    assert {(entry.user_id, entry.object) for entry in trail} == {
        (users.ada, f"program-{request['asked_by']['token_id']}")
    }
    await send(users, agent, "POST", "/requests", 201, user_id=users.ada, **FORM)
