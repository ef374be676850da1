"""The program among its counting servers, all of them processes of their own that can be killed and started again."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

from tests.kills.testimony import Testimony
from tests.mcp_servers import ROOT, STATE_KEY, RunningServer, started
from tests.mcp_servers.proxy import Proxy
from tests.program import Api, Program
from webclient.domain.model import Era, Json

ERAS = {"push": Era.PUSH, "rounds": Era.ROUNDS}


class Till:
    """A counting server of one era and transport, over all its starts; over HTTP it also has a relay before it."""

    def __init__(self, folder: Path, name: str, transport: str) -> None:
        self.era = ERAS[name]
        self.way = f"{self.era.value}, {'HTTP' if transport == 'http' else 'stdio'}"
        self.labels = [f"{name}-{transport}"]
        self.relay: Proxy | None = None
        self._path = folder / f"{name}-{transport}.jsonl"
        self._transport = transport
        self._server: RunningServer | None = None
        self._stack = AsyncExitStack()

    @property
    def testimony(self) -> Testimony:
        """What it has written down until now."""
        return Testimony(self._path)

    @property
    def entries(self) -> Json:
        """Its entries in an mcp.json: itself, and the way through its relay."""
        if self._server is None:
            command, *arguments = self._command()
            itself: Json = {"command": command, "args": arguments, "cwd": str(ROOT)}
            return {self.labels[0]: itself | {"era": self.era.value}}
        assert self.relay
        urls = [self._server.address, self.relay.address(self._server.address)]
        return {label: {"url": url, "era": self.era.value} for label, url in zip(self.labels, urls, strict=True)}

    async def start(self) -> None:
        """Start it if it listens, on the port of before; the program starts the others."""
        if self._transport == "stdio":
            return
        port = str(self._server.port if self._server else 0)
        self._server = await self._stack.enter_async_context(
            started(self._command("--port", port), announce="Listening")
        )
        if self.relay is None:
            self.relay = Proxy(self._server.port)
            self.labels.append(f"{self.labels[0]}-relay")
            await self.relay.accept()

    async def kill(self) -> None:
        """End its process at once, and start it again."""
        if self._server is None:
            with suppress(ProcessLookupError):
                os.kill(self.testimony.pid, signal.SIGKILL)
            return
        self._server.kill()
        await self._stack.aclose()
        await self.start()

    async def close(self) -> None:
        """End it."""
        await self._stack.aclose()
        if self.relay:
            await self.relay.close()

    def _command(self, *more: str) -> list[str]:
        options = ["--transport", self._transport, "--era", self.era.value, "--state-key", STATE_KEY, *more]
        return [sys.executable, "-m", "tests.kills.till", str(self._path), *options]


class World:
    """The program, its client, and the tills; `up` is set while the program runs."""

    def __init__(self, folder: Path) -> None:
        self.tills = [Till(folder, era, transport) for era in ERAS for transport in ("stdio", "http")]
        self.up = asyncio.Event()
        self._folder = folder
        self._token = secrets.token_hex(16)
        self._program: Program | None = None
        self._stack = AsyncExitStack()

    @property
    def client(self) -> Api:
        """A client of the program, also of the one that runs after it."""
        assert self._program
        return self._program.client()

    async def start(self) -> None:
        """Start the program, at the address of before."""
        port = self._program.base.rpartition(":")[2] if self._program else "0"
        config = self._folder / "mcp.json"
        entries = {label: entry for till in self.tills for label, entry in till.entries.items()}
        config.write_text(json.dumps({"mcpServers": entries}), "utf-8")
        line = [sys.executable, "-m", "webclient", "serve", "--port", port, "--config", str(config)]
        line += ["--data-dir", str(self._folder / "data"), "--token", self._token]
        log = self._stack.enter_context((self._folder / "program.log").open("a", encoding="utf-8"))
        running = started(line, announce="Ready", cwd=Path.cwd(), stderr=log, forked=False)
        process = await self._stack.enter_async_context(running)
        self._program = Program(process.address, process.pid)
        self.up.set()

    async def restart(self, number: signal.Signals) -> None:
        """End the program by this signal, and start it again."""
        assert self._program
        self.up.clear()
        os.kill(self._program.pid, number)
        await self._stack.aclose()
        await self.start()

    async def close(self) -> None:
        """End everything."""
        self.up.clear()
        await self._stack.aclose()
        for till in self.tills:
            await till.close()


@asynccontextmanager
async def world(folder: Path) -> AsyncIterator[World]:
    """Start the tills and the program; end them."""
    around = World(folder)
    try:
        for till in around.tills:
            await till.start()
        await around.start()
        yield around
    finally:
        await around.close()
