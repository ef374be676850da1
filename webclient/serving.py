"""Runs the app on a socket: prints the ready line, and ends within seconds of a signal."""

from __future__ import annotations

import asyncio
import gc
import socket
import sys
from collections.abc import Sequence
from ipaddress import ip_address
from types import FrameType
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI
from sse_starlette.sse import AppStatus

from webclient.app import create_app
from webclient.config_file import ServerConfig
from webclient.errors import WebclientError
from webclient.i18n import gettext as _
from webclient.identity import Identity
from webclient.request_timeout import protocol_with_timeout
from webclient.services import let_go
from webclient.settings import Settings, is_loopback

GRACE = 2
"""Seconds that requests may take at the end, while connections end (`protocol/stdio_processes.py` says when)."""

BACKLOG = 128
"""Connections that may wait to be accepted."""


class ListenError(WebclientError):
    """The address cannot be listened on."""


class Server(uvicorn.Server):
    """Uvicorn, but it says when it is ready, ends event streams at the signal, and exits with 0."""

    def __init__(self, app: FastAPI, ready: str, *, patience: float, trusted_proxies: Sequence[str] = ()) -> None:
        # No access log: it would hold the token of /login. No WebSocket: nothing here speaks it.
        super().__init__(
            uvicorn.Config(
                app,
                http=protocol_with_timeout(patience),
                log_config=None,
                access_log=False,
                server_header=False,
                # Uvicorn trusts every local proxy by default; here only the named ones are trusted.
                proxy_headers=bool(trusted_proxies),
                forwarded_allow_ips=[*trusted_proxies],
                ws="none",
                lifespan="on",
                timeout_graceful_shutdown=GRACE,
            )
        )
        # The hub ends the streams, each after its last event; the library would cut them in the middle of one.
        AppStatus.enable_automatic_graceful_drain = False
        self._app = app
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then print the ready line on standard output."""
        await super().startup(sockets)
        if self.should_exit:
            # The app could not start, or a signal came before it had.
            return
        sys.stdout.write(f"{self._ready}\n")
        sys.stdout.flush()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams and connections meanwhile: no stream ends by itself, and some children take long."""
        await asyncio.gather(let_go(self._app.state.services), super().shutdown(sockets))

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """Stop in order at any number of signals; uvicorn's own handler re-raises the signal at the end."""
        self.should_exit = True


def listen(settings: Settings) -> socket.socket:
    """Return a listening socket on the host and port of the settings. Raises `ListenError`."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # Named as TCP, which `socket.create_server` does not do: asyncio switches Nagle's algorithm off on such sockets
    # only, and with it on every event would wait 40 ms for an acknowledgement.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((settings.host, settings.port))
        sock.listen(BACKLOG)
        return sock
    except OSError as error:
        sock.close()
        raise ListenError(
            _(
                "Cannot listen on {host} port {port}: {why}. Choose another with --port, or --port 0 for a free one."
            ).format(host=settings.host, port=settings.port, why=error.strerror or error)
        ) from error


def serve(settings: Settings, servers: Sequence[ServerConfig]) -> None:
    """Serve until a signal says to stop. Raises `ListenError`."""
    _allow_many_open_files()
    with listen(settings) as sock:
        settings = settings.model_copy(update={"port": sock.getsockname()[1]})
        app = create_app(settings, servers)
        # The modules stay until the end. Looking through them for garbage, as Python does now and then, takes 90 ms in
        # which nothing else happens.
        gc.freeze()
        identity: Identity = app.state.identity
        ready = f"Ready: {sign_in_url(settings, identity.sign_in.link_secret)}"
        Server(app, ready, patience=settings.request_seconds, trusted_proxies=settings.trusted_proxies).run([sock])


def sign_in_url(settings: Settings, token: str) -> str:
    """Return the sign-in link with `token`, under a host name that is accepted."""
    host = "127.0.0.1" if settings.host == "localhost" else settings.host
    if not is_loopback(host):
        host = "127.0.0.1" if _is_everywhere(host) else settings.allowed_hosts[0]
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{settings.port}/login?token={quote(token, safe='')}"


def _allow_many_open_files() -> None:
    """Lift the usual limit of 1,024: each server and each open page takes one or two of them."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415  (there is none on Windows)

    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _is_everywhere(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return not host
