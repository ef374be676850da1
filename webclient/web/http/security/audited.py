"""Names the sender of each request to the audit trail: the user, how they are signed in, and the address."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from webclient.auth import Principal
from webclient.domain.model import Actor, Acts, acting

NameSession = Callable[[Principal], str]
"""Returns the public id of the principal's session."""


class Audited:
    """Sets `ACTING` while a request is served; `acts` counts what all senders do."""

    def __init__(self, app: ASGIApp, name_session: NameSession, acts: Acts) -> None:
        self.app = app
        self.name_session = name_session
        self.acts = acts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        principal: Principal | None = getattr(connection.state, "principal", None)
        address = connection.client.host if connection.client else ""
        actor = Actor(address=address[:255], acts=self.acts)
        if principal:
            actor = Actor(
                user_id=principal.user_id,
                way=principal.way,
                address=actor.address,
                credential=self._credential(principal),
                acts=self.acts,
            )
        with acting(actor):
            await self.app(scope, receive, send)

    def _credential(self, principal: Principal) -> str:
        if principal.token_id is not None:
            return f"token:{principal.token_id}"
        if principal.agent_id is not None:
            return f"agent:{principal.agent_id}"
        # Never the id itself, which is the secret of a cookie.
        return f"session:{self.name_session(principal)}" if principal.session_id else ""
