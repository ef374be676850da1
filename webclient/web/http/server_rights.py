"""Whether the principal of a request may add MCP servers: templates, pages and the API ask here."""

from __future__ import annotations

from contextvars import ContextVar

from starlette.types import ASGIApp, Receive, Scope, Send

_may: ContextVar[bool] = ContextVar("may_add_servers", default=True)


def may_add_servers() -> bool:
    """Return whether the principal of this request, or of this stream, may add servers."""
    return _may.get()


class ServerRights:
    """Allows administrators to add servers, and no other user."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        principal = scope.get("state", {}).get("principal")
        before = _may.set(principal is not None and principal.is_admin)
        try:
            await self.app(scope, receive, send)
        finally:
            _may.reset(before)
