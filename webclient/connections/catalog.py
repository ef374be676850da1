"""What a server offers: its tools, prompts, resources and resource templates, verbatim."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from mcp import MCPError
from mcp.client import ClientSession
from mcp.types import (
    ListPromptsRequest,
    ListResourcesRequest,
    ListResourceTemplatesRequest,
    ListToolsRequest,
    PaginatedRequestParams,
)
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from webclient.connections.explain import is_unsupported
from webclient.connections.verbatim import send
from webclient.model import Json

TIMEOUT = 30
"""Seconds for one listing, all pages."""

MAX_PAGES = 100
"""A paginator that never ends costs no more."""

_LISTS: dict[str, tuple[str, type[Any]]] = {
    "tools": ("tools", ListToolsRequest),
    "prompts": ("prompts", ListPromptsRequest),
    "resources": ("resources", ListResourcesRequest),
    "resourceTemplates": ("resources", ListResourceTemplatesRequest),
}


@dataclass(frozen=True, slots=True)
class Catalog:
    """The offers of one server, each list as the server sent it."""

    tools: list[Json] = field(default_factory=list)
    prompts: list[Json] = field(default_factory=list)
    resources: list[Json] = field(default_factory=list)
    resource_templates: list[Json] = field(default_factory=list)

    def tool(self, name: str) -> Json | None:
        """Return the tool of that name."""
        return next((tool for tool in self.tools if tool.get("name") == name), None)


async def read_catalog(session: ClientSession) -> Catalog:
    """List everything that the server declares. Raises MCPError, TimeoutError."""
    async with asyncio.timeout(TIMEOUT):
        tools, prompts, resources, templates = [await _list(session, key) for key in _LISTS]
    if session.protocol_version in MODERN_PROTOCOL_VERSIONS and "x-mcp-header" in json.dumps(tools):
        # The SDK sends the Mcp-Param-* headers only for tools that went through its own listing.
        await session.list_tools()
    return Catalog(tools, prompts, resources, templates)


async def _list(session: ClientSession, key: str) -> list[Json]:
    capability, request = _LISTS[key]
    if not getattr(session.server_capabilities, capability, None):
        return []
    items: list[Json] = []
    cursor: str | None = None
    for _page in range(MAX_PAGES):
        try:
            page = await send(session, request(params=PaginatedRequestParams(cursor=cursor)))
        except MCPError as error:
            if is_unsupported(error):
                return items
            raise
        items += page.get(key, [])
        following = page.get("nextCursor")
        if not following or following == cursor:
            return items
        cursor = following
    return items
