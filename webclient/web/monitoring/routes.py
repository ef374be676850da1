"""The routes /readyz, which anybody may ask, and /metrics, which has a token of its own."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from webclient.auth import bearer_token, same_secret
from webclient.services import Services
from webclient.web.http import ServedRequest, ServicesDep
from webclient.web.monitoring.readiness import Readiness

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""The text format of Prometheus."""


def router(services: Services, metrics: MetricsRecorder | None) -> APIRouter:
    """Return the routes; without `metrics` there is no /metrics."""
    routes = APIRouter(include_in_schema=False)
    readiness = Readiness(services)

    async def readyz() -> JSONResponse:
        checks = await readiness.check()
        return JSONResponse(checks, status_code=200 if set(checks.values()) == {"ok"} else 503)

    async def scrape(http_request: Request, services: ServicesDep) -> Response:
        # Safe: the setting has at least 16 characters, and no other credential opens this, so that a monitoring system
        # holds nothing that opens an inbox.
        given = bearer_token(http_request)
        if metrics is None or given is None or not same_secret(given, services.settings.metrics_token or ""):
            raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
        return Response(await metrics.text(services), media_type=CONTENT_TYPE)

    routes.add_api_route("/readyz", readyz, methods=["GET", "HEAD"])
    if metrics is not None:
        routes.add_api_route("/metrics", scrape, methods=["GET"])
    return routes


class MetricsRecorder(Protocol):
    """Counts what happens, and writes all metrics on demand."""

    def following(self, services: Services) -> AbstractAsyncContextManager[None]:
        """Measure answers while the block runs."""
        ...

    def observe(self, served: ServedRequest) -> None:
        """Count a served request."""
        ...

    async def text(self, services: Services) -> bytes:
        """Return all metrics as they are now."""
        ...
