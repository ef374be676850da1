"""Names the sender of each request to the audit trail: the user, how they are signed in, and the address."""

from __future__ import annotations

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from webclient.model import ACTING, Actor


class Audited:
    """Sets `ACTING` while a request is served."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        principal = getattr(connection.state, "principal", None)
        user_id, way = (principal.user_id, principal.way) if principal else ("", "")
        address = connection.client.host if connection.client else ""
        before = ACTING.set(Actor(user_id=user_id, way=way, address=address[:255]))
        try:
            await self.app(scope, receive, send)
        finally:
            ACTING.reset(before)
