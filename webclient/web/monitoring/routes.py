"""The routes /readyz, which anybody may ask, and /metrics, which has a token of its own."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from webclient.auth import bearer_token, same_secret
from webclient.services import Services
from webclient.web.http import ServicesDep
from webclient.web.monitoring.readiness import Readiness
from webclient.web.monitoring.recorder import CONTENT_TYPE, MetricsRecorder


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
