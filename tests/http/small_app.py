"""A small app behind the real checks, sign-in and error pages, with a route for every kind of request."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from functools import cache
from secrets import token_urlsafe
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Form
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute
from starlette.testclient import TestClient

from webclient.auth import build
from webclient.auth.local import OneTimeCode
from webclient.domain.model import (
    LOCAL_PERSON,
    LOCAL_USER,
    Browser,
    BrowserSession,
    InputRequest,
    Json,
    Person,
    User,
    now,
)
from webclient.settings import load_settings
from webclient.web.http import Assets, RouteScopes, install_errors, middleware
from webclient.web.pages.users import choice_pages, sign_in_pages

TOKEN = "a token that only the person has"
ORIGIN = "http://127.0.0.1:8765"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
OWN = {"Sec-Fetch-Site": "same-origin"}


class MemorySessions:
    """Sessions that last as long as the test."""

    def __init__(self) -> None:
        self.users: dict[str, str] = {}

    async def create(
        self,
        user_id: str,
        way: str,  # noqa: ARG002
        *,
        ends_at: datetime | None = None,  # noqa: ARG002
        idle: timedelta | None = None,  # noqa: ARG002
        provider_session: str | None = None,  # noqa: ARG002
        browser: Browser | None = None,  # noqa: ARG002
    ) -> str:
        """Remember a new session."""
        session_id = token_urlsafe(16)
        self.users[session_id] = user_id
        return session_id

    async def find(self, session_id: str) -> BrowserSession | None:
        """Return the session of the local user."""
        if session_id not in self.users:
            return None
        user = User(**asdict(LOCAL_PERSON), id=self.users[session_id])
        return BrowserSession(key=f"hash of {session_id}", user=user, way="local", ends_at=now() + timedelta(days=1))

    async def remove(self, session_id: str) -> None:
        """Forget the session."""
        self.users.pop(session_id, None)


class MemoryUsers:
    """Users who last as long as the test."""

    def __init__(self) -> None:
        self.users: dict[str, User] = {}

    async def recognise(self, person: Person) -> User:
        """Return the user of a person, whose id is the subject."""
        return self.users.setdefault(person.subject, User(**asdict(person), id=person.subject))

    async def find(self, issuer: str, subject: str) -> User | None:  # noqa: ARG002
        """Find no user: these tests save none."""
        return None

    async def find_by_email(self, issuer: str, email: str) -> User | None:  # noqa: ARG002
        """Find no user: these tests save none."""
        return None

    def is_disabled(self, user_id: str) -> bool:  # noqa: ARG002
        """Return False: no user is disabled."""
        return False


def make_app(sessions: MemorySessions | None = None, once: OneTimeCode | None = None, **given: Any) -> FastAPI:
    """Return the app, with the settings `given` and a code that signs in one time."""
    settings = load_settings(**{"token": TOKEN, "port": 8765} | given)
    sessions = sessions or MemorySessions()
    identity = build(settings, sessions, MemoryUsers(), once=once)
    app = FastAPI(middleware=middleware(settings, identity, RouteScopes({})))
    # Nothing here has a store: signing out would look there for the notifications of the browser.
    app.state.services = None
    app.mount("/static", Assets(), name="static")
    app.include_router(sign_in_pages.router(identity.sign_in))
    app.include_router(choice_pages.router(framed=bool(settings.embed_origins)))
    install_errors(app, as_json=_as_json)
    app.router.routes.extend(_routes())
    return app


def client_of(app: FastAPI, headers: dict[str, str] | None = None, base_url: str = ORIGIN) -> TestClient:
    """Return a client that follows nothing by itself."""
    return TestClient(app, base_url=base_url, headers=headers, follow_redirects=False)


def signed_in(app: FastAPI, sessions: MemorySessions, headers: dict[str, str] | None = None) -> TestClient:
    """Return a client that has the cookie of a session."""
    client = client_of(app, headers)
    sessions.users["session"] = LOCAL_USER
    client.cookies.set("webclient-8765", "session")
    return client


def _as_json(request: InputRequest) -> Json:
    return {"id": request.id, "state": request.state}


@cache
def _routes() -> list[BaseRoute]:
    """Return the routes, which are the same for each app: FastAPI takes long to read their signatures."""
    router = APIRouter()

    @router.get("/healthz")
    async def healthz() -> Json:
        return {"ok": True}

    @router.get("/whoami")
    async def whoami(request: Request) -> Json:
        return {"user_id": request.state.principal.user_id}

    @router.get("/page")
    async def page() -> HTMLResponse:
        return HTMLResponse("<p>page</p>")

    @router.get("/broken")
    async def broken() -> None:
        raise RuntimeError("the secret of the house")

    @router.post("/act")
    @router.delete("/act")
    async def act(request: Request) -> Json:
        return {"received": len(await request.body())}

    @router.post("/form")
    async def form(name: Annotated[str, Form()]) -> Json:
        return {"received": len(name)}

    @router.post("/api/v1/json")
    async def json(body: dict[str, int]) -> Json:
        return {"received": len(body)}

    return router.routes
