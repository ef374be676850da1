"""Agents whose user moves to another node: their requests wait and go there, and nothing runs twice."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Iterator
from contextlib import closing
from math import inf
from pathlib import Path
from time import monotonic
from typing import cast

import httpx2
import psycopg
import pytest
from starlette.types import Receive, Scope, Send

from tests.cluster.nodes import Node, cluster
from tests.cluster.test_cluster import servers, until_answered, until_in_state
from tests.cluster.test_forwarding import ADA
from tests.gateway.agents import ByHand, message_in, token
from tests.gateway.test_approvals import PAY, counting, ran
from tests.postgresql import PostgreSQL
from tests.program import PATIENCE
from webclient.cluster import Forwarding, Hop, Hops, NoNodeError, Residents, forwarding, open_client
from webclient.domain.model import Era, Json
from webclient.store import MovedError, Sealer

pytestmark = pytest.mark.anyio

CALL = {"name": "pay", "arguments": PAY}


@pytest.fixture
def url(postgresql: PostgreSQL) -> Iterator[str]:
    """The address of an empty database."""
    with postgresql.database() as name:
        yield postgresql.url(name)


def _move(url: str, to: Node) -> None:
    """Have all users live on a node, of which the one where they lived has not heard yet."""
    moved = "UPDATE placements SET node_id = id, generation = nodes.generation FROM nodes WHERE id = %s"
    with closing(psycopg.connect(url, autocommit=True)) as database:
        database.execute(moved, [to.url])


async def _called(agent: ByHand) -> Json:
    """Return the response to a call, which an agent sends in a new session if its own is unknown."""
    response = await agent.send("tools/call", CALL)
    if response.status_code == 404:
        agent.session = None
        await agent.begin()
        response = await agent.send("tools/call", CALL)
    return message_in(response)


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_a_call_at_the_node_that_a_user_has_just_left_runs_once(tmp_path: Path, url: str, era: Era) -> None:
    async with cluster(tmp_path, url, 2, counting(tmp_path)) as nodes:
        first, second = nodes.nodes
        async with first.api("ada") as here:
            await here.server("bank")
            headers = {"Authorization": f"Bearer {await token(here)}"}
        async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
            agent = ByHand(http, f"{first.url}/mcp/bank", era)
            await agent.begin()
            _move(url, second)
            answer = await _called(agent)
        assert not answer["result"].get("isError"), answer
        assert ran(tmp_path) == [("pay", PAY)]


async def test_a_round_goes_on_when_its_user_comes_back_at_once(tmp_path: Path, url: str) -> None:
    """They lived on another node for a moment, which died before it took them over."""
    async with cluster(tmp_path, url, 2, servers()) as nodes:
        first, second = nodes.nodes
        async with first.api("ada") as here:
            call = await here.call("rounds", "ask_form")
            [request] = await here.pending_requests(call)
            await second.end(signal.SIGKILL)
            _move(url, second)
            await until_answered(here, request)
            async with asyncio.timeout(PATIENCE):
                assert (await until_in_state(here, call, "done", "interrupted"))["state"] == "done"


async def test_a_call_waits_for_a_node_that_ends(tmp_path: Path, url: str) -> None:
    async with cluster(tmp_path, url, 2, counting(tmp_path)) as nodes:
        first, second = nodes.nodes
        async with first.api("ada") as here:
            await here.server("bank")
            headers = {"Authorization": f"Bearer {await token(here)}"}
        async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http, asyncio.TaskGroup() as group:
            first.send(signal.SIGTERM)
            await _until_refused(first)
            first.send(signal.SIGSTOP)
            group.create_task(_go_on_ending(first))
            answer = message_in(await ByHand(http, f"{second.url}/mcp/bank", Era.ROUNDS).send("tools/call", CALL))
        assert not answer["result"].get("isError"), answer
        assert ran(tmp_path) == [("pay", PAY)]


async def _go_on_ending(node: Node) -> None:
    """Let a stopped node end, after a while in which no other node can take its users over."""
    await asyncio.sleep(1.5)
    await node.end(signal.SIGCONT)


async def _until_refused(node: Node) -> None:
    address = node.reserved.getsockname()
    async with asyncio.timeout(PATIENCE):
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(address):
                    return
            await asyncio.sleep(0.01)


class _Home:
    """A node to which a user moves in, which takes some looks."""

    here = frozenset({"ada"})

    def __init__(self, looks: float) -> None:
        self.looks = looks
        self.is_leaving = False

    async def home(self, _user_id: str) -> None:
        self.looks -= 1
        if self.looks >= 0:
            raise NoNodeError

    def doubt(self, user_id: str) -> None:
        assert user_id == "ada"


class _Elsewhere:
    """A node whose users live on another one, which neither dies nor leaves."""

    here = frozenset[str]()

    async def home(self, _user_id: str) -> str:
        return "http://b"

    async def until_dead(self, _node_id: str) -> None:
        await asyncio.Event().wait()

    async def until_leaving(self) -> None:
        await asyncio.Event().wait()


async def _response(home: _Home | _Elsewhere, hop: Hop | None = None, client: httpx2.AsyncClient | None = None) -> str:
    """Return what the node answers to Ada; raises what it raises."""

    async def serve(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"here"})

    async def arrive(_user_id: str) -> None:
        pass

    async with client or open_client() as nodes:
        node = Forwarding(
            serve,
            residents=cast("Residents", home),
            hops=Hops(Sealer({"k": bytes(32)}), "a", lambda: 0.0),
            nodes=nodes,
            arrived=arrive,
        )

        async def as_ada(scope: Scope, receive: Receive, send: Send) -> None:
            scope["state"] = {"principal": ADA, "hop": hop, "target": b"/mcp"}
            await node(scope, receive, send)

        transport = httpx2.ASGITransport(as_ada)
        async with httpx2.AsyncClient(transport=transport, base_url="http://a") as browser:
            return (await browser.post("/mcp", content=b"{}")).text


async def test_a_request_waits_while_its_user_moves_in() -> None:
    assert await _response(_Home(6)) == "here"


async def test_a_request_waits_no_longer_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarding, "MOVING", 0.3)
    began = monotonic()
    with pytest.raises(NoNodeError):
        await _response(_Home(inf))
    assert 0.3 <= monotonic() - began < 5


async def test_a_forwarded_request_waits_at_the_node_that_forwards_it() -> None:
    with pytest.raises(MovedError):
        await _response(_Home(1), Hop("ada", ADA, None, "http"))


async def test_a_node_that_ends_a_new_connection_is_tried_later() -> None:
    def end(_request: httpx2.Request) -> httpx2.Response:
        # What anyio raises in the place of an error of the connection.
        raise AttributeError("'NoneType' object has no attribute 'getpeername'")

    with pytest.raises(NoNodeError):
        await _response(_Elsewhere(), client=httpx2.AsyncClient(transport=httpx2.MockTransport(end)))
