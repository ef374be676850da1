"""The program in a process of its own, started as a user starts it, on a free port of the loopback."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2

from tests.loopback import tls
from tests.mcp_servers import started
from webclient.domain.model import CallState, Json

PATIENCE = 120.0
"""Seconds after which something that should have happened is taken not to happen."""

LONG_POLL = 30.0
"""Seconds for which the API is asked to wait."""


@dataclass(frozen=True, slots=True)
class Program:
    """A running program: the link that signs a browser in, and its process."""

    login: str
    pid: int

    @property
    def base(self) -> str:
        """Where it is reached, without a path."""
        parts = urlsplit(self.login)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def token(self) -> str:
        """The token of its API; empty if the ready line has none."""
        return parse_qs(urlsplit(self.login).query).get("token", [""])[0]

    def client(self) -> Api:
        """Return a client of its API that is signed in with the token."""
        return Api(
            base_url=f"{self.base}/api/v1",
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=PATIENCE,
            verify=tls(),
        )


class Api(httpx2.AsyncClient):
    """The JSON API as another program uses it."""

    async def json(self, method: str, path: str, status: int = 200, **options: Any) -> Any:
        """Return the JSON of a response that must have this status."""
        response = await self.request(method, path, **options)
        assert response.status_code == status, response.text
        return response.json()

    async def server(self, label: str) -> str:
        """Wait until the server with this label is connected, and return its id."""
        async with self.stream("GET", "/events", timeout=None) as events:
            lines = events.aiter_lines()
            while True:
                for server in (await self.json("GET", "/servers"))["servers"]:
                    if server["label"] == label and server["state"] == "connected":
                        return str(server["id"])
                    assert server["label"] != label or server["state"] != "error", server
                await anext(lines)

    async def call(self, label: str, name: str, arguments: Json | None = None) -> Json:
        """Start a call of a tool."""
        body = {"server_id": await self.server(label), "kind": "tool", "name": name, "arguments": arguments or {}}
        call: Json = await self.json("POST", "/calls", 202, json=body)
        return call

    async def in_state(self, call: Json, *states: str) -> Json:
        """Wait until the call is in one of the states."""
        while call["state"] not in states:
            assert not CallState(call["state"]).ended, f"the call ended otherwise: {call}"
            call = await self.json("GET", f"/calls/{call['id']}", params={"wait": LONG_POLL})
        return call

    async def pending_requests(self, call: Json) -> list[Json]:
        """Wait until the call asks, and return its pending requests."""
        await self.in_state(call, "input_required")
        found = await self.json("GET", "/requests", params={"call_id": call["id"], "state": "pending"})
        requests: list[Json] = found["requests"]
        return requests

    async def answer(self, request: Json, status: int = 200, **answer: Any) -> Json:
        """Answer a request."""
        answered: Json = await self.json("POST", f"/requests/{request['id']}/answer", status, json=answer)
        return answered


@asynccontextmanager
async def program(
    folder: Path,
    command: str = "serve",
    servers: Json | None = None,
    options: Sequence[str] = (),
    *,
    under: Sequence[str] = (),
    forked: bool = True,
) -> AsyncIterator[Program]:
    """Start the program with these servers in its mcp.json, and end it by its pid.

    `under` is a command that turns itself into the one that follows it. What is measured is not `forked`.
    """
    line = [*under, *_command_line(folder, command, servers or {}), *options]
    async with started(line, announce="Ready", cwd=Path.cwd(), forked=forked) as process:
        yield Program(process.address, process.pid)


def _command_line(folder: Path, command: str, servers: Json) -> list[str]:
    config = folder / "mcp.json"
    config.write_text(json.dumps({"mcpServers": servers}), "utf-8")
    places = ["--data-dir", str(folder / "data"), "--config", str(config)]
    return [sys.executable, "-m", "webclient", command, "--port", "0", *places]
