"""The program as a proxy's users reach it, among witnesses of both eras: all can be ended, and start again in place."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import httpx2

from tests.mcp_servers import started
from tests.model.world import Seat
from tests.program import Api, Program
from tests.test_reload import AS_PROXY, as_user
from webclient.domain.model import Era, Json

PAUSE = 0.05
"""Seconds between two attempts while the program is away."""


class House:
    """The program and its witnesses; `up` is set while the program runs, `starts` counts its starts."""

    def __init__(self, folder: Path) -> None:
        self.seats = {
            "push": Seat(folder, "push", Era.PUSH),
            "rounds": Seat(folder, "rounds", Era.ROUNDS),
            "piped": Seat(folder, "piped", Era.PUSH),
        }
        self.up = asyncio.Event()
        self.starts = 0
        self._folder = folder
        self._program: Program | None = None
        self._stack = AsyncExitStack()

    @property
    def program(self) -> Program:
        """The program; its address stays the same."""
        assert self._program
        return self._program

    async def start(self) -> None:
        """Start the program, at the address of before."""
        port = self._program.base.rpartition(":")[2] if self._program else "0"
        places = ["--port", port, "--data-dir", str(self._folder / "data"), "--config", str(self._folder / "mcp.json")]
        line = [sys.executable, "-m", "webclient", "serve", *places, *AS_PROXY]
        log = self._stack.enter_context((self._folder / "program.log").open("a", encoding="utf-8"))
        process = await self._stack.enter_async_context(started(line, announce="Ready", cwd=Path.cwd(), stderr=log))
        self._program = Program(process.address, process.pid)
        self.starts += 1
        self.up.set()

    async def restart(self, number: signal.Signals) -> None:
        """End the program by this signal, and start it again."""
        self.up.clear()
        os.kill(self.program.pid, number)
        await self._stack.aclose()
        await self.start()

    async def ask(self, api: Api, method: str, path: str, **body: object) -> httpx2.Response:
        """Send a request until the program, or the one that is started after it, responds."""
        while True:
            await self.up.wait()
            with suppress(httpx2.TransportError):
                response = await api.request(method, path, json=body or None)
                if response.status_code < 500:
                    return response
            await asyncio.sleep(PAUSE)

    async def all(self, api: Api, what: str) -> list[Json]:
        """Return all calls, with their results, or all requests of a user."""
        found: list[Json] = []
        before = ""
        while True:
            page = (await self.ask(api, "GET", f"/{what}?fields=result{before}")).json()
            found += page[what]
            if "next" not in page:
                return found
            before = f"&before={page['next']}"

    async def close(self) -> None:
        """End everything."""
        await self._stack.aclose()
        for seat in self.seats.values():
            await seat.close()


@asynccontextmanager
async def house(folder: Path, *users: str) -> AsyncIterator[tuple[House, dict[str, Api]]]:
    """Start the witnesses and the program; give it with the API of each user."""
    around = House(folder)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(around.close)
        for name in ("push", "rounds"):
            await around.seats[name].listen()
        entries = {name: _entry(seat) for name, seat in around.seats.items()}
        (folder / "mcp.json").write_text(json.dumps({"mcpServers": entries}), "utf-8")
        await around.start()
        yield around, {name: await stack.enter_async_context(as_user(around.program, name)) for name in users}


def _entry(seat: Seat) -> Json:
    transport = {key: value for key, value in seat.config().transport.items() if value is not None}
    return transport | {"era": seat.era.value}
