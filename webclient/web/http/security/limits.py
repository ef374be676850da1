"""Stops a request body that is larger than any form or answer here could be, before it fills the memory."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webclient.domain.i18n import gettext as _


class BodyLimit:
    """Refuses with 413 a body that says it is, or turns out to be, larger than `max_bytes`.

    Not Starlette's own: that one answers in plain text, past our pages and problem documents.
    """

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self.app = app
        self.max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and int(announced) > self.max_bytes:
            raise self._refusal()
        received = 0

        async def receive_counted() -> Message:
            # The announced length may be missing (chunked), so what arrives is counted as well.
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.max_bytes:
                raise self._refusal()
            return message

        await self.app(scope, receive_counted, send)

    def _refusal(self) -> HTTPException:
        # An HTTPException, because FastAPI hides any other that is raised while it reads a body.
        return HTTPException(
            413,
            _("The request is larger than {limit} bytes, the most accepted here.").format(limit=self.max_bytes),
        )
