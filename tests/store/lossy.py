"""A Unix socket in front of a PostgreSQL that loses the next COMMIT, or the reply to it, with the connection."""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from sqlalchemy import make_url

_SOCKET = ".s.PGSQL.5432"
_COMMIT = b"Q\0\0\0\x0bCOMMIT\0"


class LossyProxy:
    """A proxy that loses what `to_lose` names, then refuses connections (`is_down`) if it `goes_down`."""

    def __init__(self, url: str, folder: Path) -> None:
        address = make_url(url)
        self.url = address.set(query={**address.query, "host": str(folder)}).render_as_string(hide_password=False)
        self.to_lose: Literal["COMMIT", "reply"] | None = None
        self.goes_down = self.is_down = False
        self.has_refused = asyncio.Event()
        self._server_socket = Path(str(address.query["host"])) / _SOCKET

    async def forward(self, client: StreamReader, to_client: StreamWriter) -> None:
        """Forward one connection until it ends, or is to be lost."""
        if self.is_down:
            self.has_refused.set()
            to_client.close()
            return
        server, to_server = await asyncio.open_unix_connection(self._server_socket)
        replies = asyncio.create_task(_copy(server, to_client))
        while sent := await client.read(65536):
            lost, is_commit = self.to_lose, sent.endswith(_COMMIT)
            if is_commit and lost:
                self.to_lose = None
                replies.cancel()
                await asyncio.wait([replies])
                if lost == "reply":
                    to_server.write(sent)
                    await server.read(1)
                self.is_down = self.goes_down
                break
            to_server.write(sent)
        to_client.close()
        to_server.close()


async def _copy(source: StreamReader, target: StreamWriter) -> None:
    while sent := await source.read(65536):
        target.write(sent)
    target.close()


@asynccontextmanager
async def lossy(url: str, folder: Path) -> AsyncIterator[LossyProxy]:
    """Run a proxy in front of the database at `url`; its socket is in `folder`, whose path must be short."""
    proxy = LossyProxy(url, folder)
    server = await asyncio.start_unix_server(proxy.forward, folder / _SOCKET)
    yield proxy
    server.close()
