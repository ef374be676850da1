"""A push service with the browsers that are subscribed to it, in a process of its own.

It refuses what real ones refuse, and decrypts with http-ece, the implementation by an author of the standard.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2

from tests.loopback import tls
from tests.mcp_servers import started
from webclient.domain.model import Json


@dataclass(frozen=True, slots=True)
class PushService:
    """A running push service at an `address`."""

    address: str

    async def subscribe(self, public_key: str) -> Json:
        """Subscribe a new browser, and return its subscription as browsers write it."""
        return await self._json("POST", "/subscribe", json={"key": public_key})

    async def message(self) -> Json:
        """Wait for the next message: as a browser decrypts it, with the headers of its request."""
        return await self._json("GET", "/message")

    async def expire(self, endpoint: str, status: int = 410) -> None:
        """Answer for this subscription from now on that it has expired."""
        await self._json("POST", "/expire", json={"endpoint": endpoint, "status": status})

    async def _json(self, method: str, path: str, **options: Any) -> Json:
        async with httpx2.AsyncClient(base_url=self.address, timeout=60, verify=tls()) as client:
            response = await client.request(method, path, **options)
            assert response.status_code == 200, response.text
            found: Json = response.json()
            return found


@asynccontextmanager
async def push_service() -> AsyncIterator[PushService]:
    """Start a push service, and end it by its pid."""
    async with started([sys.executable, "-m", "tests.push_service.service"], announce="Listening") as process:
        yield PushService(process.address)
