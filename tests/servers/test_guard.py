"""Where there are several users, a server that one of them adds cannot lead into networks of the company."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.house import House, config, house
from tests.mcp_servers import running
from webclient.domain.model import LOCAL_USER, Json, ReasonCode, Server, ServerState, ServerStatus
from webclient.network import checked_transport
from webclient.servers.connections import try_server
from webclient.servers.icons import Icons, icon_of

pytestmark = pytest.mark.anyio

COMPANY: Mapping[str, Any] = {"identity": ["proxy"], "auth_header": "Remote-User", "trusted_proxies": ["10.1.2.3"]}
NOT_FOUND = b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"
ENDED = (ServerState.CONNECTED, ServerState.ERROR)


@asynccontextmanager
async def listening(
    answer: bytes = NOT_FOUND,
) -> AsyncIterator[tuple[int, list[bytes]]]:
    """Listen on all loopback addresses; yield the port and the heads of the requests that come."""
    heads: list[bytes] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(b"")
        heads[-1] = await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(handle, "0.0.0.0", 0) as server:  # noqa: S104  (127.0.0.2 as well)
        yield server.sockets[0].getsockname()[1], heads


async def added(rooms: House, url: str, kind: str = "http") -> Server:
    """Add a server."""
    return await rooms.services.servers.add(LOCAL_USER, label="it", transport={"type": kind, "url": url})


async def connected(rooms: House, server: Server) -> ServerStatus:
    """Connect a server, and return the status once that has succeeded or failed."""
    await rooms.services.servers.connect(server)

    async def look() -> ServerStatus | None:
        status = rooms.services.connections.status(server.key)
        return status if status.state in ENDED else None

    return await rooms.until(look)


@pytest.mark.parametrize("kind", ["http", "sse"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0.0.0.0"])  # noqa: S104
async def test_an_added_server_on_this_machine_is_refused(tmp_path: Path, host: str, kind: str) -> None:
    async with listening() as (port, heads), house(tmp_path, **COMPANY) as rooms:
        status = await connected(rooms, await added(rooms, f"http://{host}:{port}/mcp", kind))
        assert (status.reason_code, heads) == (ReasonCode.ADDRESS_FORBIDDEN, [])


@pytest.mark.parametrize("address", ["169.254.169.254", "10.1.2.3", "192.168.0.1", "[fd00::1]", "[fe80::1]"])
async def test_an_added_server_in_a_private_network_is_refused(tmp_path: Path, address: str) -> None:
    async with house(tmp_path, **COMPANY) as rooms:
        # As named, 10.1.2.3 is that of the proxy, which permits nothing here.
        status = await connected(rooms, await added(rooms, f"http://{address}/mcp"))
        assert status.reason_code is ReasonCode.ADDRESS_FORBIDDEN


async def test_an_internal_name_looks_like_an_unknown_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve(host: str, _port: int) -> list[str]:
        if host == "vault.corp.example":
            return ["10.1.2.3"]
        raise OSError("not found")

    monkeypatch.setattr(checked_transport, "resolve", resolve)
    async with house(tmp_path, **COMPANY) as rooms:
        reasons = []
        for name in ("vault", "nothing"):
            status = await connected(rooms, await added(rooms, f"https://{name}.corp.example/mcp"))
            assert status.error
            reasons.append((status.error.reason.code, str(status.error.reason.params).replace(name, "")))
        assert reasons[0] == reasons[1]
        assert "10.1.2.3" not in str(reasons)


@pytest.mark.parametrize("kind", ["http", "sse"])
async def test_an_added_server_in_a_named_network_is_connected(tmp_path: Path, kind: Any) -> None:
    async with (
        running(transport=kind) as asker,
        house(tmp_path, **COMPANY, server_networks=["127.0.0.1/32"]) as rooms,
    ):
        assert (await connected(rooms, await added(rooms, asker.address, kind))).state is ServerState.CONNECTED


async def test_a_server_of_the_config_file_may_be_anywhere(tmp_path: Path) -> None:
    async with running() as asker:
        entries = [config("it", {"type": "http", "url": asker.address})]
        async with house(tmp_path, entries, **COMPANY) as rooms:
            await rooms.services.presence.arrived(LOCAL_USER)
            await rooms.connected("it")


async def test_the_only_user_may_add_a_server_on_this_machine(tmp_path: Path) -> None:
    async with running() as asker, house(tmp_path) as rooms:
        assert (await connected(rooms, await added(rooms, asker.address))).state is ServerState.CONNECTED


async def test_a_name_that_leads_elsewhere_later_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = iter([["203.0.113.1", "127.0.0.1"]])

    async def resolve(_host: str, _port: int) -> list[str]:
        return next(places, ["127.0.0.1"])

    monkeypatch.setattr(checked_transport, "resolve", resolve)
    async with listening() as (port, heads), house(tmp_path, **COMPANY) as rooms:
        server = await added(rooms, f"http://changing.example:{port}/mcp")
        for _attempt in range(2):
            assert (await connected(rooms, server)).reason_code is ReasonCode.ADDRESS_FORBIDDEN
        assert heads == []


async def test_a_redirect_to_another_host_is_not_followed(tmp_path: Path) -> None:
    async with listening() as (target, heads):
        answer = f"HTTP/1.1 307 Go\r\nLocation: http://127.0.0.2:{target}/mcp\r\nContent-Length: 0\r\n\r\n"
        async with (
            listening(answer.encode()) as (port, received),
            house(tmp_path, **COMPANY, server_networks=["127.0.0.0/8"]) as rooms,
        ):
            status = await connected(rooms, await added(rooms, f"http://127.0.0.1:{port}/mcp"))
            assert status.state is ServerState.ERROR
            assert received
            assert heads == []


async def test_trial_sign_in_and_icon_of_an_added_server_are_guarded(tmp_path: Path) -> None:
    async with listening() as (port, heads), house(tmp_path, **COMPANY) as rooms:
        services, server = rooms.services, await added(rooms, f"http://127.0.0.1:{port}/mcp")
        trial = await try_server(server, services.connections.limits, services.connections.guard)
        assert trial.fault
        assert trial.fault.reason.code is ReasonCode.ADDRESS_FORBIDDEN

        await services.servers.sign_in(server)

        async def failed() -> ReasonCode | None:
            error = services.sign_ins.auth_of(server.key).error
            return error.code if error else None

        assert await rooms.until(failed) is ReasonCode.SIGN_IN_FORBIDDEN_ADDRESS
        about: Json = {"icons": [{"src": f"http://127.0.0.1:{port}/icon.png", "mimeType": "image/png"}]}
        icon = icon_of(about, server.transport["url"])
        assert icon
        assert await services.icons.picture(server, icon, may_fetch=True) is None
        assert heads == []
        assert await Icons().picture(server, icon, may_fetch=True) is None
        assert heads
