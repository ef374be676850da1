"""Runs the app on a socket: prints the ready line, and ends within seconds of a signal."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable, Sequence
from functools import partial
from ipaddress import ip_address
from types import FrameType
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from webclient.auth import Identity, SignIn
from webclient.domain.errors import WebclientError
from webclient.domain.model import COMMAND_LINE, acting
from webclient.runtime import greeting
from webclient.runtime.app import create_app
from webclient.runtime.demo_program import DemoProgram
from webclient.runtime.hangup import Hangups
from webclient.runtime.listening import listening
from webclient.runtime.request_timeout import protocol_with_timeout
from webclient.servers.config_file import ServerConfig
from webclient.servers.configuration import Configuration
from webclient.services import let_go
from webclient.settings import Settings, is_loopback
from webclient.support.background import CancellableTask, start
from webclient.support.garbage import collect_when_idle, loading
from webclient.support.library_parts import expect

GRACE = 2
"""Seconds that requests may take at the end, while connections end (see `protocol/transports/stdio_processes.py`)."""

KEEP_ALIVE = 120
"""Seconds that an idle connection is kept: longer than clients keep theirs (Go 90, most others less).

Otherwise a request can meet the moment in which its connection closes, and a POST that fails so is not sent again.
"""

WRITTEN_FOR = {"uvicorn": "0.54"}
"""The version of uvicorn whose inner parts are used here and in the files below."""

RELIED_ON = (
    "runtime/request_timeout.py: H11Protocol has `conn`, `transport` and `loop`; does uvicorn time out by itself?",
    "runtime/serving.py: `startup` exits if the app cannot start, and returns early after `should_exit`",
    "runtime/serving.py: `handle_exit` is all that a signal does; sse-starlette replaces that of uvicorn.Server",
    "web/http/security/proxies.py: ProxyHeadersMiddleware sets `client` and `scheme` from the last trusted hop",
)
"""Behaviour that uvicorn does not promise, by the file that relies on it."""

expect(H11Protocol.__init__, "self config server_state app_state _loop", "conn", "transport", "loop")
expect(H11Protocol.connection_made, "self transport", "transport")
expect(H11Protocol.data_received, "self data", "conn")
expect(H11Protocol.connection_lost, "self exc")
expect(uvicorn.Server.startup, "self sockets", "should_exit", "exit")
expect(uvicorn.Server.shutdown, "self sockets")


class HttpServer(uvicorn.Server):
    """Uvicorn, but it says when it is ready, ends event streams at the signal, and exits with 0."""

    def __init__(
        self, app: FastAPI, ready: Callable[[], None], *, patience: float, hangups: Hangups | None = None
    ) -> None:
        # No access log: it would hold the token of /login. No WebSocket: nothing here speaks it.
        super().__init__(
            uvicorn.Config(
                app,
                http=protocol_with_timeout(patience),
                # uvloop where it is installed, asyncio's own elsewhere.
                loop="auto",
                log_config=None,
                access_log=False,
                server_header=False,
                # Uvicorn trusts every local proxy by default; `web/http/security/proxies.py` trusts the named ones.
                proxy_headers=False,
                ws="none",
                lifespan="on",
                timeout_keep_alive=KEEP_ALIVE,
                timeout_graceful_shutdown=GRACE,
            )
        )
        self._app = app
        self._ready = ready
        self._hangups = hangups
        self._collector: CancellableTask | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say that it is ready. Raises the error for which the app could not start."""
        try:
            await super().startup(sockets)
        except SystemExit:
            # Such as a database that went away after it was prepared: the exit status depends on the error.
            raise self._app.state.start_error or SystemExit(1) from None
        if self.should_exit:
            # The app could not start, or a signal came before it had.
            return
        self._collector = CancellableTask(collect_when_idle(), name="garbage")
        self._ready()
        if self._hangups:
            loop = asyncio.get_running_loop()
            self._hangups.then(reload=lambda: loop.call_soon_threadsafe(self._begin_reload), stop=self._end)

    def _begin_reload(self) -> None:
        start(self._reload(), name="reload")

    async def _reload(self) -> None:
        configuration: Configuration = self._app.state.configuration
        with acting(COMMAND_LINE if configuration.has_audit else None):
            try:
                await configuration.reload()
            except WebclientError:
                # The log says why.
                return

    def _end(self) -> None:
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams and connections meanwhile: no stream ends by itself, and some children take long."""
        if self._collector:
            self._collector.stop()
        demo: DemoProgram | None = self._app.state.demo_program
        ending = [demo.close()] if demo else []
        await asyncio.gather(let_go(self._app.state.services), super().shutdown(sockets), *ending)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """Stop in order at any number of signals; uvicorn's own handler re-raises the signal at the end."""
        self.should_exit = True


def serve(
    settings: Settings,
    servers: Sequence[ServerConfig],
    *,
    beside: Sequence[ServerConfig] = (),
    guided: bool = False,
    hangups: Hangups | None = None,
) -> None:
    """Serve until a signal says to stop; a `guided` program begins with the demo's guide.

    The `servers` are of the config file, and follow it at a reload, for which `hangups` ask; those `beside` it stay.

    Raises `ListenError`, and the error for which the app could not start.
    """
    _allow_many_open_files()
    # Only this line says which free port was taken.
    is_port_chosen = settings.port != 0
    with listening(settings) as sock:
        if settings.unix_socket is None:
            settings = settings.model_copy(update={"port": sock.getsockname()[1]})
        with loading():
            app = create_app(settings, servers, beside=beside, guided=guided)
        if settings.runs_demo and not guided:
            app.state.demo_program = DemoProgram(settings.data_dir)
        identity: Identity = app.state.identity
        ready = partial(_say_ready, settings, identity.sign_in, guided=guided, is_port_chosen=is_port_chosen)
        HttpServer(app, ready, patience=settings.request_seconds, hangups=hangups).run([sock])


def _say_ready(settings: Settings, sign_in: SignIn, *, guided: bool, is_port_chosen: bool) -> None:
    opens = greeting.will_open(None if guided and settings.open_browser is None else bool(settings.open_browser))
    greeting.say_before(guided=guided)
    # A log is kept, copied and read by many.
    secret = sign_in.link_secret if settings.ready_link or sys.stdout.isatty() else None
    signs_in_here = sign_in.takes_token or "oidc" in settings.identity
    address = address_of(settings, secret)
    if not sign_in.takes_token and settings.public_url and is_port_chosen:
        # From here no browser gets past the proxy, the application or the provider, which know the public address.
        address = f"{settings.public_url}/"
    sys.stdout.write(f"Ready: {address}\n")
    sys.stdout.flush()
    greeting.say_after(guided=guided, opens=opens, elsewhere=not (signs_in_here or settings.public_url))
    if opens:
        greeting.open_browser(address_of(settings, sign_in.one_time_secret()))


def address_of(settings: Settings, secret: str | None) -> str:
    """Return the sign-in link with the secret; the first page without one."""
    page = f"/login?token={quote(secret, safe='')}" if secret else "/"
    if settings.unix_socket:
        # No browser connects to that itself.
        return f"{settings.public_url}{page}"
    host = "127.0.0.1" if settings.host == "localhost" else settings.host
    if not is_loopback(host):
        host = "127.0.0.1" if _is_everywhere(host) else settings.allowed_hosts[0]
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{settings.port}{settings.base_path}{page}"


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
