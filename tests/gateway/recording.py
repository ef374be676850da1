"""Recorded conversations with published servers, and the client by hand that holds them, without the SDK."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from webclient.domain.model import Era, Json

CORPUS = Path(__file__).parent / "corpus"

PREFIX = "io.modelcontextprotocol/"

CALLS = frozenset({"tools/call", "prompts/get", "resources/read"})
"""Methods during which a server says something, and asks."""

CAPABILITIES: Json = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}}
"""The capabilities of the client that records, and of the agents that hear it again."""

CLIENT: Json = {"name": "by hand", "version": "7"}

PATIENCE = 60.0


def corpus() -> Iterator[tuple[str, Json]]:
    """Yield the name and the content of each recording."""
    for path in sorted(CORPUS.glob("*.json")):
        yield path.stem, json.loads(path.read_text("utf-8"))


def requests_of(given: Mapping[str, Any]) -> Json:
    """Return the requests for input of a result of 2026-07-28, by their keys."""
    found = given.get("inputRequests") if given.get("resultType") == "input_required" else None
    return found if isinstance(found, dict) else {}


class Wire:
    """A server over stdio; the client answers what it asks with `answers`, in this order."""

    def __init__(self, process: asyncio.subprocess.Process, era: Era) -> None:
        self.answers: list[Json] = []
        self._process = process
        self._era = era
        self._number = 0

    async def begin(self) -> Json:
        """Send the handshake, and return its exchange."""
        if self._era is Era.ROUNDS:
            return await self.exchange("server/discover", {})
        hello = {"protocolVersion": self._era, "capabilities": CAPABILITIES, "clientInfo": CLIENT}
        greeting = await self.exchange("initialize", hello)
        await self._send({"method": "notifications/initialized"})
        return {**greeting, "params": {}}

    async def exchange(self, method: str, params: Json) -> Json:
        """Send a request; return it with the messages until its response, and with that."""
        self._number += 1
        await self._send({"id": self._number, "method": method, "params": params | self._meta(method)})
        messages: list[Json] = []
        async for message in self._incoming():
            if "method" not in message and message.get("id") == self._number:
                outcome: Json = {key: message[key] for key in ("result", "error") if key in message}
                return {"method": method, "params": params, **({"messages": messages} if messages else {}), **outcome}
            if "method" in message:
                messages += await self._heard(message, during=method)
        raise AssertionError(f"the server ended during {method}")

    async def dialogue(self, method: str, params: Json) -> list[Json]:
        """Send a request, and again with answers for as long as its result asks."""
        exchanges = [await self.exchange(method, params)]
        while inputs := requests_of(result := exchanges[-1].get("result", {})):
            given = {key: self.answers.pop(0) for key in inputs}
            state = {"requestState": result["requestState"]} if "requestState" in result else {}
            exchanges.append(await self.exchange(method, params | {"inputResponses": given} | state))
        return exchanges

    def _meta(self, method: str) -> Json:
        meta: Json = {"progressToken": self._number} if method in CALLS else {}
        if self._era is Era.ROUNDS:
            own = {"protocolVersion": self._era, "clientInfo": CLIENT, "clientCapabilities": CAPABILITIES}
            meta |= {f"{PREFIX}{key}": value for key, value in (own | {"logLevel": "debug"}).items()}
        return {"_meta": meta} if meta else {}

    async def _heard(self, message: Json, *, during: str) -> list[Json]:
        """Return a message as it is recorded, a request with its answer; changes of lists belong to no request."""
        saved: Json = {key: message[key] for key in ("method", "params") if key in message}
        if "id" in message:
            saved["answer"] = self.answers.pop(0)
            await self._send({"id": message["id"], "result": saved["answer"]})
        return [saved] if during in CALLS and "list_changed" not in message["method"] else []

    async def _send(self, message: Json) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        await self._process.stdin.drain()

    async def _incoming(self) -> AsyncIterator[Json]:
        assert self._process.stdout
        async with asyncio.timeout(PATIENCE):
            while line := await self._process.stdout.readline():
                if line.startswith(b"{"):
                    yield json.loads(line)


@asynccontextmanager
async def wired(command: Sequence[str], era: Era, folder: Path, environment: Mapping[str, str]) -> AsyncIterator[Wire]:
    """Start a server over stdio and give its wire; end it afterwards."""
    pipe = asyncio.subprocess.PIPE
    nothing = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *command, stdin=pipe, stdout=pipe, stderr=nothing, cwd=folder, env=os.environ | environment, limit=2**24
    )
    try:
        yield Wire(process, era)
    finally:
        process.kill()
        await process.wait()
