"""Users behind a proxy, one of whom has a row of every kind, and the walk of all others through all routes."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import httpx2
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.routing import Mount

from tests import databases
from tests.calls.requests import CALL
from tests.house import settings
from tests.mcp_servers import ROOT as PROJECT
from tests.store.rows import a_request
from tests.walkers import BOB, EMBEDDER, NOBODY, ROOT, SECRETS, Walker, embedders_file, frames, programs
from webclient.auth import Scope, new_token
from webclient.domain.model import CallState, Json, NoticeTarget, PendingSignIn, RequestState, Server, TargetKind, now
from webclient.runtime.app import create_app
from webclient.services import Services
from webclient.store import Store
from webclient.web.http.security.auth import OPEN, OPEN_BELOW

PROXY = ("10.1.2.3", 50000)
MARK = "of-ada-alone"
"""A word that is in every text of Ada's."""

DOCUMENT = PROJECT / "docs" / "routes.md"
STREAMS = ("/stream", "/api/v1/events")
SAMPLING: Json = {"messages": [{"role": "user", "content": {"type": "text", "text": MARK}}], "maxTokens": 10}


@dataclass(frozen=True, slots=True)
class Route:
    """A method and a path as the app's table of routes has it."""

    method: str
    path: str

    @property
    def is_open(self) -> bool:
        """Whether it needs no sign-in."""
        return self.path in OPEN or self.path.startswith(OPEN_BELOW)

    @property
    def is_for_admins(self) -> bool:
        """Whether it is for administrators: a page of theirs, or of the API the users and the audit trail."""
        return self.path.startswith(("/admin", "/api/v1/users", "/api/v1/audit"))

    @property
    def names_a_row(self) -> bool:
        """Whether a part of the path is the id of a row."""
        return "_id}" in self.path

    def of(self, ids: dict[str, str]) -> str:
        """Return the path with these ids in it."""
        path = self.path.replace("/panel/{name}", f"/panel/{EMBEDDER}")
        return re.sub(r"{([^}:]*)[^}]*}", lambda found: ids.get(found[1], "1"), path)


@dataclass(frozen=True, slots=True)
class TwoUsers:
    """The running app, and the ids of Ada's rows by the name that paths have for them."""

    app: FastAPI
    ada: str
    ids: dict[str, str]
    walkers: Sequence[Walker] = ()

    @property
    def services(self) -> Services:
        """The services of the app."""
        services: Services = self.app.state.services
        return services

    def client(self, user: str | None, **headers: str) -> httpx2.AsyncClient:
        """Return a client as whom the proxy names the user."""
        return self.client_of({**({"Remote-User": user} if user else {}), **headers})

    def client_of(self, headers: Mapping[str, str]) -> httpx2.AsyncClient:
        """Return a client that sends these headers."""
        headers = {"Sec-Fetch-Site": "same-origin", "Accept": "text/html", **headers}
        transport = httpx2.ASGITransport(self.app, client=PROXY)
        return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765", headers=headers)

    async def answers(self, walker: Walker, wanted: Sequence[Route]) -> dict[Route, httpx2.Response]:
        """Return what a walker gets for each of these routes with Ada's ids."""
        async with self.client_of(walker.headers) as client:
            return {route: await self._answer(client, route) for route in wanted}

    async def answer(self, walker: Walker, route: Route) -> httpx2.Response:
        """Return what a walker gets for a route with Ada's ids."""
        return (await self.answers(walker, [route]))[route]

    async def _answer(self, client: httpx2.AsyncClient, route: Route) -> httpx2.Response:
        named = {"server_id": self.ids["server_id"], "kind": "tool", "name": "t"}
        is_json = route.path.startswith(("/api/", "/mcp"))
        body: Any = (
            {"json": named} if is_json else {"data": {"ids": self.ids["request_id"], "id": self.ids["request_id"]}}
        )
        body = body if route.method not in ("GET", "HEAD") else {}
        query = {"server_id": self.ids["server_id"], "server": self.ids["server_id"], "call_id": self.ids["call_id"]}
        return await client.request(route.method, route.of(self.ids), params=query, **body)

    async def stream_status(self, walker: Walker, path: str) -> int:
        """Return the status of a stream, which is closed then."""
        async with self.stream(walker, path) as sent:
            return int(await sent.get())

    @asynccontextmanager
    async def stream(self, walker: Walker, address: str) -> AsyncIterator[asyncio.Queue[bytes]]:
        """Open a stream, and give its status and what it sends as it comes; an empty piece is its end."""
        sent: asyncio.Queue[bytes] = asyncio.Queue()
        path, _, query = address.partition("?")
        headers = {"host": "127.0.0.1:8765", "sec-fetch-site": "same-origin", **walker.headers}
        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
            "client": PROXY,
            "server": ("127.0.0.1", 8765),
            "scheme": "http",
            "http_version": "1.1",
            "asgi": {"version": "3.0"},
        }
        started, gone = asyncio.Event(), asyncio.Event()

        async def receive() -> Json:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            started.set()
            is_body = message["type"] == "http.response.body"
            sent.put_nowait(message.get("body", b"") if is_body else str(message["status"]).encode())

        task = asyncio.create_task(self.app(scope, receive, send))
        try:
            await started.wait()
            yield sent
        finally:
            gone.set()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def routes(app: FastAPI) -> Iterator[Route]:
    """Give every method of every route."""
    for context in iter_route_contexts(app.routes):
        path = (context.path or "") + ("/x" if isinstance(context.route, Mount) else "")
        for method in sorted(set(context.methods or {"GET"}) - {"HEAD"}):
            yield Route(method, path)


