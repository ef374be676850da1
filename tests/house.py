"""A running core for tests, with words for what a person and a server do; it waits for events, never for time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from tests import databases, forks
from tests.answering import answer
from tests.mcp_servers import stdio
from webclient import services as webclient_services
from webclient.domain.model import (
    LOCAL_USER,
    Action,
    Call,
    CallKind,
    Era,
    InputRequest,
    Json,
    RequestState,
    Server,
    ServerState,
    ServerStatus,
)
from webclient.protocol import Authorization
from webclient.sampling.llm import Model
from webclient.servers.config_file import ServerConfig
from webclient.services import Services
from webclient.settings import Settings

TOKEN = "a token that only these tests know"
PATIENCE = 120.0
"""Seconds after which something that should have happened is taken not to happen."""

PUSH_SERVERS = ("stdio-push", "http-push", "sse-push")
ROUND_SERVERS = ("stdio-rounds", "http-rounds", "sse-rounds")
ALL_SERVERS = PUSH_SERVERS + ROUND_SERVERS

T = TypeVar("T")


def config(name: str, transport: Json, era: Era = Era.AUTO) -> ServerConfig:
    """Return a configured server whose label is its name."""
    return ServerConfig(name=name, label=name, transport=transport, era=era)


def configured(*, http: str, sse: str) -> list[ServerConfig]:
    """Return the asking server over each transport in each era."""
    return [
        config(f"{kind}-{word}", {"type": kind, "url": address}, era)
        for word, era in (("push", Era.PUSH), ("rounds", Era.ROUNDS))
        for kind, address in (("http", http), ("sse", sse))
    ] + [
        config("stdio-push", stdio("asker", "--era", Era.PUSH)),
        config("stdio-rounds", stdio("asker", "--era", Era.ROUNDS)),
    ]


def settings(data_dir: Path, **values: Any) -> Settings:
    """Return settings for a test."""
    return Settings(token=TOKEN, data_dir=data_dir, **values)


@asynccontextmanager
async def house(data_dir: Path, servers: Sequence[ServerConfig] = (), **values: Any) -> AsyncIterator[House]:
    """Run a core with these servers, and settings with these values, while the block runs.

    The value `sign_in` is the `Authorization` for each server, in the place of one at an authorization server; `models`
    are language models beside the configured ones.
    """
    models: Sequence[Model] = values.pop("models", ())
    sign_in: Authorization | None = values.pop("sign_in", None)
    if any(each.transport.get("type") == "stdio" for each in servers):
        await asyncio.to_thread(forks.ready)
    if "database_url" not in values:
        databases.prepare(data_dir)
    services = webclient_services.build(settings(data_dir, **values), models)
    if sign_in:
        services.connections.authorization_for = lambda _server: sign_in
    async with webclient_services.running(services, servers):
        yield House(services)


class House:
    """A running core."""

    def __init__(self, services: Services) -> None:
        self.services = services

    async def until(self, look: Callable[[], Awaitable[T | None]]) -> T:
        """Look again after each event until there is something to see."""
        with self.services.hub.subscribe(LOCAL_USER) as events:
            async with asyncio.timeout(PATIENCE):
                while True:
                    seen = await look()
                    if seen:
                        return seen
                    await anext(events)

    async def server(self, name: str) -> Server:
        """Return the server of that name in the config."""
        return next(s for s in await self.services.store.of(LOCAL_USER).servers.all() if s.name == name)

    async def status(self, name: str, *states: ServerState) -> ServerStatus:
        """Wait until the connection is in one of the states."""
        server = await self.server(name)

        async def look() -> ServerStatus | None:
            status = self.services.connections.status(server.key)
            return status if status.state in states else None

        return await self.until(look)

    async def connected(self, name: str) -> Server:
        """Wait until the server is connected."""
        status = await self.status(name, ServerState.CONNECTED, ServerState.ERROR)
        assert status.state is ServerState.CONNECTED, status.error
        return await self.server(name)

    async def call(self, server: str, tool: str, arguments: Json | None = None, **options: Any) -> Call:
        """Start a call of a tool."""
        options = {"kind": CallKind.TOOL, "name": tool, "arguments": arguments or {}} | options
        return await self.services.calls.start(LOCAL_USER, await self.server(server), **options)

    async def pending_requests(self, call: Call, count: int = 1) -> list[InputRequest]:
        """Wait until so many requests of the call are pending."""

        async def look() -> list[InputRequest] | None:
            pending = await self.services.store.of(LOCAL_USER).requests.find(
                state=RequestState.PENDING, call_id=call.id
            )
            return pending if len(pending) == count else None

        return await self.until(look)

    async def request_from(self, server: str) -> InputRequest:
        """Wait until exactly one request of the server is pending, from any call."""
        server_id = (await self.server(server)).id

        async def look() -> InputRequest | None:
            pending = await self.services.store.of(LOCAL_USER).requests.find(
                state=RequestState.PENDING, server_id=server_id
            )
            return pending[0] if len(pending) == 1 else None

        return await self.until(look)

    async def answer(self, request: InputRequest, action: Action, content: Json | None = None) -> InputRequest:
        """Answer as the person would."""
        return await answer(self.services.inbox, LOCAL_USER, request.id, action, content)

    async def settled(self, request: InputRequest) -> InputRequest:
        """Wait until the request is settled."""

        async def look() -> InputRequest | None:
            newest = await self.services.store.of(LOCAL_USER).requests.get(request.id)
            return None if newest.pending else newest

        return await self.until(look)

    async def remarked(self, request: InputRequest) -> InputRequest:
        """Wait until a pending request has a reason, such as the end of its call."""

        async def look() -> InputRequest | None:
            newest = await self.services.store.of(LOCAL_USER).requests.get(request.id)
            assert newest.pending, newest
            return newest if newest.reason else None

        return await self.until(look)

    async def ended(self, call: Call) -> Call:
        """Wait until the call has ended."""

        async def look() -> Call | None:
            newest = await self.services.store.of(LOCAL_USER).calls.get(call.id)
            return newest if newest.state.ended else None

        return await self.until(look)
