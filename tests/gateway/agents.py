"""Agents of these tests: the SDK's client in either era, and requests by hand for what that client would not send."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

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
async def connected(base: str, secret: str, server: str, era: Era = Era.PUSH) -> AsyncIterator[Client]:
    """Connect the SDK's client, as an agent does that has never heard of this program."""
    headers = {"Authorization": f"Bearer {secret}"}
    async with httpx2.AsyncClient(headers=headers, timeout=None) as http:
        transport = streamable_http_client(f"{base}/mcp/{server}".rstrip("/"), http_client=http)
        async with Client(transport, mode=MODES[era]) as client:
            assert client.session.protocol_version == era
            yield client


class ByHand:
    """An agent that writes its requests by hand, to one server in one era."""

    def __init__(self, http: httpx2.AsyncClient, address: str, era: Era) -> None:
        self.http = http
        self.era = era
        self.session: str | None = None
        self._address = address
        self._number = 0

    async def begin(self) -> Json:
        """Send the handshake, and return its result."""
        if self.era is Era.ROUNDS:
            return await self.result("server/discover")
        client = {"name": "by hand", "version": "7"}
        params = {"protocolVersion": self.era, "capabilities": {}, "clientInfo": client}
        result = await self.result("initialize", params)
        await self.http.post(
            self._address, json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=self.headers("", {})
        )
        return result

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
        self._number += 1
        params = dict(params or {})
        if self.era is Era.ROUNDS:
            client = {"name": "by hand", "version": "7"}
            meta = {"protocolVersion": self.era, "clientInfo": client, "clientCapabilities": {}}
            params["_meta"] = params.get("_meta", {}) | {f"{_PREFIX}{key}": value for key, value in meta.items()}
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        response = await self.http.post(self._address, json=message, headers=self.headers(method, params))
        self.session = response.headers.get("mcp-session-id", self.session)
        return response

    async def answer(self, method: str, params: Json | None = None) -> Json:
        """Send a request, and return its response: a result or an error."""
        return message_in(await self.send(method, params))

    async def result(self, method: str, params: Json | None = None) -> Json:
        """Send a request, and return its result."""
        answer = await self.answer(method, params)
        assert "result" in answer, answer
        result: Json = answer["result"]
        return result


def message_in(response: httpx2.Response) -> Json:
    """Return the last message of a response, JSON or a stream of events."""
    if response.headers["content-type"].startswith("text/event-stream"):
        lines = [line.removeprefix("data:") for line in response.text.splitlines() if line.startswith("data:")]
        return cast("Json", json.loads(lines[-1]))
    return cast("Json", response.json())


@asynccontextmanager
async def by_hand(
    running: Program, secret: str, server: str, era: Era = Era.PUSH, headers: Mapping[str, str] | None = None
) -> AsyncIterator[ByHand]:
    """Give an agent that writes by hand and has not sent its handshake yet."""
    sent = {"Authorization": f"Bearer {secret}"} | dict(headers or {})
    async with httpx2.AsyncClient(headers=sent, timeout=PATIENCE) as http:
        yield ByHand(http, f"{running.base}/mcp/{server}".rstrip("/"), era)
