"""The audit trail over the API: filters, cursors in both directions, long polls, and JSON Lines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import jsonschema_rs
import pytest
from sqlalchemy import delete

from tests.house import PATIENCE
from tests.two_users import TwoUsers, two_users
from tests.walkers import ROOT
from webclient.domain.model import Actor, AuditAction, Json, acting
from webclient.store.database import sizes
from webclient.store.database.user_tables import audit

pytestmark = pytest.mark.anyio


@pytest.fixture
async def users(tmp_path: Path) -> AsyncIterator[TwoUsers]:
    async with two_users(tmp_path) as users:
        yield users


async def get(users: TwoUsers, path: str = "/audit", **params: Any) -> httpx2.Response:
    """Get something as an administrator."""
    async with users.client("root", Accept="application/json") as client:
        return await client.get(f"/api/v1{path}", params=params)


async def page(users: TwoUsers, **params: Any) -> Json:
    """Return a page of the trail, which is as the description of the API says."""
    answer = await get(users, **params)
    assert answer.status_code == 200, answer.text
    description = users.app.openapi()
    shape = {"$ref": "#/components/schemas/AuditShape", "components": description["components"]}
    found: Json = answer.json()
    jsonschema_rs.validator_for(shape).validate(found)
    return found


async def id_of(users: TwoUsers, subject: str) -> str:
    """Return the id of a user."""
    user = await users.services.store.users.find("proxy", subject)
    assert user is not None
    return user.id


async def act(users: TwoUsers, times: int = 1, who: str = "", details: Json | None = None) -> None:
    """Do something that is recorded."""
    with acting(Actor(user_id=who or users.ada, way="proxy", address="10.1.2.3")):
        for _n in range(times):
            await users.services.store.audit.add(AuditAction.HISTORY_EXPORTED, details=details)


async def test_all_pages_together_have_each_entry_once(users: TwoUsers) -> None:
    await act(users, 25)
    everything = [str(each.id) for each in await users.services.store.audit.newest()]
    older: list[str] = []
    cursor: Json = {}
    while True:
        some = await page(users, limit=7, **cursor)
        older += [each["id"] for each in some["entries"]]
        if "next" not in some:
            break
        cursor = {"before": some["next"]}
    assert older == everything
    newer: list[str] = []
    after = "0"
    while len(newer) < len(everything):
        some = await page(users, limit=7, after=after)
        newer += [each["id"] for each in some["entries"]]
        after = some["next"]
    assert newer == everything[::-1]
    assert await page(users, after=after) == {"entries": [], "next": after}


async def test_an_entry_says_who_did_what_from_where(users: TwoUsers) -> None:
    await act(users, details={"label": "x"})
    [entry] = (await page(users, limit=1))["entries"]
    assert entry["user"] == {"issuer": "proxy", "subject": "ada"}
    expected = {"action": "history_exported", "user_id": users.ada, "way": "proxy", "address": "10.1.2.3"}
    assert {name: entry[name] for name in expected} == expected
    assert entry["details"] == {"label": "x"}


async def test_filters_are_kept_in_both_directions(users: TwoUsers) -> None:
    bob = await id_of(users, "bob")
    await act(users, 3)
    await act(users, 2, who=bob)
    with acting(Actor(user_id=bob)):
        await users.services.store.audit.add(AuditAction.REQUESTED, object=users.ada)
    for direction in ({}, {"after": 0}):
        of_bob = (await page(users, user_id=bob, action="history_exported", **direction))["entries"]
        assert [each["user_id"] for each in of_bob] == [bob] * 2
        about_ada = (await page(users, user_id=users.ada, action=["requested"], **direction))["entries"]
        assert [each["object"] for each in about_ada] == [users.ada]
    entries = (await page(users, after=0))["entries"]
    since = entries[4]["at"]
    assert all(each["at"] >= since for each in (await page(users, since=since))["entries"])
    assert all(each["at"] < since for each in (await page(users, until=since))["entries"])


@pytest.mark.parametrize(
    "params",
    [
        {"before": 1, "after": 1},
        {"wait": 5},
        {"after": "x"},
        {"before": 2**31},
        {"action": "nothing"},
        {"since": "yesterday"},
        {"since": "2026-01-01T00:00:00"},
        {"since": "0001-01-01T00:00:00+23:00"},
        {"limit": 0},
    ],
)
async def test_a_wrong_parameter_is_422(users: TwoUsers, params: Json) -> None:
    answer = await get(users, **params)
    assert answer.status_code == 422
    assert answer.json()["errors"]


async def test_a_page_is_bounded_in_bytes(users: TwoUsers, monkeypatch: pytest.MonkeyPatch) -> None:
    await act(users, 20, details={"label": "x" * 200})
    monkeypatch.setattr("webclient.store.users.audit.fitting", lambda found: sizes.fitting(found, 3000))
    some = await page(users, limit=1000)
    assert 0 < len(some["entries"]) < 20
    assert some["next"] == some["entries"][-1]["id"]


async def test_a_long_poll_gets_the_next_entry(users: TwoUsers) -> None:
    newest = (await page(users, limit=1))["entries"][0]["id"]
    async with asyncio.timeout(PATIENCE):
        waiting = asyncio.create_task(page(users, after=newest, wait=PATIENCE))
        await act(users)
        assert [each["action"] for each in (await waiting)["entries"]] == ["history_exported"]


async def test_a_long_poll_ends_with_the_sign_in(users: TwoUsers, monkeypatch: pytest.MonkeyPatch) -> None:
    root = await id_of(users, "root")
    newest = (await page(users, limit=1))["entries"][0]["id"]
    began = asyncio.Event()

    async def pause(_seconds: float) -> None:
        began.set()
        await asyncio.Event().wait()

    monkeypatch.setattr("webclient.web.api.audit.sleep", pause)
    async with asyncio.timeout(PATIENCE), users.client_of(ROOT.headers) as client:
        # Only its own later entry could end it: the one of being disabled.
        path = f"/api/v1/audit?after={int(newest) + 50}&wait=600"
        waiting = asyncio.create_task(client.get(path))
        await began.wait()
        await users.services.store.users.disable(root, even_last=True)
        assert (await waiting).status_code == 401


async def test_the_export_has_a_line_for_each_entry(users: TwoUsers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more than one page, and itself is recorded."""
    monkeypatch.setattr("webclient.domain.model.audit.MOST_ALIKE", 1000)
    await act(users, 450)
    answer = await get(users, "/audit.jsonl")
    assert answer.headers["content-type"].startswith("application/jsonl")
    lines = [json.loads(line) for line in answer.text.splitlines()]
    ids = [int(line["id"]) for line in lines]
    assert ids == sorted(set(ids))
    assert sum(line["action"] == "history_exported" for line in lines) == 450
    assert lines[-1]["action"] == "audit_exported"
    rest = await get(users, "/audit.jsonl", after=ids[-3], action="audit_exported")
    assert [json.loads(line)["action"] for line in rest.text.splitlines()] == ["audit_exported"] * 2


