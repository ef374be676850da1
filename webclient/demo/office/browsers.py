"""Browsers that are signed in at the office, each known by a cookie. This has nothing to do with MCP sessions."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from webclient.demo.office.people import PEOPLE
from webclient.demo.shelf import Shelf

SECONDS = 12 * 60 * 60
ROOM = 1000


@dataclass(frozen=True, slots=True)
class Browser:
    """A browser that is signed in: its session, and whose it is."""

    session: str
    sub: str

    @property
    def name(self) -> str:
        """The person's name."""
        return PEOPLE[self.sub]


class Browsers:
    """Signs browsers in and out. Cookies do not tell ports apart, so the port is in the name."""

    def __init__(self, port: int) -> None:
        self._cookie = f"demo-office-{port}"
        self._sessions = Shelf[str](seconds=SECONDS, room=ROOM)

    def of(self, request: Request) -> Browser | None:
        """Return the signed-in browser that sent `request`, or None."""
        session = request.cookies.get(self._cookie, "")
        sub = self._sessions.get(session)
        return Browser(session, sub) if sub else None

    def sign_in(self, request: Request, response: Response, sub: str) -> None:
        """Begin a session under a new id, which makes a planted one worthless."""
        self.sign_out(request)
        # Lax and not Strict: the redirect back from the third party's sign-in page is cross-site.
        response.set_cookie(
            self._cookie,
            self._sessions.put(sub),
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )

    def sign_out(self, request: Request) -> None:
        """End the session here, so that the cookie is worth nothing wherever it is."""
        self._sessions.take(request.cookies.get(self._cookie))
