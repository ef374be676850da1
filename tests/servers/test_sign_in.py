"""Connections to servers that want a sign-in first: they wait for it, and connect then (MCP, Authorization)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Literal

import pytest

from tests.house import PATIENCE, config, house
from tests.mcp_servers import running
from tests.mcp_servers.token_proxy import TokenProxy, token_proxy
from tests.protected import ANOTHER, TOKEN, Protected, protected
from tests.sign_in import SignInByHand
from webclient.domain.model import Era, ReasonCode, Server, ServerState
from webclient.protocol import MOST_SIGN_INS, ServerLimits
from webclient.servers.connections import try_server

pytestmark = pytest.mark.anyio

every_transport = pytest.mark.parametrize(
    ("transport", "era"), [("http", Era.AUTO), ("http", Era.PUSH), ("sse", Era.AUTO), ("sse", Era.PUSH)]
)


async def waiting(here: Protected) -> None:
    """Wait until the connection waits for the sign-in."""
    server = await here.rooms.server("it")

    async def look() -> bool:
        return await here.rooms.services.connections.waits_for_sign_in(server.key)

    await here.rooms.until(look)


@every_transport
async def test_a_protected_server_connects_after_the_sign_in(
    tmp_path: Path, transport: Literal["http", "sse"], era: Era
) -> None:
    async with protected(tmp_path, transport=transport, era=era) as here:
        await waiting(here)
        server = await here.rooms.server("it")
        connections = here.rooms.services.connections
        assert (connections.status(server.key).state, connections.status(server.key).error) == ("disconnected", None)
        assert connections.is_up(server.key)
        assert here.proxy.refused == 1, "it is not taken for another era or transport, which would be tried"
        here.sign_in.sign_in(TOKEN)
        await here.rooms.connected("it")
        version = connections.status(server.key).protocol_version
        assert version == (Era.PUSH if era is Era.PUSH else Era.ROUNDS)
        assert here.proxy.refused == 1
        assert here.sign_in.accepted_tokens == {TOKEN}


async def test_a_denied_sign_in_is_shown_as_the_error(tmp_path: Path) -> None:
    async with protected(tmp_path) as here:
        await waiting(here)
        here.sign_in.deny()
        status = await here.rooms.status("it", ServerState.ERROR)
        assert status.reason_code is ReasonCode.SIGN_IN_REQUIRED


async def test_a_token_that_is_never_accepted_ends_in_an_error(tmp_path: Path) -> None:
    async with protected(tmp_path) as here:
        for number in range(MOST_SIGN_INS):
            await here.sign_in.wanted.wait()
            here.sign_in.sign_in(f"wrong-token-{number}")
        status = await here.rooms.status("it", ServerState.ERROR)
        assert status.reason_code is ReasonCode.SIGN_IN_REQUIRED
        assert here.proxy.refused == MOST_SIGN_INS + 1


async def test_a_connection_that_waits_for_a_sign_in_ends_at_once(tmp_path: Path) -> None:
    async with protected(tmp_path) as here:
        await waiting(here)
        server = await here.rooms.server("it")
        async with asyncio.timeout(PATIENCE):
            await here.rooms.services.connections.disconnect(server)
        assert not here.rooms.services.connections.is_up(server.key)


async def test_connecting_again_tries_at_once(tmp_path: Path) -> None:
    """The server may no longer want a sign-in."""
    async with protected(tmp_path) as here:
        await waiting(here)
        here.proxy.free = lambda _verb, _message: True
        here.rooms.services.connections.connect(await here.rooms.server("it"))
        await here.rooms.connected("it")


@every_transport
async def test_a_token_is_renewed_without_the_user(tmp_path: Path, transport: Literal["http", "sse"], era: Era) -> None:
    async with protected(tmp_path, transport=transport, era=era, token="an-expired-token", renewed=[TOKEN]) as here:
        await here.rooms.connected("it")
        assert not here.sign_in.wanted.is_set()
        assert [each.token for each in here.sign_in.refusals] == ["an-expired-token"]


async def test_a_header_of_the_user_takes_the_place_of_a_sign_in(tmp_path: Path) -> None:
    async with running() as server, token_proxy(server.address) as proxy:
        proxy.tokens = {TOKEN}
        sign_in = SignInByHand("a-token-of-a-sign-in")
        headers = {"authorization": "Bearer wrong"}
        entry = config("it", {"type": "http", "url": proxy.address, "headers": headers})
        async with house(tmp_path, [entry], sign_in=sign_in) as rooms:
            status = await rooms.status("it", ServerState.ERROR)
            assert status.reason_code is ReasonCode.HTTP_TOKEN_REJECTED
        assert {each.token for each in proxy.seen} == {"wrong"}
        assert not sign_in.refusals


async def test_a_dead_token_neither_delays_the_end_nor_asks_the_user(tmp_path: Path) -> None:
    async with protected(tmp_path, era=Era.PUSH, token=TOKEN) as here:
        server = await here.rooms.connected("it")
        await here.proxy.until(lambda: here.proxy.sent("notifications/initialized") == 1)
        await here.proxy.until(lambda: any(each.verb == "GET" for each in here.proxy.seen))
        here.proxy.tokens = set()
        here.rooms.services.connections.probe(server)
        await here.proxy.until(lambda: here.proxy.sent("ping", 401) > 0)
        assert here.rooms.services.connections.status(server.key).state is ServerState.CONNECTED
        async with asyncio.timeout(PATIENCE):
            await here.rooms.services.connections.disconnect(server)
        assert [each.status for each in here.proxy.seen if each.verb == "DELETE"] == [401]
        assert not here.sign_in.wanted.is_set()


async def test_the_listening_stream_is_opened_after_the_sign_in(tmp_path: Path) -> None:
    def only_gets(proxy: TokenProxy) -> None:
        proxy.free = lambda verb, _message: verb != "GET"
        proxy.tokens = set()

    async with protected(tmp_path, era=Era.PUSH, token=TOKEN, prepare=only_gets) as here:

        def gets(status: int | None) -> int:
            return sum((each.verb, each.status) == ("GET", status) for each in here.proxy.seen)

        await here.rooms.connected("it")
        await here.proxy.until(lambda: gets(401) >= 2)
        here.proxy.tokens = {ANOTHER}
        here.sign_in.sign_in(ANOTHER)
        await here.proxy.until(lambda: gets(None) == 1)


async def test_no_error_contains_the_token(tmp_path: Path) -> None:
    def fail(proxy: TokenProxy) -> None:
        error = {"code": -32001, "message": f"I got {TOKEN} and do not like it"}
        proxy.failing, proxy.body = 500, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()

    async with protected(tmp_path, token=TOKEN, prepare=fail) as here:
        status = await here.rooms.status("it", ServerState.ERROR)
        assert status.error
        assert "and do not like it" in status.error.said
        assert TOKEN not in repr(status)


async def test_a_tried_server_may_want_a_sign_in() -> None:
    async with running() as server, token_proxy(server.address) as proxy:
        new = Server(user_id="ada", label="new", transport={"type": "http", "detect": True, "url": proxy.address})
        trial = await try_server(new, ServerLimits(), seconds=60)
        assert (trial.wants_sign_in, trial.fault) == (True, None)
        proxy.free = lambda _verb, message: message.get("method") != "tools/list"
        trial = await try_server(new, ServerLimits(), seconds=60)
        assert (trial.wants_sign_in, trial.fault) == (True, None)
