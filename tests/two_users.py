"""Two users behind a company's proxy, one of whom has a row of every kind, and the walk through all routes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.routing import Mount

from tests.calls.requests import CALL
from tests.house import settings
from tests.mcp_servers import ROOT
from tests.store.rows import a_request
from webclient.app import create_app
from webclient.http.security.auth import OPEN, OPEN_BELOW
from webclient.identity import Scope
from webclient.model import CallState, Json, PendingSignIn, RequestState, Server, now
from webclient.route_scopes import ROUTE_SCOPES
from webclient.services import Services
from webclient.store import Store

PROXY = ("10.1.2.3", 50000)
MARK = "of-ada-alone"
"""A word that is in every text of Ada's."""

DOCUMENT = ROOT / "docs" / "security.md"
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
        """Whether it is one of the pages of administrators."""
        return self.path.startswith("/admin")

    @property
    def names_a_row(self) -> bool:
        """Whether a part of the path is the id of a row."""
        return "_id}" in self.path

    def of(self, ids: dict[str, str]) -> str:
        """Return the path with these ids in it."""
        return re.sub(r"{([^}:]*)[^}]*}", lambda found: ids.get(found[1], "1"), self.path)


@dataclass(frozen=True, slots=True)
class TwoUsers:
    """The running app, and the ids of Ada's rows by the name that paths have for them."""

    app: FastAPI
    ada: str
    ids: dict[str, str]

    @property
    def services(self) -> Services:
        """The services of the app."""
        services: Services = self.app.state.services
        return services

    def client(self, user: str | None, **headers: str) -> httpx2.AsyncClient:
        """Return a client as whom the proxy names the user."""
        named = {"Remote-User": user} if user else {}
        headers = {"Sec-Fetch-Site": "same-origin", "Accept": "text/html", **named, **headers}
        transport = httpx2.ASGITransport(self.app, client=PROXY)
        return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765", headers=headers)

    async def status(self, user: str | None, route: Route) -> int:
        """Return the status that a user gets for a route with Ada's ids."""
        return (await self.answer(user, route)).status_code

    async def answer(self, user: str | None, route: Route) -> httpx2.Response:
        """Return what a user gets for a route with Ada's ids."""
        named = {"server_id": self.ids["server_id"], "kind": "tool", "name": "t"}
        is_json = route.path.startswith("/api/")
        body: Any = (
            {"json": named} if is_json else {"data": {"ids": self.ids["request_id"], "id": self.ids["request_id"]}}
        )
        body = body if route.method not in ("GET", "HEAD") else {}
        query = {"server_id": self.ids["server_id"], "server": self.ids["server_id"], "call_id": self.ids["call_id"]}
        async with self.client(user) as client:
            return await client.request(route.method, route.of(self.ids), params=query, **body)

    @asynccontextmanager
    async def stream(self, user: str, address: str) -> AsyncIterator[asyncio.Queue[bytes]]:
        """Open a stream as a user, and give what it sends as it comes; an empty piece is its end."""
        sent: asyncio.Queue[bytes] = asyncio.Queue()
        path, _, query = address.partition("?")
        headers = {"host": "127.0.0.1:8765", "remote-user": user, "sec-fetch-site": "same-origin"}
        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
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
            if message["type"] == "http.response.body":
                sent.put_nowait(message.get("body", b""))

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
    proxy = {"identity": ["proxy"], "auth_header": "Remote-User", "trusted_proxies": ["10.1.2.3"], "admins": ["root"]}
    app = create_app(settings(folder, **proxy | values))
    async with app.router.lifespan_context(app):
        users = TwoUsers(app, "", {})
        async with users.client("ada") as client:
            ada = (await client.get("/api/v1/me")).json()["user_id"]
        yield TwoUsers(app, ada, await _rows(users.services.store, ada))


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
    return {"server_id": server.id, "call_id": call.id, "request_id": request.id, "sign_in_id": sign_in.id}


def closed(users: TwoUsers) -> list[Route]:
    """Return the routes that need a sign-in and end by themselves."""
    return [route for route in routes(users.app) if not route.is_open and route.path not in STREAMS]


async def table(users: TwoUsers) -> str:
    """Return who gets what from which route, as a table."""
    lines = [
        "| route | not signed in | owner | another user, or an administrator | program of the owner with the scope |",
        "| --- | --- | --- | --- | --- |",
    ]
    for route in sorted(routes(users.app), key=lambda route: (route.path, route.method)):
        row = ["the same for all"] * 4
        if not route.is_open:
            others = str(await users.status("bob", route)) if route.names_a_row else "their own rows"
            assert await users.status(None, route) == 401, route
            row = ["401", "own rows", others, _scopes(route)]
        if route.is_for_admins:
            assert await users.status("bob", route) == 404, route
            row = ["401", "404", "404, or counts and states", _scopes(route)]
        lines.append(" | ".join([f"| `{route.method} {route.path}`", *row]) + " |")
    return "\n".join(lines)


def _scopes(route: Route) -> str:
    scopes = ROUTE_SCOPES.routes.get(f"{route.method} {route.path}", frozenset())
    return "any" if scopes >= frozenset(Scope) else ", ".join(sorted(scopes | {Scope.ADMIN}))


BEGIN, END = "<!-- made by python -m tests.two_users -->\n\n", "\n\n<!-- end -->"


def written(text: str) -> str:
    """Return the table in the document."""
    return text.partition(BEGIN)[2].partition(END)[0]


async def _write() -> None:
    with TemporaryDirectory() as folder:
        async with two_users(Path(folder)) as users:
            text = DOCUMENT.read_text()
            DOCUMENT.write_text(text.replace(BEGIN + written(text) + END, BEGIN + await table(users) + END))


if __name__ == "__main__":
    asyncio.run(_write())