@asynccontextmanager
async def two_users(folder: Path, **values: Any) -> AsyncIterator[TwoUsers]:
    """Run the app with a row of every kind that is Ada's."""
    # With the routes of OpenID as well, whose provider is never asked.
    openid = {"oidc_issuer": "https://id.example.com", "oidc_client_id": "inbox"}
    proxy = {
        "identity": ["proxy", "oidc"],
        **openid,
        "auth_header": "Remote-User",
        "trusted_proxies": ["10.1.2.3"],
        "admins": ["root"],
    }
    databases.prepare(folder)
    with patch.dict(os.environ, SECRETS):
        app = create_app(settings(folder, **proxy | {"embedders": embedders_file(folder)} | values))
    async with app.router.lifespan_context(app):
        users = TwoUsers(app, "", {})
        ada, bob, root = [await _user_id(users, name) for name in ("ada", "bob", "root")]
        async with users.client(None) as client:
            others = [NOBODY, BOB, ROOT, *await programs(users.services, bob, root), *await frames(client)]
        yield replace(users, ada=ada, ids=await _rows(users.services.store, ada), walkers=others)


async def _user_id(users: TwoUsers, name: str) -> str:
    async with users.client(name) as client:
        return str((await client.get("/api/v1/me")).json()["user_id"])


async def _rows(store: Store, ada: str) -> dict[str, str]:
    """Store a server of Ada's and what hangs on it; return the ids."""
    hers = store.of(ada)
    server = Server(user_id=ada, label=MARK, transport={"type": "http", "url": f"http://127.0.0.1:9/{MARK}"})
    await hers.servers.add(server)
    call = replace(CALL, user_id=ada, server_id=server.id, name=MARK, state=CallState.RUNNING, arguments={"a": MARK})
    await hers.calls.add(call)
    of_call = {"user_id": ada, "server_id": server.id, "call_id": call.id}
    request = a_request(**of_call, params={"message": MARK, "requestedSchema": {"type": "object", "properties": {}}})
    await hers.requests.add(request)
    await hers.drafts.save(request.id, {"name": MARK})
    await hers.requests.add(a_request(**of_call, kind="sampling", params=SAMPLING))
    settled = {"state": RequestState.ACCEPTED, "settled_at": now(), "content": {"name": MARK}}
    await hers.requests.add(a_request(**of_call, **settled))
    sign_in = PendingSignIn(
        user_id=ada,
        server_id=server.id,
        issuer=f"https://{MARK}.example",
        authorization_url=f"https://{MARK}.example/authorize",
        state_hash="s",
        expires_at=now() + timedelta(hours=1),
    )
    await hers.sign_ins.put(sign_in)
    token, secret = new_token(ada, MARK, [Scope.READ])
    await hers.tokens.add(token, secret)
    target = NoticeTarget(user_id=ada, kind=TargetKind.WEBHOOK, label=MARK, secrets={"url": f"https://{MARK}.example"})
    await hers.notices.add_target(target, 1)
    await store.browser_sessions.create(ada, "oidc")
    [session] = await store.open_sessions.of(ada)
    ids = {"server_id": server.id, "call_id": call.id, "request_id": request.id, "sign_in_id": sign_in.id}
    return ids | {"token_id": token.id, "target_id": target.id, "session_id": session.id}


def closed(users: TwoUsers) -> list[Route]:
    """Return the routes that need a sign-in and end by themselves."""
    return [route for route in routes(users.app) if not route.is_open and route.path not in STREAMS]


REFUSED = (401, 403, 404)
"""Statuses that the table shows; by any other one a walker has come to the rows of its own user."""


async def table(users: TwoUsers) -> str:
    """Return who gets what from which route, as a table."""
    walked = [await _statuses(users, walker) for walker in users.walkers]
    names = " | ".join(walker.name for walker in users.walkers)
    lines = [f"| route | {names} |", "| --- " * (len(users.walkers) + 1) + "|"]
    for route in sorted(routes(users.app), key=lambda route: (route.path, route.method)):
        cells = ["open" if route.is_open else _cell(route, statuses[route]) for statuses in walked]
        lines.append(" | ".join([f"| `{route.method} {route.path}`", *cells]) + " |")
    return "\n".join(lines)


async def _statuses(users: TwoUsers, walker: Walker) -> dict[Route, int]:
    statuses = {route: answer.status_code for route, answer in (await users.answers(walker, closed(users))).items()}
    streams = [route for route in routes(users.app) if route.path in STREAMS]
    return statuses | {route: await users.stream_status(walker, route.path) for route in streams}


def _cell(route: Route, status: int) -> str:
    return str(status) if route.names_a_row or status in REFUSED else "own"


BEGIN, END = "<!-- made by python -m tests.two_users -->\n\n", "\n\n<!-- end -->"


def written(text: str) -> str:
    """Return the table in the document."""
    return text.partition(BEGIN)[2].partition(END)[0]


async def _write() -> None:
    with TemporaryDirectory() as folder:
        async with two_users(Path(folder)) as users:
            text = DOCUMENT.read_text("utf-8")
            DOCUMENT.write_text(text.replace(BEGIN + written(text) + END, BEGIN + await table(users) + END), "utf-8")


if __name__ == "__main__":
    asyncio.run(_write())
