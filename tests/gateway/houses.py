"""The program with its servers, and the questions that come to its inbox."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.program import Api, Program, program
from webclient.domain.model import Json


@asynccontextmanager
async def house(folder: Path, **servers: Json) -> AsyncIterator[tuple[Program, Api]]:
    """Start the program with these servers, and wait until they are connected."""
    async with program(folder, servers=servers) as running, running.client() as api:
        for name, given in servers.items():
            await api.server(given.get("label", name))
        yield running, api


async def open_requests(api: Api, count: int = 1) -> list[Json]:
    """Wait until so many questions are open, and return them."""
    async with asyncio.timeout(60), api.stream("GET", "/events", timeout=None) as events:
        lines = events.aiter_lines()
        while len(found := (await api.json("GET", "/requests", params={"state": "pending"}))["requests"]) < count:
            await anext(lines)
    requests: list[Json] = found
    return requests
