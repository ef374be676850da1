"""Several real processes of the program that share one PostgreSQL, as an operator starts them."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.loopback import tls
from tests.mcp_servers import started
from tests.program import PATIENCE, Api
from tests.store.rows import SECRET_KEYS
from webclient.domain.model import Json

USER = "x-user"
"""The header in which the proxy in front, here the test, names the user."""


PROXY = (
    *("--public-url", "http://127.0.0.1"),
    *("--identity", "proxy", "--auth-header", USER, "--trusted-proxy", "127.0.0.1"),
)
"""How users are known, unless a test says otherwise."""


def sent_by(user: str) -> dict[str, str]:
    """Return what the proxy and the browser of a user put on each request."""
    return {USER: user, "Sec-Fetch-Site": "same-origin"}


@dataclass
class Node:
    """One process; `reserved` keeps its port while the process does not run."""

    cluster: Cluster
    name: str
    reserved: socket.socket
    pid: int = 0
    running: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def url(self) -> str:
        """Where it is reached, by browsers here as well as by other nodes."""
        return f"http://127.0.0.1:{self.reserved.getsockname()[1]}"

    @property
    def errors(self) -> Path:
        """What it has written to standard error."""
        return self.cluster.folder / f"{self.name}.errors"

    def api(self, user: str) -> Api:
        """Return a client of its API, as the proxy sends the requests of a user."""
        return Api(base_url=f"{self.url}/api/v1", headers=sent_by(user), timeout=PATIENCE, verify=tls())

    async def start(self) -> None:
        """Start the process, and wait until it is ready."""
        folder = self.cluster.folder / self.name
        folder.mkdir(exist_ok=True)
        line = [sys.executable, "-m", "webclient", "serve", "--data-dir", str(folder), *self.cluster.options(self)]
        errors = self.running.enter_context(self.errors.open("a", encoding="utf-8"))
        process = await self.running.enter_async_context(
            started(line, announce="Ready", cwd=Path.cwd(), stderr=errors, forked=True)
        )
        self.pid = process.pid

    def send(self, number: int) -> None:
        """Send a signal to the process."""
        os.kill(self.pid, number)

    async def end(self, number: int = signal.SIGKILL) -> None:
        """End the process, and wait until it has ended."""
        if self.pid:
            self.send(number)
        await self.running.aclose()
        self.running = AsyncExitStack()
        self.pid = 0


@dataclass
class Cluster:
    """The nodes, the database that they share, and the servers of each user; `more` options may name the `{node}`."""

    folder: Path
    database_url: str
    servers: Json
    more: Sequence[str] = ()
    identity: Sequence[str] = PROXY
    own: dict[str, list[str]] = field(default_factory=dict)
    """Further options of single nodes, by their name."""
    nodes: list[Node] = field(default_factory=list)

    def options(self, node: Node, address: str | None = None) -> list[str]:
        """Return how a node is started, at its own address or at another one."""
        config = self.folder / "mcp.json"
        config.write_text(json.dumps({"mcpServers": self.servers}), "utf-8")
        return [
            *("--port", node.url.rpartition(":")[2], "--node-url", address or node.url, "--config", str(config)),
            *("--database-url", self.database_url, *self.identity),
            *(each.replace("{node}", node.name) for each in (*self.more, *self.own.get(node.name, ()))),
        ]

    async def add(self) -> Node:
        """Start one more node."""
        reserved = socket.socket()
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
        node = Node(self, f"node-{len(self.nodes)}", reserved)
        self.nodes.append(node)
        await node.start()
        return node


@asynccontextmanager
async def cluster(
    folder: Path,
    database_url: str,
    count: int,
    servers: Json | None = None,
    *more: str,
    identity: Sequence[str] = PROXY,
) -> AsyncIterator[Cluster]:
    """Start so many nodes, and end them all."""
    os.environ["WEBCLIENT_SECRET_KEYS"] = SECRET_KEYS
    shared = Cluster(folder, database_url, servers or {}, more, identity)
    try:
        for _node in range(count):
            await shared.add()
        yield shared
    finally:
        del os.environ["WEBCLIENT_SECRET_KEYS"]
        for node in shared.nodes:
            # Also one whose start was interrupted.
            await node.end(signal.SIGTERM)
            node.reserved.close()
