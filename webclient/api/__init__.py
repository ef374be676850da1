"""The JSON contract (design, section 7), under `/api/v1`."""

from __future__ import annotations

from fastapi import APIRouter

from webclient.api import calls, events, history, requests, servers
from webclient.api.description import describe
from webclient.api.shaping import request_shape
from webclient.http.context import problems

PREFIX = "/api/v1"


def router() -> APIRouter:
    """Return the routes of the API."""
    api = APIRouter(prefix=PREFIX, responses=problems(401, 507))
    for part in (servers, calls, requests, history, events):
        api.include_router(part.router)
    return api


__all__ = ["PREFIX", "describe", "request_shape", "router"]
