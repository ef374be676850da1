"""Agents of these tests: the SDK's client in either era, and requests by hand for what that client would not send."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import httpx2
from mcp import Client
from mcp.client import IncomingMessage
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourceUpdated, ServerEvent, Subscription, SubscriptionLost
from mcp.types import (
    EmptyResult,
    ResourceUpdatedNotification,
    SubscribeRequest,
    SubscribeRequestParams,
    UnsubscribeRequest,
    UnsubscribeRequestParams,
)

from tests.loopback import tls
from tests.program import PATIENCE, Api, Program
from webclient.domain.model import Era, Json

MODES = {Era.PUSH: "legacy", Era.ROUNDS: "auto"}
"""How the SDK's client is made to speak each era."""

_PREFIX = "io.modelcontextprotocol/"
BOTH = {"Accept": "application/json, text/event-stream"}


async def token(api: Api, label: str = "My agent", **body: Any) -> str:
    """Return the secret of a new token for an agent."""
    made = await api.json("POST", "/tokens", 201, json={"label": label, "scopes": ["gateway"]} | body)
    return str(made["secret"])


@asynccontextmanager
async def connected(base: str, secret: str, server: str, era: Era = Era.PUSH, **options: Any) -> AsyncIterator[Client]:
    """Connect the SDK's client, as an agent does that has never heard of this program."""
    headers = {"Authorization": f"Bearer {secret}"}
    streams = asyncio.Event()

    async def responded(response: httpx2.Response) -> None:
        if response.request.method == "GET":
            streams.set()

    hooks = {"response": [responded]}
    async with httpx2.AsyncClient(headers=headers, timeout=None, event_hooks=hooks, verify=tls()) as http:
        transport = streamable_http_client(f"{base}/mcp/{server}".rstrip("/"), http_client=http)
        async with Client(transport, mode=MODES[era], **options) as client:
            assert client.session.protocol_version == era
            if era is Era.PUSH:
                # Once the stream for messages outside of requests is open, one request is answered later still.
                async with asyncio.timeout(PATIENCE):
                    await streams.wait()
                await client.session.send_ping()
            yield client


class Listener:
    """An agent that hears of changes, in the way of its era: `heard` are the kinds, with the URI of a resource."""

    def __init__(self, client: Client, heard: asyncio.Queue[str]) -> None:
        self.client = client
        self.heard = heard

    async def next(self) -> str:
        """Wait for the next change."""
        async with asyncio.timeout(PATIENCE):
            return await self.heard.get()

    async def until(self, *kinds: str) -> None:
        """Wait until all of these changes were heard of."""
        missing = set(kinds)
        while missing:
            missing.discard(await self.next())

    def silent(self) -> bool:
        """Return whether nothing else was heard."""
        return self.heard.empty()


LISTS = {"tools_list_changed": True, "prompts_list_changed": True, "resources_list_changed": True}


@asynccontextmanager
async def listening(base: str, secret: str, server: str, era: Era, uris: Sequence[str] = ()) -> AsyncIterator[Listener]:
    """Connect an agent that hears of changes of all lists, and of these resources."""
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def took(message: IncomingMessage) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            heard.put_nowait(message.params.uri)
        elif not isinstance(message, Exception) and "list_changed" in message.method:
            heard.put_nowait(message.method.split("/")[1])

    # In 2026-07-28 the SDK tells of each change twice: here, and on the stream.
    options = {"message_handler": took} if era is Era.PUSH else {}
    async with connected(base, secret, server, era, **options) as client:
        if era is Era.PUSH:
            for uri in uris:
                await subscribe(client, uri)
            yield Listener(client, heard)
            return
        async with client.listen(**LISTS, resource_subscriptions=uris) as changes, asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(_read(changes, heard))
            yield Listener(client, heard)
            reading.cancel()


async def subscribe(client: Client, uri: str) -> None:
    """Subscribe to a resource as 2025-11-25 does."""
    await client.session.send_request(SubscribeRequest(params=SubscribeRequestParams(uri=uri)), EmptyResult)


async def unsubscribe(client: Client, uri: str) -> None:
    """End a subscription of 2025-11-25."""
    await client.session.send_request(UnsubscribeRequest(params=UnsubscribeRequestParams(uri=uri)), EmptyResult)


async def _read(changes: Subscription, heard: asyncio.Queue[str]) -> None:
    with suppress(SubscriptionLost):
        async for change in changes:
            heard.put_nowait(_kind(change))


def _kind(change: ServerEvent) -> str:
    if isinstance(change, ResourceUpdated):
        return change.uri
    return type(change).__name__.removesuffix("ListChanged").lower()


