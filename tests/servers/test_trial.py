"""A server that is tried before it is saved: what was found, or why not, and nothing remains."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.mcp_servers import running
from webclient.domain.model import Era, ReasonCode, Server, ServerRequest
from webclient.protocol import Endpoint, RequestRefusedError, ServerLimits, SessionEvents
from webclient.servers.connections import Trial, try_server

pytestmark = pytest.mark.anyio


async def tried(url: str, seconds: float = 60, **transport: Any) -> Trial:
    server = Server(
        user_id="ada", label="new", transport={"type": "http", "detect": True, "url": url, **transport}, era=Era.AUTO
    )
    return await try_server(server, ServerLimits(), seconds=seconds)


@pytest.fixture(scope="module")
async def asker(anyio_backend: str) -> AsyncIterator[Any]:  # noqa: ARG001
    async with running() as server:
        yield server


async def test_a_server_is_found_with_transport_eras_and_catalog(asker: Any) -> None:
    trial = await tried(asker.address)
    assert trial.fault is None
    assert any(tool["name"] == "ask_form" for tool in trial.catalog.tools)
    assert (trial.server.transport["type"], trial.server.learned["speaks"]) == ("http", ["2026-07-28"])


async def test_a_server_of_the_other_transport_is_found() -> None:
    async with running(transport="sse") as old:
        trial = await tried(old.address)
    assert (trial.fault, trial.server.transport["type"]) == (None, "sse")


async def test_a_website_is_not_a_server(website: str) -> None:
    trial = await tried(website)
    assert trial.fault is not None
    assert trial.fault.reason.code in (ReasonCode.HTTP_WEB_PAGE, ReasonCode.HTTP_METHOD_NOT_ALLOWED)


@pytest.mark.parametrize(
    ("url", "code", "params"),
    [
        ("http://127.0.0.1:9/mcp", ReasonCode.NOTHING_LISTENS, {"host": "127.0.0.1", "port": "9"}),
        ("http://no-such-host.invalid/mcp", ReasonCode.HOST_UNKNOWN, {"host": "no-such-host.invalid"}),
    ],
)
async def test_a_failure_says_what_to_check(url: str, code: ReasonCode, params: dict[str, str]) -> None:
    trial = await tried(url)
    assert trial.fault is not None
    assert (trial.fault.reason.code, trial.fault.reason.params) == (code, params)


async def test_plain_http_under_https_is_named(asker: Any) -> None:
    trial = await tried(asker.address.replace("http://", "https://"))
    assert trial.fault is not None
    assert trial.fault.reason.code is ReasonCode.NOT_HTTPS


async def test_a_server_that_asks_during_a_trial_is_refused() -> None:
    events = SessionEvents()
    server = Server(user_id="ada", label="new", transport={"type": "http", "url": "http://127.0.0.1:9/"})
    request = ServerRequest(method="elicitation/create", params={})
    with pytest.raises(RequestRefusedError):
        await events.requests.requested(Endpoint(server, server.transport, events.servers.changed), request)


async def test_a_silent_server_ends_the_trial_in_time() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    listening = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    async with asyncio.timeout(30):
        trial = await tried(f"http://127.0.0.1:{port}/mcp?key=s3cretvalue", seconds=0.5)
    listening.close()
    assert trial.fault is not None
    assert trial.fault.reason.code is ReasonCode.CONNECT_TIMEOUT
    assert "s3cretvalue" not in str(trial.fault)


@pytest.fixture
async def website() -> AsyncIterator[str]:
    """The address of a page for people."""
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\nConnection: close\r\n\r\nHi"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(page)
        await writer.drain()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/"
    listening.close()
