"""Administrators see users, counts and states, and shut users out; what is asked and answered is in none of it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest

from tests.embedders.minting import minted
from tests.house import PATIENCE
from tests.mcp_servers import running
from tests.two_users import MARK, TwoUsers, two_users
from tests.walkers import ADA, embedders_file
from webclient.auth import Scope, new_token
from webclient.auth.jwt import JwtFault
from webclient.domain.model import (
    Actor,
    AuditAction,
    AuditEntry,
    InputRequest,
    Person,
    RequestState,
    acting,
    asker_id_of,
)
from webclient.inbox import Asker, NewRequest
from webclient.web.pages.users.audit_words import refusal_words

pytestmark = pytest.mark.anyio

NEW_SERVER = {"label": "x", "transport": {"type": "http", "url": "http://127.0.0.1:9/mcp"}}


@pytest.fixture
async def users(tmp_path: Path) -> AsyncIterator[TwoUsers]:
    async with two_users(tmp_path) as users:
        yield users


async def post(users: TwoUsers, who: str, path: str) -> int:
    """Post an empty form; return the status."""
    async with users.client(who) as client:
        return (await client.post(path, data={})).status_code


async def get(users: TwoUsers, who: str, path: str) -> tuple[int, str]:
    """Return the status and text of a page."""
    async with users.client(who) as client:
        answer = await client.get(path)
        return answer.status_code, answer.text


async def test_only_administrators_have_these_pages(users: TwoUsers) -> None:
    for path in ("/admin", "/admin/audit", f"/admin/users/{users.ada}"):
        assert (await get(users, "ada", path))[0] == 404
        status, text = await get(users, "root", path)
        assert (status, MARK in text) == (200, False)
    assert await post(users, "ada", f"/admin/users/{users.ada}/disable") == 404
    assert 'href="/admin"' in (await get(users, "root", "/"))[1]
    assert 'href="/admin"' not in (await get(users, "ada", "/"))[1]


def linked_to(text: str, rel: str) -> str | None:
    """Return the address of the link with this relation, or None."""
    found = re.search(rf'href="([^"]*)" rel="{rel}"', text)
    return unescape(found[1]) if found else None


async def test_pages_of_users_show_each_once(users: TwoUsers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webclient.web.pages.users.admin_pages.MOST", 3)
    for number in range(7):
        await users.services.store.users.recognise(
            Person(issuer="proxy", subject=f"u{number}", name=f"Übung & {number}")
        )
    everyone = {each.id for each in await users.services.store.users.all()}
    for first, wanted in (("/admin", len(everyone)), ("/admin?q=%C3%BCbung+%26", 7)):
        path: str | None = first
        seen: list[str] = []
        while path:
            status, text = await get(users, "root", path)
            assert status == 200
            rows = re.findall(r'class="person__name" href="/admin/users/([^"]+)"', text)
            assert 0 < len(rows) <= 3
            # Filtering what is in the page would say that all others do not exist.
            assert "data-filters" not in text
            seen += rows
            path = linked_to(text, "next")
        assert len(seen) == len(set(seen)) == wanted
        assert set(seen) <= everyone


async def test_a_list_of_all_users_is_filtered_in_the_page(users: TwoUsers) -> None:
    text = (await get(users, "root", "/admin"))[1]
    assert "data-filters" in text
    assert linked_to(text, "next") is None


async def test_pages_of_the_audit_trail_show_each_entry_once(users: TwoUsers) -> None:
    """Also where a page ends before 200 entries, because these are large."""
    with acting(Actor(user_id=users.ada, way="proxy")):
        for number in range(150):
            details = {"scopes": ["\N{HEAVY BLACK HEART}" * 200] * 20}
            await users.services.store.audit.add(AuditAction.USER_ADDED, object=f"t{number}", details=details)
    path: str | None = "/admin/audit"
    seen: list[str] = []
    while path:
        text = (await get(users, "root", path))[1]
        seen += re.findall(r'<bdi lang="">(t\d+)</bdi>', text)
        path = linked_to(text, "next")
    assert sorted(seen) == sorted(f"t{number}" for number in range(150))


async def test_the_search_finds_users_by_each_of_their_names(users: TwoUsers) -> None:
    person = Person(issuer="proxy", subject="zz", name="王小明", email="wang@example.cn")
    wang = await users.services.store.users.recognise(person)
    for query, finds in (("小明", True), ("WANG zz", True), ("wang ada", False)):
        async with users.client("root") as client:
            found = (await client.get("/admin", params={"q": query})).text
        assert (wang.id in found, users.ada in found) == (finds, False), query


@pytest.mark.slow
async def test_a_disabled_user_is_out_at_once_and_may_come_back(users: TwoUsers) -> None:
    async with asyncio.timeout(PATIENCE), users.stream(ADA, "/api/v1/events") as sent:
        assert await post(users, "root", f"/admin/users/{users.ada}/disable") == 303
        # An empty piece is the end of the response.
        while await sent.get():
            pass
    status, page = await get(users, "ada", "/")
    # She is signed in at the proxy: another sign-in would not help her.
    assert (status, "Your account is disabled here." in page, 'href="/login' in page) == (401, True, False)
    assert users.ada not in users.services.presence.here
    assert await post(users, "root", f"/admin/users/{users.ada}/enable") == 303
    assert (await get(users, "ada", "/"))[0] == 200


@pytest.mark.slow
async def test_deleting_a_user_erases_everything_of_theirs(users: TwoUsers) -> None:
    bob = await users.services.store.users.recognise(Person(issuer="proxy", subject="bob"))
    request = await _request_of_a_program(users, users.ada, bob.id)
    assert await post(users, "root", f"/admin/users/{users.ada}/delete") == 303
    # What her programs asked others is withdrawn: no program fetches the answer.
    assert (await users.services.store.of(bob.id).requests.get(request.id)).state is RequestState.WITHDRAWN
    hers = users.services.store.of(users.ada)
    assert [await hers.servers.all(), await hers.calls.find(), await hers.requests.find()] == [[], [], []]
    assert await users.services.store.users.get(users.ada) is None
    assert MARK.encode() not in b"".join(
        path.read_bytes() for path in users.services.settings.data_dir.iterdir() if path.is_file()
    )
    # The same person is another user from now on.
    assert (await users.services.store.users.recognise(Person(issuer="proxy", subject="ada"))).id != users.ada


async def _request_of_a_program(users: TwoUsers, owner: str, user_id: str) -> InputRequest:
    token, secret = new_token(owner, "Agent", [Scope.ASK])
    await users.services.store.of(owner).tokens.add(token, secret)
    asker = Asker(user_id=user_id, id=asker_id_of(token.id), label="Agent", token_id=token.id, made_by="ada")
    params = {"mode": "form", "message": "?", "requestedSchema": {"type": "object", "properties": {}}}
    new = NewRequest(kind="form", params=params, expires_in=timedelta(days=1))
    return await users.services.program_requests.ask(asker, new)


@pytest.mark.slow
async def test_deleting_a_user_erases_their_lines_of_the_wire_log(tmp_path: Path) -> None:
    """Also while a call of theirs waits, and what its end writes."""
    path = tmp_path / "wire.jsonl"
    async with (
        running() as asker,
        two_users(tmp_path / "data", wire_log=path, users_add_servers=True, server_networks=["127.0.0.1"]) as users,
    ):
        for who in ("ada", "bob"):
            await ask(users, who, asker.address)
        await until_written(path, "elicitation/create", 2)
        bob = next(user for user in await users.services.store.users.all() if user.subject == "bob")
        before = [line for line in path.read_text("utf-8").splitlines() if bob.id in line]
        assert await post(users, "root", f"/admin/users/{users.ada}/delete") == 303
    lines = path.read_text("utf-8").splitlines()
    assert [line for line in lines if users.ada in line or "from-ada" in line] == []
    assert [line for line in lines if bob.id in line][: len(before)] == before
    database = b"".join(each.read_bytes() for each in (tmp_path / "data").iterdir() if each.is_file())
    assert b"from-ada" not in database
    assert b"from-bob" in database


def written(path: Path) -> str:
    """Return what is in a file."""
    return path.read_text("utf-8") if path.exists() else ""


async def until_written(path: Path, text: str, times: int) -> None:
    """Wait until a text is in a file at least so many times."""
    async with asyncio.timeout(PATIENCE):
        while True:
            if written(path).count(text) >= times:
                return
            await asyncio.sleep(0.05)


async def ask(users: TwoUsers, who: str, address: str) -> None:
    """Add a server as a user, and start a call that waits for an answer."""
    async with asyncio.timeout(PATIENCE), users.client(who) as client:
        server = {"label": f"server-{who}", "transport": {"type": "http", "url": address}, "era": "2025-11-25"}
        server_id = (await client.post("/api/v1/servers", json=server)).json()["id"]
        await client.post(f"/api/v1/servers/{server_id}/connect")
        await users.services.connections.ready(((await client.get("/api/v1/me")).json()["user_id"], server_id))
        arguments = {"message": f"from-{who}"}
        call = {"server_id": server_id, "kind": "tool", "name": "ask_form", "arguments": arguments}
        path = f"/api/v1/calls/{(await client.post('/api/v1/calls', json=call)).json()['id']}"
        while (await client.get(path, params={"wait": 30})).json()["state"] != "input_required":
            pass


async def test_a_wire_log_that_cannot_be_changed_keeps_the_user(tmp_path: Path) -> None:
    path = tmp_path / "wire.jsonl"
    async with two_users(tmp_path / "data", wire_log=path) as users:
        path.symlink_to(tmp_path / "data")
        assert await post(users, "root", f"/admin/users/{users.ada}/delete") == 409
        ada = await users.services.store.users.get(users.ada)
        assert ada is not None
        assert ada.disabled_at is not None
        path.unlink()
        assert await post(users, "root", f"/admin/users/{users.ada}/delete") == 303
        assert await users.services.store.users.get(users.ada) is None


async def test_neither_the_local_user_nor_oneself_can_be_deleted(users: TwoUsers) -> None:
    async with users.client("root") as client:
        root = (await client.get("/api/v1/me")).json()["user_id"]
    assert [await post(users, "root", f"/admin/users/{each}/delete") for each in (root, "local")] == [409, 409]


async def test_users_add_no_servers_unless_they_may(users: TwoUsers, tmp_path: Path) -> None:
    for who, status in (("ada", 403), ("root", 201)):
        async with users.client(who) as client:
            assert (await client.post("/api/v1/servers", json=NEW_SERVER)).status_code == status
    assert await post(users, "ada", "/servers") == 403
    async with users.client("ada") as client:
        moved = {"label": "x", "address": "http://127.0.0.1:9/mcp", "save": "anyway"}
        settings = f"/servers/{users.ids['server_id']}/settings"
        assert (await client.post(settings, data=moved)).status_code == 403
    for page in ("/", "/servers"):
        links = ['href="/servers#add"' in (await get(users, who, page))[1] for who in ("ada", "root")]
        assert links == [False, True]
    async with two_users(tmp_path / "other", users_add_servers=True) as free, free.client("ada") as client:
        assert 'href="/servers#add"' in (await client.get("/")).text
        assert (await client.post("/api/v1/servers", json=NEW_SERVER)).status_code == 201


async def test_the_trail_has_who_did_what_and_from_where(users: TwoUsers) -> None:
    async with users.client("ada") as client:
        answer = {"action": "decline"}
        answered = await client.post(f"/api/v1/requests/{users.ids['request_id']}/answer", json=answer)
        assert answered.status_code == 200
    await post(users, "root", f"/admin/users/{users.ada}/disable")
    trail = {entry.action: entry for entry in await users.services.store.audit.newest()}
    answered_by = trail[AuditAction.ANSWERED]
    assert (answered_by.user_id, answered_by.object) == (users.ada, users.ids["request_id"])
    assert (answered_by.way, answered_by.address, answered_by.outcome) == ("proxy", "10.1.2.3", "declined")
    assert trail[AuditAction.USER_DISABLED].object == users.ada
    assert AuditAction.FIRST_SEEN in trail


async def trail_of(users: TwoUsers, *actions: AuditAction) -> list[AuditEntry]:
    """Return the entries with these actions, oldest first."""
    return [entry for entry in reversed(await users.services.store.audit.newest()) if entry.action in actions]


async def test_refused_sign_ins_are_in_the_trail(users: TwoUsers) -> None:
    before = len(await trail_of(users, AuditAction.SIGN_IN_REFUSED))
    await post(users, "root", f"/admin/users/{users.ada}/disable")
    for _n in range(3):
        assert (await get(users, "ada", "/"))[0] == 401
    async with users.client(None, Remote_User="ada") as client:
        assert (await client.get("/")).status_code == 400
    async with users.client(None, Authorization="Bearer wrong") as client:
        assert (await client.get("/api/v1/me")).status_code == 401
    refused = (await trail_of(users, AuditAction.SIGN_IN_REFUSED))[before:]
    found = [(entry.way, entry.outcome, entry.user_id, entry.address) for entry in refused]
    assert found == [
        ("proxy", "disabled_user", users.ada, "10.1.2.3"),
        ("proxy", "forbidden_header", "", "10.1.2.3"),
        ("local", "wrong_token", "", "10.1.2.3"),
    ]
    codes = {code.value for code in JwtFault}
    assert codes <= refusal_words().keys()
    page = (await get(users, "root", "/admin/audit"))[1]
    assert refusal_words()["disabled_user"] in page
    assert "disabled_user" not in page


@pytest.fixture
async def chat_users(tmp_path: Path) -> AsyncIterator[TwoUsers]:
    """Return users of an application that may end sessions as well."""
    path = embedders_file(tmp_path / "chat")
    path.write_text(path.read_text("utf-8").replace('"may": [', '"may": ["embed:admin", '), "utf-8")
    async with two_users(tmp_path / "users", embedders=path) as users:
        yield users


async def test_sessions_of_applications_are_in_the_trail(chat_users: TwoUsers) -> None:
    users = chat_users
    begun, renewed = AuditAction.EMBED_SESSION_BEGUN, AuditAction.EMBED_SESSION_RENEWED
    ended, refused = AuditAction.EMBED_SESSIONS_ENDED, AuditAction.SIGN_IN_REFUSED
    before = len(await trail_of(users, begun, renewed, ended, refused))
    async with users.client(None) as client:
        first = await client.post("/api/v1/sessions", json={"token": minted(sub="eve")})
        bearer = {"Authorization": f"Bearer {first.json()['token']}"}
        client.cookies.clear()
        used = minted(sub="eve")
        for token in (used, used, minted(sub="eve")):
            await client.post("/api/v1/sessions", json={"token": token}, headers=bearer)
            client.cookies.clear()
        manager = {"Authorization": f"Bearer {minted(sub='chat', scope='embed:admin')}"}
        assert (await client.delete("/api/v1/embed/sessions?sub=eve", headers=manager)).json() == {"ended": 1}
    found = (await trail_of(users, begun, renewed, ended, refused))[before:]
    assert [entry.action for entry in found] == [begun, renewed, refused, ended]
    user = first.json()["user_id"]
    assert [(each.user_id, each.way, each.object) for each in found[:2]] == [(user, "host", "chat")] * 2
    assert [each.outcome for each in found[2:]] == ["replayed", "1"]


async def test_a_refused_token_names_whom_the_application_has_proved(chat_users: TwoUsers) -> None:
    users = chat_users
    async with users.client(None) as client:
        first = (await client.post("/api/v1/sessions", json={"token": minted(sub="eve")})).json()
        client.cookies.clear()
        await users.services.store.users.disable(first["user_id"])
        assert (await client.post("/api/v1/sessions", json={"token": minted(sub="eve")})).status_code == 401
        assert (await client.post("/api/v1/sessions", json={"token": "forged"})).status_code == 401
    disabled, forged = (await trail_of(users, AuditAction.SIGN_IN_REFUSED))[-2:]
    assert (disabled.outcome, disabled.user_id) == ("disabled_user", first["user_id"])
    assert disabled.details == {"issuer": "host:chat", "subject": "eve"}
    assert (forged.user_id, forged.details) == ("", {})


async def test_a_flood_of_refused_headers_is_a_handful_of_entries(users: TwoUsers) -> None:
    before = len(await trail_of(users, AuditAction.SIGN_IN_REFUSED))
    async with users.client(None, Remote_User="ada") as client:
        for _n in range(150):
            assert (await client.get("/api/v1/me")).status_code == 400
    counts = [entry.object for entry in (await trail_of(users, AuditAction.SIGN_IN_REFUSED))[before:]]
    assert counts == ["", "10", "100"]
    assert "100 times" in (await get(users, "root", "/admin/audit"))[1]