class ByHand:
    """An agent that writes its requests by hand, to one server in one era."""

    def __init__(self, http: httpx2.AsyncClient, address: str, era: Era) -> None:
        self.http = http
        self.era = era
        self.session: str | None = None
        self.capabilities: Json = {}
        self._address = address
        self._number = 0

    async def begin(self) -> Json:
        """Send the handshake, and return its result."""
        if self.era is Era.ROUNDS:
            return await self.result("server/discover")
        client = {"name": "by hand", "version": "7"}
        params = {"protocolVersion": self.era, "capabilities": self.capabilities, "clientInfo": client}
        result = await self.result("initialize", params)
        await self.notify("notifications/initialized")
        return result

    async def notify(self, method: str, params: Json | None = None) -> None:
        """Send a notification of 2025-11-25."""
        message = {"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params})
        await self.http.post(self._address, json=message, headers=self.headers("", {}))

    def headers(self, method: str, params: Json) -> dict[str, str]:
        """Return the headers of a message."""
        headers = dict(BOTH)
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        if self.era is Era.ROUNDS:
            headers |= {"MCP-Protocol-Version": self.era, "Mcp-Method": method}
            if name := params.get("name", params.get("uri")):
                headers["Mcp-Name"] = str(name)
        return headers

    async def send(self, method: str, params: Json | None = None) -> httpx2.Response:
        """Send a request, and return the response as it came."""
        message = self._message(method, params)
        headers = self.headers(method, message["params"])
        response = await self.http.post(self._address, json=message, headers=headers)
        self.session = response.headers.get("mcp-session-id", self.session)
        return response

    def _message(self, method: str, params: Json | None) -> Json:
        self._number += 1
        params = dict(params or {})
        if self.era is Era.ROUNDS:
            client = {"name": "by hand", "version": "7"}
            meta = {"protocolVersion": self.era, "clientInfo": client, "clientCapabilities": self.capabilities}
            params["_meta"] = params.get("_meta", {}) | {f"{_PREFIX}{key}": value for key, value in meta.items()}
        return {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}

    @asynccontextmanager
    async def stream(self, uris: Sequence[str]) -> AsyncIterator[AsyncIterator[Json]]:
        """Follow all lists and these resources; give the notices that come."""
        if self.era is Era.PUSH:
            headers = {"Accept": "text/event-stream", "Mcp-Session-Id": self.session or ""}
            async with self.http.stream("GET", self._address, headers=headers) as response:
                for uri in uris:
                    await self.result("resources/subscribe", {"uri": uri})
                yield _messages(response)
            return
        wanted = {f"{name}ListChanged": True for name in ("tools", "prompts", "resources")}
        message = self._message("subscriptions/listen", {"notifications": wanted | {"resourceSubscriptions": uris}})
        headers = self.headers("subscriptions/listen", {})
        async with self.http.stream("POST", self._address, json=message, headers=headers) as response:
            messages = _messages(response)
            acknowledged = await anext(messages)
            assert acknowledged["params"]["notifications"] == wanted | {"resourceSubscriptions": uris}
            yield messages

    @asynccontextmanager
    async def on_stream(self, method: str, params: Json) -> AsyncIterator[AsyncIterator[Json]]:
        """Send a request of 2025-11-25; give the messages on its response as they come, requests of the server too."""
        message = self._message(method, params)
        headers = self.headers(method, message["params"])
        async with self.http.stream("POST", self._address, json=message, headers=headers) as response:
            yield _messages(response)

    async def respond(self, response: Json) -> int:
        """Send a response to a request of the server, in any form; return the status of HTTP."""
        return (await self.http.post(self._address, json=response, headers=self.headers("", {}))).status_code

    async def answer(self, method: str, params: Json | None = None) -> Json:
        """Send a request, and return its response: a result or an error."""
        return message_in(await self.send(method, params))

    async def result(self, method: str, params: Json | None = None) -> Json:
        """Send a request, and return its result."""
        answer = await self.answer(method, params)
        assert "result" in answer, answer
        result: Json = answer["result"]
        return result


async def _messages(response: httpx2.Response) -> AsyncIterator[Json]:
    """Yield the messages of a stream of events as they come."""
    async for line in response.aiter_lines():
        if line.startswith("data:") and line.removeprefix("data:").strip():
            yield json.loads(line.removeprefix("data:"))


def message_in(response: httpx2.Response) -> Json:
    """Return the last message of a response, JSON or a stream of events."""
    return messages_in(response)[-1]


def messages_in(response: httpx2.Response) -> list[Json]:
    """Return all messages of a response."""
    if response.headers["content-type"].startswith("text/event-stream"):
        lines = [line.removeprefix("data:").strip() for line in response.text.splitlines() if line.startswith("data:")]
        return [json.loads(line) for line in lines if line]
    return [response.json()]


@asynccontextmanager
async def by_hand(
    running: Program, secret: str, server: str, era: Era = Era.PUSH, headers: Mapping[str, str] | None = None
) -> AsyncIterator[ByHand]:
    """Give an agent that writes by hand and has not sent its handshake yet."""
    sent = {"Authorization": f"Bearer {secret}"} | dict(headers or {})
    async with httpx2.AsyncClient(headers=sent, timeout=PATIENCE, verify=tls()) as http:
        yield ByHand(http, f"{running.base}/mcp/{server}".rstrip("/"), era)


@asynccontextmanager
async def overheard(address: str) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Give an address before that of a server, and what is sent there."""
    host, heard = urlsplit(address), list[bytes]()

    async def pass_on(source: asyncio.StreamReader, to: asyncio.StreamWriter, notes: list[bytes]) -> None:
        with suppress(ConnectionError):
            while part := await source.read(65_536):
                notes.append(part)
                to.write(part)
                await to.drain()
        to.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind = await asyncio.open_connection(host.hostname, host.port)
        await asyncio.gather(pass_on(reader, behind[1], heard), pass_on(behind[0], writer, []))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{host.path}", heard
    finally:
        server.close()
