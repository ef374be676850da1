"""Reads the catalog of a server: all pages of all its lists, within the limits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
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

from webclient.i18n import gettext as _
from webclient.i18n import ngettext
from webclient.model import Catalog, Json
from webclient.protocol.explain import is_unsupported
from webclient.protocol.limits import ServerLimits
from webclient.protocol.list_validation import LEFT_OUT
from webclient.protocol.raw_request import send

TIMEOUT = 30
"""Seconds for one listing, all pages."""

MAX_PAGES = 100
"""A paginator that never ends costs no more."""

LONGEST_TTL = 24 * 3600
"""Seconds; a server that says more means for ever."""

MOST_NAMED = 5
"""Entries that are left out and named."""

_LISTS: dict[str, tuple[str, type[Any]]] = {
    "tools": ("tools", ListToolsRequest),
    "prompts": ("prompts", ListPromptsRequest),
    "resources": ("resources", ListResourcesRequest),
    "resourceTemplates": ("resources", ListResourceTemplatesRequest),
}


@dataclass(slots=True)
class _Listing:
    """One reading of all lists: what is worth a note, and the smallest `ttlMs` of all pages."""

    limits: ServerLimits
    notes: list[str] = field(default_factory=list)
    ttl_ms: float | None = None

    def heed(self, page: Json) -> None:
        """Note for how long the page may be kept (MCP 2026-07-28, Caching)."""
        ttl_ms = min(max(page.get("ttlMs") or 0, 0), LONGEST_TTL * 1000)
        self.ttl_ms = ttl_ms if self.ttl_ms is None else min(self.ttl_ms, ttl_ms)


async def read_catalog(client: ClientSession, limits: ServerLimits) -> Catalog:
    """List everything that the server declares, within its limits. Raises MCPError, TimeoutError, ValidationError."""
    modern = client.protocol_version in MODERN_PROTOCOL_VERSIONS
    listing = _Listing(limits)
    async with asyncio.timeout(TIMEOUT):
        tools, prompts, resources, templates = [await _list(client, key, listing) for key in _LISTS]
    if modern and "x-mcp-header" in json.dumps(tools):
        # The SDK sends the Mcp-Param-* headers only for tools that went through its own listing.
        await client.list_tools()
    return Catalog(
        tools=tools,
        prompts=prompts,
        resources=resources,
        resource_templates=templates,
        notes=listing.notes,
        # A 2025-11-25 server has no such hint; one that sends the key means something else by it.
        ttl=listing.ttl_ms / 1000 if modern and listing.ttl_ms is not None else None,
    )


async def _list(client: ClientSession, key: str, listing: _Listing) -> list[Json]:
    limits, (capability, _request) = listing.limits, _LISTS[key]
    items: list[Json] = []
    if not getattr(client.server_capabilities, capability, None):
        return items
    left_out: list[str] = []
    size = 0
    async for page in _pages(client, key):
        listing.heed(page)
        left_out += page.get(LEFT_OUT, [])
        for item in page.get(key, []):
            size += len(json.dumps(item))
            if len(items) >= limits.max_catalog_entries or size > limits.max_catalog_bytes:
                listing.notes.append(_cut(key, len(items), limits))
                return items
            items.append(item)
    if left_out:
        listing.notes.append(_not_mcp(key, left_out))
    return items


async def _pages(client: ClientSession, key: str) -> AsyncIterator[Json]:
    request = _LISTS[key][1]
    cursor: str | None = None
    for _page in range(MAX_PAGES):
        try:
            page = await send(client, request(params=PaginatedRequestParams(cursor=cursor)))
        except MCPError as error:
            if is_unsupported(error):
                return
            raise
        yield page
        following = page.get("nextCursor")
        if not following or following == cursor:
            return
        cursor = following


def _named(key: str) -> str:
    names = {"tools": _("Tools"), "prompts": _("Prompts"), "resources": _("Resources")}
    return names.get(key, _("Resource templates"))


def _cut(key: str, count: int, limits: ServerLimits) -> str:
    by_count = count >= limits.max_catalog_entries
    return _("{list}: only the first {count:,} are listed, which is the limit (setting {name}).").format(
        list=_named(key), count=count, name="max_catalog_entries" if by_count else "max_catalog_bytes"
    )


def _not_mcp(key: str, names: list[str]) -> str:
    shown = ", ".join(f"“{name}”" for name in names[:MOST_NAMED])
    return ngettext(
        "{list}: {n} entry is left out, because it is not described as MCP demands: {names}.",
        "{list}: {n} entries are left out, because they are not described as MCP demands: {names}.",
        len(names),
    ).format(list=_named(key), n=len(names), names=shown + ("…" if len(names) > MOST_NAMED else ""))
