"""A frame mutes who asks its person and lets them ask again; no other principal has these routes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.embedders.minting import minted
from tests.two_users import TwoUsers, two_users
from tests.walkers import ADA, Walker
from webclient.domain.model import RequestState

pytestmark = pytest.mark.anyio

EMPTY = {"type": "object", "properties": {}}


@pytest.fixture
async def users(tmp_path: Path) -> AsyncIterator[TwoUsers]:
    async with two_users(tmp_path) as users:
        yield users


async def post(users: TwoUsers, walker: Walker, path: str) -> int:
    """Post an empty form; return the status."""
    async with users.client_of(walker.headers) as client:
        return (await client.post(path, data={})).status_code


async def test_only_frames_have_these_routes(users: TwoUsers) -> None:
    ids = users.ids
    for path in (
        f"requests/{ids['request_id']}/mute",
        f"sign-ins/{ids['sign_in_id']}/dismiss",
        f"sign-ins/{ids['sign_in_id']}/register",
    ):
        assert await post(users, ADA, f"/panel/{path}") == 404
    request = await users.services.store.of(users.ada).requests.get(ids["request_id"])
    assert request
    assert request.state == RequestState.PENDING


async def test_a_program_of_others_is_muted_until_it_is_unmuted(users: TwoUsers) -> None:
    async with users.client(None) as client:
        begun = (await client.post("/api/v1/sessions", json={"token": minted(sub="zoe", scope="inbox")})).json()
    frame = Walker("frame", {"Authorization": f"Bearer {begun['token']}"})
    [program] = [walker for walker in users.walkers if walker.name == "token that asks all users"]
    body = {"user_id": begun["user_id"], "kind": "form", "message": "?", "requestedSchema": EMPTY}
    async with users.client_of(program.headers) as client:
        request = (await client.post("/api/v1/requests", json=body)).json()
        assert await post(users, frame, f"/panel/requests/{request['id']}/mute") == 200
        assert (await client.get(f"/api/v1/requests/{request['id']}")).json()["state"] == "cancelled"
    [muted] = await users.services.store.of(begun["user_id"]).muted_programs.all()
    path = f"/panel/programs/{muted.asker_id}/unmute"
    assert [await post(users, frame, path) for _n in range(2)] == [200, 404]


async def test_an_approval_in_a_frame_is_sent_at_once(users: TwoUsers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users.services.decisions, "_approval_time", timedelta(minutes=1))
    async with users.client(None) as client:
        begun = (await client.post("/api/v1/sessions", json={"token": minted(sub="zoe", scope="inbox")})).json()
    [program] = [walker for walker in users.walkers if walker.name == "token that asks all users"]
    body = {"user_id": begun["user_id"], "kind": "form", "message": "?", "requestedSchema": EMPTY}
    async with users.client_of(program.headers) as asker:
        request = (await asker.post("/api/v1/requests", json=body)).json()
        async with users.client_of({"Authorization": f"Bearer {begun['token']}"}) as frame:
            await frame.post(f"/requests/{request['id']}", data={"action": "accept"})
        assert (await asker.get(f"/api/v1/requests/{request['id']}")).json()["state"] == "accepted"
