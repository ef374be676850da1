"""Detection of the HTTP transport of a server, and refusals of both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.house import House, config, house
from tests.mcp_servers import RunningServer, running
from webclient.domain.model import LOCAL_USER, Era, Json, ReasonCode, Server, ServerState, ServerStatus
from webclient.servers.config_file import ServerConfig

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def refusing(anyio_backend: str) -> AsyncIterator[RunningServer]:  # noqa: ARG001
    async with running("refusing") as server:
        yield server


def detected(name: str, url: str, era: Era = Era.AUTO) -> ServerConfig:
    """Return a configured server whose transport the user did not choose."""
    return config(name, {"type": "http", "detect": True, "url": url, "headers": {}}, era)


async def stored(rooms: House, name: str) -> Json:
    """Return the transport of the server as the next start finds it."""
    return (await rooms.server(name)).transport


@pytest.mark.parametrize("era", [Era.AUTO, Era.PUSH])
async def test_an_sse_address_without_a_type_connects_every_time(tmp_path: Path, era: Era) -> None:
    """MCP 2025-11-25, Transports, Backwards Compatibility: POST first, then GET for 400, 404 and 405."""
    async with running(transport="sse") as server:
        entry = detected("old", server.address, era)
        for _start in range(2):
            async with house(tmp_path, [entry]) as rooms:
                await rooms.connected("old")
                assert (await rooms.ended(await rooms.call("old", "structured"))).state == "done"
                assert (await stored(rooms, "old"))["type"] == "sse"
                connection = rooms.services.connections.connected(await rooms.server("old"))
        assert connection.endpoint.transport["type"] == "sse"


async def test_a_stored_transport_is_dropped_after_a_server_update(tmp_path: Path) -> None:
    async with running(transport="sse") as old:
        entry = detected("it", old.address)
        async with house(tmp_path, [entry]) as rooms:
            await rooms.connected("it")
    async with running(transport="http", port=old.port) as new:
        moved = detected("it", new.address)
        async with house(tmp_path, [moved]) as rooms:
            await rooms.connected("it")
            assert (await stored(rooms, "it"))["type"] == "http"


async def test_a_detected_transport_is_stored_with_its_headers(tmp_path: Path) -> None:
    async with running(transport="sse") as server, house(tmp_path) as rooms:
        given = {"type": "http", "detect": True, "url": server.address, "headers": {"X": "1"}}
        added = await rooms.services.servers.add(LOCAL_USER, label="it", transport=given)
        rooms.services.connections.connect(added)
        await until_connected(rooms, added)
        assert (await rooms.services.store.of(LOCAL_USER).servers.get(added.id)).transport == {**given, "type": "sse"}


async def test_a_chosen_type_is_never_changed(tmp_path: Path) -> None:
    async with running(transport="sse") as server:
        chosen = [config("it", {"type": "http", "url": server.address})]
        async with house(tmp_path, chosen) as rooms:
            status = await rooms.status("it", ServerState.ERROR)
            assert status.error
            assert status.error.http_status == 405


async def test_the_first_refusal_is_shown_if_both_transports_fail(tmp_path: Path, refusing: RunningServer) -> None:
    async with house(tmp_path, [detected("it", f"{refusing.address}/404/plain")]) as rooms:
        status = await rooms.status("it", ServerState.ERROR)
        assert status.error
        assert status.error.http_status == 404
        assert (await stored(rooms, "it"))["type"] == "http"


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_each_refusal_says_its_status(tmp_path: Path, refusing: RunningServer, transport: str) -> None:
    paths = ["400/plain", "403/html", "404/html", "405/plain", "429/plain", "500/html"]
    paths += ["502/html", "503/plain", "200/html", "200/text", "418/plain", "599/plain", "307/redirect"]
    servers = [config(path, {"type": transport, "url": f"{refusing.address}/{path}"}) for path in paths]
    async with house(tmp_path, servers) as rooms:
        errors = {path: (await rooms.status(path, ServerState.ERROR)).error for path in paths}
    for path, error in errors.items():
        assert error
        status = path.partition("/")[0]
        assert (error.http_status, error.reason.params["where"]) == (int(status), f"{refusing.address}/{path}")
        assert str(error.reason.params["status"]).startswith(status)
    assert len({error.reason.code for error in errors.values() if error}) == len(paths)
    assert "s3same" not in str(errors)


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_a_server_without_a_possible_sign_in_says_why(
    tmp_path: Path, refusing: RunningServer, transport: str
) -> None:
    paths = ["401/plain", "401/oauth"]
    servers = [config(path, {"type": transport, "url": f"{refusing.address}/{path}"}) for path in paths]
    async with house(tmp_path, servers) as rooms:
        errors = [(await rooms.status(path, ServerState.ERROR)).error for path in paths]
    assert [error and (error.http_status, error.reason.code) for error in errors] == [
        (401, ReasonCode.HTTP_UNAUTHORIZED),
        (401, ReasonCode.NOTHING_LISTENS),
    ]


async def test_a_json_rpc_error_is_shown_with_the_refusal(tmp_path: Path, refusing: RunningServer) -> None:
    async with house(tmp_path, [config("it", {"type": "http", "url": f"{refusing.address}/403/error"})]) as rooms:
        error = (await rooms.status("it", ServerState.ERROR)).error
        assert error
        assert (error.http_status, error.said) == (403, "No such tenant: blue")


async def until_connected(rooms: House, server: Server) -> None:
    """Wait until a server that has no name is connected."""

    async def look() -> ServerStatus | None:
        status = rooms.services.connections.status(server.key)
        return status if status.state in (ServerState.CONNECTED, ServerState.ERROR) else None

    assert (await rooms.until(look)).state is ServerState.CONNECTED
