"""A running core on a real database among witnesses in processes of their own; all can be broken, and started again."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

from tests.forks import launched
from tests.house import config, settings
from tests.mcp_servers import ROOT, started
from tests.mcp_servers.proxy import Proxy
from tests.model.move_log import MoveLog
from tests.model.rules import MOST_PENDING
from tests.model.testimony import Testimony
from webclient import services as webclient_services
from webclient.calls import driver, link_polling
from webclient.domain.model import LOCAL_USER, Call, Era, InputRequest, Reason, ReasonCode, Server
from webclient.inbox import entry_counter
from webclient.protocol.transports import http
from webclient.servers.config_file import ServerConfig
from webclient.servers.connections import next_attempt
from webclient.services import Services
from webclient.store import StorageError

WITNESS = "tests.model.witness"

BEAT = 20.0
"""Seconds; a slow answer to a ping must not be mistaken for a fault on a machine that is busy."""

_SHORT = (
    (next_attempt, "PAUSES", (0.01, 0.05, 0.1)),
    (link_polling, "POLL_PAUSES", (0.05, 0.1, 0.2, 0.4)),
    (driver, "RESEND_PAUSES", (0.01, 0.05, 0.1)),
    (http, "ANSWER_PAUSES", (0.01, 0.05, 0.1)),
    (http, "LISTEN_PAUSES", (0.01, 0.05, 0.1)),
    (entry_counter, "PAUSE", 0.01),
)
"""Pauses that a machine makes, shortened: what happens is the same."""


@contextmanager
def hurried() -> Iterator[None]:
    """Shorten the pauses in the block."""
    with ExitStack() as stack:
        for module, name, value in _SHORT:
            stack.enter_context(patch.object(module, name, value))
        yield


class Seat:
    """A place for a witness, which may be another process after each restart."""

    def __init__(self, folder: Path, name: str, era: Era, module: str = WITNESS) -> None:
        self.name = name
        self._module = module
        self.era = era
        self.testimony = Testimony(folder / f"{name}.jsonl")
        self.proxy: Proxy | None = None
        self.pid = 0
        self.port = 0
        self._control = str(folder / f"{name}.sock")
        self._stack = AsyncExitStack()

    def command(self, *more: str) -> list[str]:
        """Return the command line that starts the witness."""
        return [sys.executable, "-m", self._module, *self._arguments(*more)]

    def _arguments(self, *more: str) -> list[str]:
        return [str(self.testimony.path), self._control, self.era, *more]

    def config(self) -> ServerConfig:
        """Return how the core reaches it."""
        if self.proxy:
            return config(
                self.name, {"type": "http", "url": self.proxy.address(f"http://127.0.0.1:{self.port}/mcp")}, self.era
            )
        program, *arguments = launched(self._module, *self._arguments())
        transport = {"type": "stdio", "command": program, "args": arguments, "env": None, "cwd": str(ROOT)}
        return config(self.name, transport, self.era)

    async def listen(self) -> None:
        """Start a witness that listens behind a proxy, in place of an earlier one."""
        running = started(self.command("http", str(self.port)), announce="Listening")
        server = await self._stack.enter_async_context(running)
        self.pid, self.port = server.pid, server.port
        if self.proxy is None:
            self.proxy = Proxy(self.port)
            await self.proxy.accept()

    async def kill(self) -> None:
        """End the witness at once, as a crash would; one that listens is started again."""
        if self.proxy:
            os.kill(self.pid, signal.SIGKILL)
            await self._stack.aclose()
            await self.listen()
        else:
            await self.tell(do="crash")

    async def tell(self, **command: Any) -> None:
        """Have the witness do something by itself, if there is one; it is done when this returns."""
        with suppress(OSError):
            reader, writer = await asyncio.open_unix_connection(self._control)
            try:
                writer.write(json.dumps(command).encode() + b"\n")
                await reader.read()
            finally:
                writer.close()
                await writer.wait_closed()

    async def close(self) -> None:
        """End it all."""
        await self._stack.aclose()
        if self.proxy:
            await self.proxy.close()


class World:
    """The core that runs just now, and the seats around it; the database outlives each core."""

    def __init__(self, folder: Path, seats: Sequence[Seat], url: str | None) -> None:
        self.seats = {seat.name: seat for seat in seats}
        self._folder = folder
        self._stack = AsyncExitStack()
        self._url = url
        self.services: Services = webclient_services.build(settings(folder))
        self._log: MoveLog | None = None
        self.on_agent_call: Callable[[Call], None] = lambda _call: None
        """Gets each call that is begun for an agent."""

    async def start(self) -> None:
        """Start a core."""
        self.services = webclient_services.build(
            settings(
                self._folder,
                database_url=self._url,
                beat_seconds=BEAT,
                deadline_push=3600,
                deadline_rounds=3600,
                ask_burst=100_000,
                max_pending=MOST_PENDING,
            )
        )
        self._watch_agents()
        await self._stack.enter_async_context(
            webclient_services.running(self.services, [seat.config() for seat in self.seats.values()])
        )
        if self._log is None:
            # In a thread: what the core is writing just now needs the event loop to come to its end.
            self._log = await asyncio.to_thread(MoveLog, self._folder, self._url)

    def _watch_agents(self) -> None:
        start: Callable[..., Awaitable[Call]] = self.services.calls.start

        async def watched(*given: Any, **named: Any) -> Call:
            call = await start(*given, **named)
            if call.agent:
                self.on_agent_call(call)
            return call

        cast("Any", self.services.calls).start = watched

    async def stop(self) -> None:
        """End the core in good order."""
        await self._stack.aclose()

    async def kill(self) -> None:
        """End the core as a crash would: from this moment on it writes and reads nothing any more."""
        self.services.store.health.close()
        database: Any = self.services.store._database
        database.read = database.write = _dead
        with suppress(StorageError):
            await self._stack.aclose()
        await self.services.store.close()

    async def server(self, seat: str) -> Server:
        """Return the server at the seat."""
        return next(each for each in await self.services.store.of(LOCAL_USER).servers.all() if each.name == seat)

    async def requests(self) -> list[InputRequest]:
        """Return every request that there ever was."""
        return await self.services.store.of(LOCAL_USER).requests.find(limit=100_000)

    async def calls(self) -> list[Call]:
        """Return every call that there ever was."""
        found: list[Call] = []
        is_more = True
        while is_more:
            before = found[-1] if found else None
            page, is_more = await self.services.store.of(LOCAL_USER).calls.page(before=before, with_results=True)
            found += page
        return found

    def ids(self, where: str) -> list[str]:
        """Return the ids of the rows that meet `TABLE WHERE CONDITION`, oldest first."""
        assert self._log
        return self._log.ids(where)

    def moves(self) -> list[tuple[str, str, str, str]]:
        """Return the changes of states since this was last asked: call or request, its id, from, to."""
        assert self._log
        return self._log.moves()

    async def close(self) -> None:
        """End everything."""
        await self._stack.aclose()
        if self._log:
            self._log.close()
        for seat in self.seats.values():
            await seat.close()


async def _dead(*_unit: object, **_arguments: object) -> None:
    raise StorageError(Reason(ReasonCode.PROGRAM_ENDING))


@asynccontextmanager
async def world(folder: Path, url: str | None, module: str = WITNESS) -> AsyncIterator[World]:
    """Run a core among four witnesses of this module, one for each transport and era."""
    seats = [
        Seat(folder, f"{transport}-{word}", era, module)
        for word, era in (("push", Era.PUSH), ("rounds", Era.ROUNDS))
        for transport in ("stdio", "http")
    ]
    around = World(folder, seats, url)
    with hurried():
        try:
            for seat in seats:
                if seat.name.startswith("http"):
                    await seat.listen()
            await around.start()
            yield around
        finally:
            await around.close()
