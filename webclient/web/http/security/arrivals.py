"""Reports each request that has passed all checks to the service that prepares for its user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

Arrived = Callable[[str], Awaitable[None]]
"""Gets the id of a user who is here."""


class Arrivals:
    """Calls `arrived` with the user of each request before its route."""

    def __init__(self, app: ASGIApp, arrived: Arrived) -> None:
        self.app = app
        self.arrived = arrived

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (principal := getattr(HTTPConnection(scope).state, "principal", None)):
            await self.arrived(principal.user_id)
        await self.app(scope, receive, send)
