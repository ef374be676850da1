"""Published servers as processes: those that listen are started here, those over stdio by the program."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2

from tests.real.published import NOWHERE, Published
from webclient.domain.model import Era, Json

PATIENCE = 60.0
"""Seconds after which a server that should listen is taken not to start."""

PATHS = {"http": "/mcp", "sse": "/sse"}

NO_WAY_OUT = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), f"http://{NOWHERE}"),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), "localhost,127.0.0.1"),
}
"""Environment that keeps servers from the network, also on a machine that has one."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A server as it is reached in one way and in one era, and the entry of `mcp.json` for that."""

    server: Published
    transport: str
    era: Era
    entry: Json

    @property
    def label(self) -> str:
        """Name it so that no other has the same."""
        return f"{self.server.name} ({self.server.sdk}), {self.transport}, {self.era}"


def labels(servers: Sequence[Published]) -> list[str]:
    """Name every way to reach these servers."""
    return [
        Reached(server, transport, era, {}).label
        for server in servers
        for transport in [*(["stdio"] if server.command else []), *server.listening]
        for era in _eras(server, transport)
    ]


def _eras(server: Published, transport: str) -> tuple[Era, ...]:
    return server.eras.get(transport, tuple(server.dialogues))


@asynccontextmanager
async def started(servers: Sequence[Published], folder: Path) -> AsyncIterator[list[Reached]]:
    """Give every way to reach these servers; those that listen do so while the block runs."""
    async with _stub() as stub:
        processes: list[subprocess.Popen[bytes]] = []
        try:
            ways = [
                way
                for number, server in enumerate(servers)
                for way in _ways(server, folder / str(number), stub, processes)
            ]
            yield await asyncio.gather(*(_ready(way) for way in ways))
        finally:
            for process in processes:
                process.send_signal(signal.SIGKILL)
                process.wait()


def _ways(server: Published, folder: Path, stub: str, processes: list[subprocess.Popen[bytes]]) -> list[Reached]:
    folder.mkdir()
    for name, text in server.files.items():
        (folder / name).write_text(text, "utf-8")
    fill = {"{folder}": str(folder), "{stub}": stub, "{upstream port}": str(_free_port())}
    ways: list[tuple[str, Json]] = []
    if server.command:
        command, *rest = _filled(server.command, fill)
        entry: Json = {"command": command, "args": rest, "env": _environment(server, fill), "cwd": str(folder)}
        ways.append(("stdio", entry))
    for transport, line in server.listening.items():
        filled = fill | {"{port}": str(_free_port()), "{second port}": str(_free_port())}
        with (folder / f"{transport}.log").open("wb") as log:
            environment = {**os.environ, **_environment(server, filled)}
            processes.append(
                subprocess.Popen(
                    _filled(line, filled), env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
                )
            )
        # Some of them listen at `localhost` or `::1` only, some know themselves by that name alone.
        address = f"http://localhost:{filled['{port}']}{PATHS[transport]}"
        ways.append((transport, {"type": transport, "url": address, "oauth": filled["{second port}"]}))
    return [Reached(server, transport, era, entry) for transport, entry in ways for era in _eras(server, transport)]


def _environment(server: Published, fill: dict[str, str]) -> dict[str, str]:
    filled = zip(server.environment, _filled(tuple(server.environment.values()), fill), strict=True)
    return NO_WAY_OUT | {name: value for name, value in filled if not value.endswith("port}")}


def _filled(texts: Sequence[str], fill: dict[str, str]) -> list[str]:
    filled = list(texts)
    for place, value in fill.items():
        filled = [text.replace(place, value) for text in filled]
    return filled


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


async def _ready(way: Reached) -> Reached:
    entry = dict(way.entry)
    oauth = entry.pop("oauth", "")
    if "url" in entry:
        await _listens(entry["url"])
    if way.server.signs_in:
        entry["headers"] = {"Authorization": f"Bearer {await _token(f'http://localhost:{oauth}', entry['url'])}"}
    return Reached(way.server, way.transport, way.era, {**entry, "label": way.label, "era": str(way.era)})


async def _listens(address: str) -> None:
    parts = urlsplit(address)
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(OSError):
                _reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
                writer.close()
                return
            await asyncio.sleep(0.1)


async def _token(authority: str, resource: str) -> str:
    """Sign in as the example's own client does, with OAuth's authorization code and PKCE (RFC 7636)."""
    await _listens(authority)
    there, verifier = "http://localhost/there", "v" * 43
    challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    async with httpx2.AsyncClient(base_url=authority) as http:
        client = (await http.post("/register", json={"redirect_uris": [there], "client_name": "tests"})).json()
        ours = {"client_id": client["client_id"], "redirect_uri": there, "resource": resource}
        pkce = {"response_type": "code", "code_challenge": challenge, "code_challenge_method": "S256"}
        back = (await http.get("/authorize", params=ours | pkce)).headers["location"]
        secret = {"client_secret": client["client_secret"]} if "client_secret" in client else {}
        code = {"code": parse_qs(urlsplit(back).query)["code"][0], "code_verifier": verifier}
        given = await http.post("/token", data=ours | secret | code | {"grant_type": "authorization_code"})
    return str(given.json()["access_token"])


@asynccontextmanager
async def _stub() -> AsyncIterator[str]:
    """Listen in place of Context7's service: it finds nothing, and wants the person to be asked to sign in."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = b'{"results": []}'
        head = ["HTTP/1.1 200 OK", "Content-Type: application/json", "X-Context7-Auth-Prompt: 1", "Connection: close"]
        writer.write("\r\n".join([*head, f"Content-Length: {len(body)}", "", ""]).encode() + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as listening:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
