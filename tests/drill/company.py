"""The parts of a company's set-up, each of which can be stopped and started: real ones, in processes of their own."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe

from tests.deploy.front import Front, free_port, nginx
from tests.mcp_servers import ROOT
from tests.oidc_provider import openid_provider
from tests.postgresql import PostgreSQL
from tests.process import environment
from webclient.runtime import exit_status

PAUSE = 0.1
"""Seconds until the supervisor starts a program again that has ended: RestartSec of systemd."""

LONGEST = 60.0
"""Seconds after which a program that does not say that it is ready is taken not to come up."""

DATABASE = "webclient"
CLIENT_ID = "inbox"


class ProgramEndedError(Exception):
    """The program has ended with a status after which no supervisor starts it again."""


class Part:
    """A process that is started and stopped as a whole, at the same address each time."""

    def __init__(self, make: Callable[[], AbstractAsyncContextManager[object]]) -> None:
        self._make = make
        self._running: AbstractAsyncContextManager[object] | None = None

    async def start(self) -> None:
        """Start it, and wait until it listens."""
        self._running = self._make()
        await self._running.__aenter__()

    async def stop(self) -> None:
        """Stop it, if it runs."""
        if self._running is not None:
            await self._running.__aexit__(None, None, None)
            self._running = None


class Service:
    """The program under a supervisor that does what the unit in deploy/ has systemd do."""

    def __init__(self, arguments: list[str], variables: dict[str, str], log: Path) -> None:
        self.source = ROOT
        """The work tree whose program is started."""

        self.starts = 0
        self._arguments = arguments
        self._variables = variables
        self._log = log
        self._process: asyncio.subprocess.Process | None = None
        self._supervisor: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()

    async def start(self, *, wait: bool = True) -> None:
        """Start it, and wait until it is ready."""
        self._ready.clear()
        self._supervisor = asyncio.create_task(self._supervise())
        if wait:
            await self.until_ready()

    async def until_ready(self) -> None:
        """Wait until it has printed its ready line. Raises ProgramEndedError."""
        assert self._supervisor is not None
        ready = asyncio.create_task(self._ready.wait())
        async with asyncio.timeout(LONGEST):
            await asyncio.wait([ready, self._supervisor], return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            ready.cancel()
            raise ProgramEndedError(self._log.read_text("utf-8")[-2000:])

    async def stop(self) -> None:
        """Stop it in order, as `systemctl stop` does."""
        supervisor, self._supervisor = self._supervisor, None
        if supervisor is not None:
            if self._process is not None and self._process.returncode is None:
                self._process.terminate()
                await self._process.wait()
            supervisor.cancel()
            await asyncio.wait([supervisor])

    async def kill(self) -> None:
        """Kill it; the supervisor starts it again."""
        assert self._process is not None
        self._ready.clear()
        self._process.kill()
        await self.until_ready()

    def command(self, *arguments: str) -> list[str]:
        """Return a command line of the program; it works in `source`."""
        return [sys.executable, "-m", "webclient", *arguments]

    async def _supervise(self) -> None:
        while True:
            self.starts += 1
            with self._log.open("a", encoding="utf-8") as log:
                self._process = await asyncio.create_subprocess_exec(
                    *self.command("serve", *self._arguments),
                    cwd=self.source,
                    env=environment(**self._variables),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=log,
                )
            assert self._process.stdout is not None
            async for line in self._process.stdout:
                if line.startswith(b"Ready"):
                    self._ready.set()
            # Restart=on-failure and RestartPreventExitStatus=2 of deploy/mcp-webclient.service.
            if await self._process.wait() in (0, exit_status.USAGE):
                return
            await asyncio.sleep(PAUSE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """A running set-up: where people and programs reach it, and its parts."""

    folder: Path
    """Has `data`, `backup` and `etc` in place of the folders that docs/deploy.md names."""

    url: str
    issuer: str
    tls: ssl.SSLContext
    postgresql: PostgreSQL
    provider: Part
    proxy: Part
    service: Service
    variables: dict[str, str] = field(repr=False)

    async def token(self, label: str) -> str:
        """Make the token of a program that may ask everyone, by the command line."""
        scopes = ["--scope", "ask", "--may-ask", "everyone"]
        process = await asyncio.create_subprocess_exec(
            *self.service.command("tokens", "create", label, *scopes, "--data-dir", str(self.folder / "data")),
            cwd=self.service.source,
            env=environment(**self.variables),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        output, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()
        return output.decode().strip()

    def empty_database(self) -> None:
        """Drop the database, and create one without tables: what a new machine has."""
        self.postgresql.run("DROP DATABASE {} WITH (FORCE)", DATABASE)
        self.postgresql.run("CREATE DATABASE {} TEMPLATE template0", DATABASE)


@asynccontextmanager
async def company(folder: Path, source: Path) -> AsyncIterator[Company]:
    """Run all parts, with the program of the work tree `source`."""
    port, proxy_port, provider_port = free_port(), free_port(), free_port()
    url, issuer = f"https://localhost:{proxy_port}/inbox", f"http://127.0.0.1:{provider_port}"
    secret = token_urlsafe(32)
    client = {
        "client_id": CLIENT_ID,
        "client_secret": secret,
        "redirect_uris": [f"{url}/auth/callback"],
        "token_endpoint_auth_method": "client_secret_basic",
    }
    postgresql = PostgreSQL(durable=True)
    postgresql.run("CREATE DATABASE {} TEMPLATE template0", DATABASE)
    for name in ("data", "backup", "etc", "proxy"):
        (folder / name).mkdir(mode=0o700)
    variables = {
        "WEBCLIENT_DATABASE_URL": postgresql.url(DATABASE),
        "WEBCLIENT_TOKEN": token_urlsafe(32),
        "WEBCLIENT_PUBLIC_URL": url,
        "WEBCLIENT_TRUSTED_PROXIES": "127.0.0.1",
        "WEBCLIENT_IDENTITY": "oidc",
        "WEBCLIENT_OIDC_ISSUER": issuer,
        "WEBCLIENT_OIDC_CLIENT_ID": CLIENT_ID,
        "WEBCLIENT_OIDC_CLIENT_SECRET": secret,
        "WEBCLIENT_OIDC_SCOPES": "openid,profile,email,groups",
        "WEBCLIENT_LOG_FORMAT": "json",
    }
    lines = [f"{name}={value}\n" for name, value in variables.items()]
    (folder / "etc" / "environment").write_text("".join(lines), "utf-8")
    arguments = ["--port", str(port), "--data-dir", str(folder / "data")]
    service = Service(arguments, variables, folder / "log")
    service.source = source
    front: list[Front] = []

    @asynccontextmanager
    async def provided() -> AsyncIterator[None]:
        # It warns at each start of what only tests may do.
        with (folder / "provider").open("a", encoding="utf-8") as log:
            async with openid_provider(provider_port, [client], stderr=log):
                yield

    @asynccontextmanager
    async def proxied() -> AsyncIterator[None]:
        async with nginx(folder / "proxy", proxy_port, f"127.0.0.1:{port}") as running:
            front[:] = [running]
            yield

    provider, proxy = Part(provided), Part(proxied)
    try:
        await provider.start()
        await proxy.start()
        await service.start()
        yield Company(
            folder=folder,
            url=url,
            issuer=issuer,
            tls=front[0].tls,
            postgresql=postgresql,
            provider=provider,
            proxy=proxy,
            service=service,
            variables=variables,
        )
    finally:
        for part in (service, proxy, provider):
            await part.stop()
        postgresql.close()


@asynccontextmanager
async def older_source(folder: Path, commit: str) -> AsyncIterator[Path]:
    """Check an older commit out beside this work tree, and remove it at the end. Raises AssertionError without it."""
    git = shutil.which("git")
    assert git, "git is missing"
    place = folder / "older"
    added = await asyncio.create_subprocess_exec(
        git, "-C", str(ROOT), "worktree", "add", "--detach", "--quiet", str(place), commit
    )
    assert await added.wait() == 0, f"The commit {commit} is not in this repository."
    try:
        yield place
    finally:
        removed = await asyncio.create_subprocess_exec(
            git, "-C", str(ROOT), "worktree", "remove", "--force", str(place)
        )
        await removed.wait()
