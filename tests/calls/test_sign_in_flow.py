"""Sign-ins from the first refusal to the result of a call, with a real server and a real authorization server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.house import House, config, house
from tests.mcp_servers import running
from tests.mcp_servers.authorization_server import MORE, AuthorizationServer, authorization_server
from tests.mcp_servers.token_proxy import TokenProxy, token_proxy
from webclient.domain.model import (
    LOCAL_USER,
    Action,
    Auth,
    Call,
    CallState,
    Era,
    PendingSignIn,
    ReasonCode,
    Server,
    ServerState,
)

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def servers(prepare: Callable[[TokenProxy], object] = lambda _proxy: None) -> AsyncIterator[AuthorizationServer]:
    """Run a server behind a proxy, and its authorization server."""
    async with running() as server, token_proxy(server.address) as proxy, authorization_server(proxy) as oauth:
        prepare(proxy)
        yield oauth


@asynccontextmanager
async def core(folder: Path, oauth: AuthorizationServer, era: Era = Era.AUTO) -> AsyncIterator[House]:
    """Run a core with that server."""
    async with house(folder, [config("it", {"type": "http", "url": oauth.proxy.address}, era)]) as rooms:
        yield rooms


async def auth_with(rooms: House, server: Server, look: Callable[[Auth], object]) -> Auth:
    """Wait until the sign-in stands so."""

    async def found() -> Auth | None:
        auth = rooms.services.sign_ins.auth_of(server.key)
        return auth if look(auth) else None

    return await rooms.until(found)


async def wanted(rooms: House, server: Server | None = None) -> PendingSignIn:
    """Wait until the server wants a sign-in of its user."""
    server = server or await rooms.server("it")
    found = (await auth_with(rooms, server, lambda auth: auth.wanted or auth.error)).wanted
    assert found, rooms.services.sign_ins.auth_of(server.key)
    return found


async def finish(rooms: House, query: str, user_id: str = LOCAL_USER) -> ReasonCode | None:
    """Come back from the authorization server; return the code of the reason if that failed."""
    reason = (await rooms.services.sign_ins.finish(query, None, user_id)).reason
    return reason.code if reason else None


async def sign_in(rooms: House, oauth: AuthorizationServer) -> None:
    """Sign in as soon as the server wants it."""
    assert await finish(rooms, oauth.authorize((await wanted(rooms)).authorization_url)) is None


async def state_of(rooms: House, call: Call, state: CallState) -> Call:
    """Wait until the call is in that state."""

    async def found() -> Call | None:
        newest = await rooms.services.store.of(LOCAL_USER).calls.get(call.id)
        assert newest.state is state or not newest.state.ended, newest
        return newest if newest.state is state else None

    return await rooms.until(found)


def only_calls(proxy: TokenProxy) -> None:
    """Protect calls of tools alone."""
    proxy.free = lambda _verb, message: message.get("method") != "tools/call"


def more_for_one_tool(proxy: TokenProxy) -> None:
    """Want more scope for one tool."""
    proxy.lacks_scope = lambda message: (message.get("params") or {}).get("name") == "structured"


@pytest.mark.parametrize("opened", [False, True], ids=["before it was opened", "before the way back"])
async def test_a_sign_in_is_completed_after_a_restart(tmp_path: Path, opened: bool) -> None:
    async with servers() as oauth:
        async with core(tmp_path, oauth) as rooms:
            first = await wanted(rooms)
            query = oauth.authorize(first.authorization_url) if opened else ""
        async with core(tmp_path, oauth) as rooms:
            assert (await wanted(rooms)).authorization_url == first.authorization_url
            assert await finish(rooms, query or oauth.authorize(first.authorization_url)) is None
            await rooms.connected("it")
        assert (oauth.registered, oauth.authorized) == (1, 1)


@pytest.mark.parametrize("era", [Era.ROUNDS, Era.PUSH])
async def test_a_restart_asks_for_no_second_sign_in(tmp_path: Path, era: Era) -> None:
    """Neither with a valid token, which costs no request, nor with one that has to be renewed."""
    async with servers() as oauth:
        async with core(tmp_path, oauth, era) as rooms:
            await sign_in(rooms, oauth)
            await rooms.connected("it")
        refused = oauth.proxy.refused
        async with core(tmp_path, oauth, era) as rooms:
            await rooms.connected("it")
            assert oauth.proxy.refused == refused
        oauth.end_tokens()
        async with core(tmp_path, oauth, era) as rooms:
            await rooms.connected("it")
            assert (await rooms.ended(await rooms.call("it", "structured"))).state is CallState.DONE
        assert (oauth.authorized, oauth.renewed, oauth.proxy.refused) == (1, 1, refused + 1)


async def test_a_call_waits_for_its_sign_in_across_restarts(tmp_path: Path) -> None:
    async with servers(only_calls) as oauth:
        async with core(tmp_path, oauth) as rooms:
            await rooms.connected("it")
            call = await rooms.call("it", "structured")
            first = await wanted(rooms)
            await state_of(rooms, call, CallState.INPUT_REQUIRED)
        async with core(tmp_path, oauth) as rooms:
            assert (await wanted(rooms)).id == first.id
        async with core(tmp_path, oauth) as rooms:
            assert await finish(rooms, oauth.authorize(first.authorization_url)) is None
            await state_of(rooms, call, CallState.DONE)
        assert oauth.proxy.sent("tools/call") == 1


async def test_several_calls_wait_for_one_sign_in(tmp_path: Path) -> None:
    async with servers(only_calls) as oauth, core(tmp_path, oauth) as rooms:
        await rooms.connected("it")
        calls = [await rooms.call("it", "structured") for _each in range(3)]
        for call in calls:
            await state_of(rooms, call, CallState.INPUT_REQUIRED)
        await sign_in(rooms, oauth)
        for call in calls:
            await state_of(rooms, call, CallState.DONE)
        assert (oauth.registered, oauth.authorized, oauth.proxy.sent("tools/call")) == (1, 1, 3)


async def test_two_users_and_two_connections_sign_in_at_once(tmp_path: Path) -> None:
    async with servers() as oauth, core(tmp_path, oauth) as rooms:
        services, transport = rooms.services, {"type": "http", "url": oauth.proxy.address}
        mine = await rooms.server("it")
        second = await services.servers.add(LOCAL_USER, label="second", transport=transport)
        hers = await services.servers.add("ada", label="hers", transport=transport)
        for server in (second, hers):
            services.connections.connect(server)
        all_servers = (mine, second, hers)
        pending = []
        for server in all_servers:
            with services.hub.subscribe(server.user_id) as events:
                while services.sign_ins.auth_of(server.key).wanted is None:
                    await anext(events)
            pending.append(await wanted(rooms, server))
        for each in reversed(pending):
            assert await finish(rooms, oauth.authorize(each.authorization_url), each.user_id) is None
        for server in all_servers:
            await services.connections.ready(server.key)
        assert oauth.authorized == 3
        grants = [services.sign_ins.auth_of(server.key).granted for server in all_servers]
        assert len({grant.secrets["access"] for grant in grants if grant}) == 3
        used = {each.token for each in oauth.proxy.seen if each.method == "server/discover" and each.status is None}
        assert used == set(oauth.tokens)


async def test_a_denied_step_up_fails_only_its_call(tmp_path: Path) -> None:
    async with servers(more_for_one_tool) as oauth, core(tmp_path, oauth) as rooms:
        await sign_in(rooms, oauth)
        server = await rooms.connected("it")
        slow = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(slow)
        call = await rooms.call("it", "structured")
        await state_of(rooms, call, CallState.INPUT_REQUIRED)
        pending = await wanted(rooms)
        assert pending.new_scopes == (MORE,)
        denied = oauth.authorize(pending.authorization_url, error="access_denied")
        assert await finish(rooms, denied) is ReasonCode.SIGN_IN_DENIED
        failed = await rooms.ended(call)
        assert (failed.state, failed.reason_code) == (CallState.FAILED, ReasonCode.SIGN_IN_DENIED)
        assert rooms.services.connections.status(server.key).state is ServerState.CONNECTED
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        assert (await rooms.ended(slow)).state is CallState.DONE


async def test_a_granted_step_up_sends_the_call_again(tmp_path: Path) -> None:
    async with servers(more_for_one_tool) as oauth, core(tmp_path, oauth) as rooms:
        await sign_in(rooms, oauth)
        await rooms.connected("it")
        call = await rooms.call("it", "structured")
        await state_of(rooms, call, CallState.INPUT_REQUIRED)
        await sign_in(rooms, oauth)
        await state_of(rooms, call, CallState.DONE)
        assert (await rooms.ended(await rooms.call("it", "structured"))).state is CallState.DONE
        assert oauth.authorized == 2


async def test_a_dismissed_sign_in_fails_the_call(tmp_path: Path) -> None:
    async with servers(only_calls) as oauth, core(tmp_path, oauth) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "structured")
        pending = await wanted(rooms)
        await rooms.services.sign_ins.cancel(LOCAL_USER, pending.id)
        assert (await rooms.ended(call)).reason_code is ReasonCode.SIGN_IN_DISMISSED


async def test_a_cancelled_call_leaves_the_sign_in_to_others(tmp_path: Path) -> None:
    async with servers(only_calls) as oauth, core(tmp_path, oauth) as rooms:
        await rooms.connected("it")
        first, second = [await rooms.call("it", "structured") for _each in range(2)]
        for call in (first, second):
            await state_of(rooms, call, CallState.INPUT_REQUIRED)
        await rooms.services.calls.cancel(first)
        await sign_in(rooms, oauth)
        await state_of(rooms, second, CallState.DONE)
        assert oauth.proxy.sent("tools/call") == 1


async def test_signing_out_ends_the_connection_and_revokes_the_token(tmp_path: Path) -> None:
    async with servers() as oauth:
        async with core(tmp_path, oauth) as rooms:
            await sign_in(rooms, oauth)
            server = await rooms.connected("it")
            await rooms.services.servers.sign_out(server)
            assert rooms.services.connections.status(server.key).state is ServerState.DISCONNECTED
            assert rooms.services.sign_ins.auth_of(server.key) == Auth()
        assert oauth.revoked
        async with core(tmp_path, oauth) as rooms:
            await wanted(rooms)


async def test_a_token_is_never_sent_to_another_address(tmp_path: Path) -> None:
    async with servers() as oauth, servers() as other:
        async with core(tmp_path, oauth) as rooms:
            await sign_in(rooms, oauth)
            await rooms.connected("it")
        async with core(tmp_path, other) as rooms:
            await wanted(rooms)
        assert {each.token for each in other.proxy.seen} == {None}


async def test_other_settings_of_the_sign_in_begin_a_new_one(tmp_path: Path) -> None:
    async with servers() as oauth, core(tmp_path, oauth) as rooms:
        await sign_in(rooms, oauth)
        server = await rooms.connected("it")
        await rooms.services.servers.change_oauth(server, {"client_id": "registered-by-hand"})
        assert "client_id=registered-by-hand" in (await wanted(rooms)).authorization_url
        assert oauth.registered == 1


async def test_a_server_is_connected_by_signing_in(tmp_path: Path) -> None:
    async with servers() as oauth, core(tmp_path, oauth) as rooms:
        server = await rooms.server("it")
        await rooms.services.sign_ins.cancel(LOCAL_USER, (await wanted(rooms)).id)
        status = await rooms.status("it", ServerState.ERROR)
        assert status.reason_code is ReasonCode.SIGN_IN_DISMISSED
        await rooms.services.servers.sign_in(server)
        await auth_with(rooms, server, lambda auth: auth.wanted)
        await sign_in(rooms, oauth)
        await rooms.connected("it")
