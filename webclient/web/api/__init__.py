"""The JSON API under `/api/v1`, one module for each resource; `*shapes` hold the types that several have.

Promises: additions, but no changes, since other programs rely on it; ids are opaque; values from MCP are passed through
verbatim; every error is a problem document (RFC 9457); values of a server's headers and environment are never given.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from fastapi import APIRouter
from starlette.routing import BaseRoute

from webclient.web.api import (
    asking,
    audit,
    authorizer,
    calls,
    configuration,
    embed_sessions,
    events,
    history,
    me,
    requests,
    rules,
    sampling,
    servers,
    skills,
    tokens,
    users,
    wire_log,
)
from webclient.web.api.audit import entry_shape as audit_entry_shape
from webclient.web.api.description import describe
from webclient.web.api.request_shapes import request_shape
from webclient.web.http import problems

PREFIX = "/api/v1"


@cache
def routes() -> Sequence[BaseRoute]:
    """Return the routes of the API, the same for each app: FastAPI takes 0.1 s to put them together."""
    api = APIRouter(prefix=PREFIX, responses=problems(401, 503, 507))
    first = (me, embed_sessions, servers, skills, calls, requests, asking, authorizer)
    for part in (*first, sampling, history, events, wire_log, tokens, rules, configuration, users, audit):
        api.include_router(part.router)
    whole = APIRouter()
    whole.include_router(api)
    return whole.routes


__all__ = ["PREFIX", "audit_entry_shape", "describe", "request_shape", "routes"]
