"""A real authorization server and a protected MCP server, each in a process of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import IO

from tests.conformance.suites import NODE
from tests.mcp_servers import ROOT, started
from webclient.domain.model import Json

PACKAGES = ROOT / "build/npm/node_modules"
PROVIDER = ROOT / "tests/oidc_provider/provider.mjs"


@dataclass(frozen=True, slots=True)
class SignInServers:
    """The `issuer`, and the `address` of the MCP server, which has others beside it."""

    issuer: str
    address: str

    def at(self, path: str) -> str:
        """Return another address of the MCP server."""
        return self.address.removesuffix("/mcp") + path


@asynccontextmanager
async def sign_in_servers() -> AsyncIterator[SignInServers]:
    """Start both servers, and end them by their pids."""
    async with openid_provider() as issuer:
        line = [sys.executable, "-m", "tests.oidc_provider.protected", issuer]
        async with started(line, announce="Listening") as server:
            yield SignInServers(issuer, server.address)


@asynccontextmanager
async def openid_provider(
    port: int = 0, clients: Sequence[Json] = (), *, stderr: IO[str] | None = None
) -> AsyncIterator[str]:
    """Start the provider alone, with these `clients` registered, and give its issuer."""
    # Before the conformance suite is installed, the system's own, which may be too old for what it warns of.
    line = [str(NODE if NODE.exists() else "node"), str(PROVIDER), str(PACKAGES), str(port), json.dumps(clients)]
    async with started(line, announce="Listening", stderr=stderr) as provider:
        yield provider.address