async def test_a_deleted_user_has_no_name_in_the_trail(users: TwoUsers) -> None:
    """Also in what an administrator and the provider said of them."""
    add = users.services.store.audit.add_refusal
    proved = {"issuer": "proxy", "subject": "ada", "email": "ada@corp.example"}
    await add(user_id="", way="oidc", address="", code="not_allowed", count=1, **proved)
    async with users.client("root") as client:
        added = (await client.post("/api/v1/users", json={"issuer": "proxy", "subject": "zoe"})).json()["id"]
        for user_id in (users.ada, added):
            assert (await client.delete(f"/api/v1/users/{user_id}")).status_code == 204
    about = await page(users, limit=1000)
    kinds = ("user_added", "sign_in_refused", "token_made")
    left = [each for each in about["entries"] if each["action"] in kinds and "details" in each]
    assert not [each for each in left if "zoe" in str(each) or "ada@" in str(each)]


async def test_entries_after_a_missing_one_wait(users: TwoUsers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may have taken the ID in between, and commit later."""
    store = users.services.store
    await act(users)
    newest = (await store.audit.newest())[0].id
    await act(users, 2)
    await _remove(users, newest + 1)
    some = await page(users, after=newest)
    assert some == {"entries": [], "next": str(newest)}
    monkeypatch.setattr("webclient.store.users.audit.SETTLING", timedelta(0))
    assert [each["id"] for each in (await page(users, after=newest))["entries"]] == [str(newest + 2)]


async def _remove(users: TwoUsers, entry_id: int) -> None:
    database = users.services.store._database
    await database.write(lambda db: db.execute(delete(audit).where(audit.c.id == entry_id)))
