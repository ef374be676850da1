"""A disabled user is out of a running program everywhere, whether API, page or command has disabled them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

import httpx2
import pytest

from tests.embedders.minting import ISSUER, ORIGIN, SECRET, minted
from tests.program import PATIENCE, program
from tests.runtime.test_users_command import PROXY, Place, client, place

pytestmark = pytest.mark.anyio

__all__ = ["place"]

FORM = {"kind": "form", "message": "?", "requestedSchema": {"type": "object", "properties": {}}}


def options_of(place: Place, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return options for users of a proxy, and of an embedding application."""
    chat = {"issuer": ISSUER, "origins": [ORIGIN], "secret_env": "CHAT_SECRET", "may": ["inbox"]}
    embedders = place.folder / "embedders.json"
    embedders.write_text(json.dumps({"chat": chat}), "utf-8")
    monkeypatch.setenv("CHAT_SECRET", SECRET)
    database = ["--database-url", place.url] if place.url else []
    return [*PROXY, "--identity", "host", "--embedders", str(embedders), *database]


async def by_api(root: httpx2.AsyncClient, _place: Place, user_id: str) -> None:
    assert (await root.post(f"/users/{user_id}/disable")).status_code == 200


async def by_page(root: httpx2.AsyncClient, _place: Place, user_id: str) -> None:
    page = root.base_url.copy_with(path=f"/admin/users/{user_id}/disable")
    assert (await root.post(page, headers={"Accept": "text/html"})).status_code == 303


async def by_command(_root: httpx2.AsyncClient, place: Place, user_id: str) -> None:
    await place.run("users", "disable", user_id)


Way = Callable[[httpx2.AsyncClient, Place, str], Awaitable[None]]


@pytest.mark.parametrize("way", [by_api, by_page, by_command])
async def test_a_disabled_user_is_out_everywhere(place: Place, way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    async with AsyncExitStack() as opened, asyncio.timeout(PATIENCE):
        enter = opened.enter_async_context
        served = await enter(program(place.folder, options=options_of(place, monkeypatch)))
        root, ada = await enter(client(served, "root")), await enter(client(served, "ada"))
        me = (await ada.get("/me")).json()["user_id"]
        made = await ada.post("/tokens", json={"label": "Agent", "scopes": ["read", "ask"]})
        agent = await enter(client(served, Authorization=f"Bearer {made.json()['secret']}"))
        request = (await agent.post("/requests", json=FORM)).json()["id"]
        chat = (await root.post("/sessions", json={"token": minted()})).json()
        frame = await enter(client(served, Authorization=f"Bearer {chat['token']}"))
        live = ada.base_url.copy_with(path="/stream")
        streams = [
            await enter(ada.stream("GET", live, params={"page": "inbox"}, timeout=None)),
            await enter(frame.stream("GET", live, params={"page": "embed"}, timeout=None)),
            await enter(agent.stream("GET", "/events", timeout=None)),
            await enter(ada.stream("GET", "/events", timeout=None)),
        ]
        assert {each.status_code for each in streams} == {200}
        polls = [asyncio.create_task(who.get(f"/requests/{request}?wait=55")) for who in (ada, agent)]
        for user_id in (me, chat["user_id"]):
            await way(root, place, user_id)
        for stream in streams:
            async for _line in stream.aiter_lines():
                pass
        assert [(await poll).status_code for poll in polls] == [401, 401]
        for who in (ada, agent, frame):
            assert (await who.get("/me")).status_code == 401
        again = await root.post("/sessions", json={"token": minted()})
        assert (again.status_code, again.json()["code"]) == (401, "disabled_user")
