"""Requests to an agent during one of its own, in the way of its era, and the capabilities with which it can answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from mcp.server.context import ServerRequestContext
from mcp.shared.message import ServerMessageMetadata
from mcp.types import Request, ServerRequest
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ConfigDict

from webclient.domain.model import Json
from webclient.gateway.hop import CAPABILITIES
from webclient.gateway.passed_links import Tell
from webclient.gateway.passing import Asking, Passing, Send
from webclient.gateway.visit import Visit

Context = ServerRequestContext[Any, Any]


class _Verbatim(Request[dict[str, Any] | None, str]):
    """A request whose parameters are sent as they are."""


class _Result(BaseModel):
    """A result with any keys."""

    model_config = ConfigDict(extra="allow")


def asking_of(ctx: Context, visit: Visit, passing: Passing, tell: Tell) -> Asking | None:
    """Return what asks the agent of this request; None if its user wants all requests in the inbox."""
    if not visit.passes_on:
        return None
    modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
    return passing.at(_capabilities(ctx, modern=modern), None if modern else _requester(ctx), tell)


def _capabilities(ctx: Context, *, modern: bool) -> Mapping[str, Any]:
    if modern:
        meta = (ctx.params or {}).get("_meta")
        declared = meta.get(CAPABILITIES) if isinstance(meta, Mapping) else None
        return declared if isinstance(declared, Mapping) else {}
    client = ctx.session.client_params
    return client.capabilities.model_dump(by_alias=True, mode="json", exclude_none=True) if client else {}


def _requester(ctx: Context) -> Send:
    metadata = ServerMessageMetadata(related_request_id=ctx.request_id)

    async def send(method: str, params: Json) -> Json:
        request = cast("ServerRequest", _Verbatim(method=method, params=params or None))
        return dict((await ctx.session.send_request(request, _Result, metadata=metadata)).model_extra or {})

    return send
