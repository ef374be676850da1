"""Requests of a user who moves meanwhile: they are handled where the user lives then, without a word of it."""

from __future__ import annotations

from typing import cast

import httpx2
import pytest
from starlette.types import Receive, Scope, Send

from webclient.auth import Principal, PrincipalKind
from webclient.cluster import Hops, Residents
from webclient.cluster.forwarding import Forwarding
from webclient.store import MovedError, Sealer

pytestmark = pytest.mark.anyio

ADA = Principal(user_id="ada", kind=PrincipalKind.USER, scopes=frozenset(), way="oidc")


class Home:
    """A node where the user lives, and is said not to."""

    here = frozenset({"ada"})
    is_leaving = False

    def __init__(self) -> None:
        self.doubted: list[str] = []

    async def home(self, _user_id: str) -> str | None:
        return None

    def doubt(self, user_id: str) -> None:
        self.doubted.append(user_id)


async def _served(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"here"})


async def test_a_user_who_moves_while_they_arrive_is_looked_for() -> None:
    home, arrivals = Home(), []

    async def arrived(user_id: str) -> None:
        arrivals.append(user_id)
        if len(arrivals) == 1:
            raise MovedError(user_id)

    async with httpx2.AsyncClient() as nodes:
        forwarding = Forwarding(
            _served,
            residents=cast("Residents", home),
            hops=Hops(Sealer({"k": bytes(32)}), "a", lambda: 0.0),
            nodes=nodes,
            arrived=arrived,
        )

        async def as_ada(scope: Scope, receive: Receive, send: Send) -> None:
            scope["state"] = {
                "principal": Principal(user_id="ada", kind=PrincipalKind.USER, scopes=frozenset(), way="oidc")
            }
            await forwarding(scope, receive, send)

        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(as_ada), base_url="http://a") as browser:
            assert (await browser.get("/")).text == "here"
    assert (arrivals, home.doubted) == (["ada", "ada"], ["ada"])
