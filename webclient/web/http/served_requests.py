"""Tells observers of each served request: what kind it was, its outcome and its time, and nothing of its content."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger(__name__)

_API = "/api/v1"


@dataclass(frozen=True, slots=True)
class ServedRequest:
    """A request that was answered: its `route` is the pattern of its path, without any value; "" for no route.

    `seconds` run until the response began, as a stream lasts for hours.
    """

    method: str
    area: str
    route: str
    status: int
    seconds: float


Observer = Callable[[ServedRequest], None]


class ServedRequests:
    """Calls each of the `observers` when the response to a request begins."""

    def __init__(self, app: ASGIApp, observers: Sequence[Observer]) -> None:
        self.app = app
        self.observers = observers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = perf_counter()

        async def send_observed(message: Message) -> None:
            if message["type"] == "http.response.start":
                served = _served(scope, message["status"], perf_counter() - began)
                for observe in self.observers:
                    observe(served)
            await send(message)

        await self.app(scope, receive, send_observed)


def log_request(served: ServedRequest) -> None:
    """Write a line for a request into the log."""
    milliseconds = round(served.seconds * 1000, 1)
    fields = {"method": served.method, "route": served.route, "status": served.status, "milliseconds": milliseconds}
    logger.info("Request served", extra={"fields": fields})


def _served(scope: Scope, status: int, seconds: float) -> ServedRequest:
    area = _area(scope["path"])
    pattern = getattr(scope.get("route"), "path", "")
    route = f"{_API}{pattern}" if pattern and area == "api" else pattern
    # A method may be any word that a stranger sends.
    method = scope["method"] if scope["method"] in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE") else "other"
    return ServedRequest(method, area, route, status, seconds)


def _area(path: str) -> str:
    if path.startswith("/api/"):
        return "api"
    if path.startswith("/static/"):
        return "static"
    return "probes" if path in ("/healthz", "/readyz", "/metrics") else "pages"
