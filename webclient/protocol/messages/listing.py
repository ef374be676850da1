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
    methods,
)
from mcp.types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from webclient.domain.model import Catalog, Json, Reason, ReasonCode
from webclient.domain.tool_names import irregular, repeated
from webclient.protocol.messages.limits import ServerLimits
from webclient.protocol.messages.param_headers import has_invalid_headers
from webclient.protocol.messages.raw_request import send
from webclient.protocol.messages.sdk_errors import is_unsupported
from webclient.protocol.messages.server_info import remove_invalid_icons

TIMEOUT = 30
"""Seconds for one listing, all pages."""

MAX_PAGES = 100
"""Pages that are read of one list, which may be endless."""

LONGEST_TTL = 24 * 3600
"""Seconds that a catalog may be kept at most."""

MOST_NAMED = 5
"""Entries that a note names."""

_LISTS: dict[str, tuple[str, type[Any]]] = {
    "tools": ("tools", ListToolsRequest),
    "prompts": ("prompts", ListPromptsRequest),
    "resources": ("resources", ListResourcesRequest),
    "resourceTemplates": ("resources", ListResourceTemplatesRequest),
}


@dataclass(slots=True)
class _Listing:
    """One reading of all lists: notes on what is missing, and the smallest `ttlMs` of all pages."""

    limits: ServerLimits
    modern: bool
    notes: list[Reason] = field(default_factory=list)
    ttl_ms: float | None = None

    def note_ttl(self, page: Json) -> None:
        """Note for how long the page may be kept (MCP 2026-07-28, Caching)."""
        if not self.modern:
            # In 2025-11-25 there is no such hint; a server that sends the key means something else.
            return
        ttl_ms = min(max(page.get("ttlMs") or 0, 0), LONGEST_TTL * 1000)
        self.ttl_ms = ttl_ms if self.ttl_ms is None else min(self.ttl_ms, ttl_ms)


async def read_catalog(client: ClientSession, limits: ServerLimits) -> Catalog:
    """List everything that the server declares, within its limits. Raises MCPError, TimeoutError, ValidationError."""
    modern = client.protocol_version in MODERN_PROTOCOL_VERSIONS
    listing = _Listing(limits, modern=modern)
    async with asyncio.timeout(TIMEOUT):
        tools, prompts, resources, templates = [await _list(client, key, listing) for key in _LISTS]
    return Catalog(
        tools=tools,
        prompts=prompts,
        resources=resources,
        resource_templates=templates,
        notes=[*listing.notes, *_notes_on_names(tools)],
        ttl=listing.ttl_ms / 1000 if listing.ttl_ms is not None else None,
    )


async def read_tools(client: ClientSession, limits: ServerLimits) -> list[Json]:
    """List the tools alone, within the limits. Raises MCPError, TimeoutError, ValidationError."""
    listing = _Listing(limits, modern=client.protocol_version in MODERN_PROTOCOL_VERSIONS)
    async with asyncio.timeout(TIMEOUT):
        return await _list(client, "tools", listing)


async def _list(client: ClientSession, key: str, listing: _Listing) -> list[Json]:
    limits, (capability, _request) = listing.limits, _LISTS[key]
    items: list[Json] = []
    if not getattr(client.server_capabilities, capability, None):
        return items
    left_out: list[str] = []
    size = 0
    async for page in _pages(client, key):
        listing.note_ttl(page)
        left_out += page.get(LEFT_OUT, [])
        for item in page.get(key, []):
            size += len(json.dumps(item))
            if len(items) >= limits.max_catalog_entries or size > limits.max_catalog_bytes:
                listing.notes.append(_cut(key, len(items), limits))
                return items
            items.append(item)
    if left_out:
        listing.notes.append(_named(ReasonCode.LIST_ENTRIES_INVALID, key, left_out))
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
        next_cursor = page.get("nextCursor")
        if not next_cursor or next_cursor == cursor:
            return
        cursor = next_cursor


def _cut(key: str, count: int, limits: ServerLimits) -> Reason:
    by_count = count >= limits.max_catalog_entries
    return Reason.of(ReasonCode.LIST_TOO_LONG if by_count else ReasonCode.LIST_TOO_LARGE, list=key, n=count)


def _notes_on_names(tools: list[Json]) -> list[Reason]:
    """Return what there is to note on the names of tools, which are called as they are named."""
    names = [str(tool.get("name")) for tool in tools]
    found = {ReasonCode.TOOL_NAMES_IRREGULAR: irregular(names), ReasonCode.TOOL_NAMES_REPEATED: repeated(names)}
    return [_named(code, "tools", [name[:_LONGEST_NAME] for name in those]) for code, those in found.items() if those]


def _named(code: ReasonCode, key: str, names: list[str]) -> Reason:
    quoted = ", ".join(f"“{name}”" for name in names[:MOST_NAMED])
    more = "…" if len(names) > MOST_NAMED else ""
    return Reason.of(code, list=key, n=len(names), names=quoted + more)


LEFT_OUT = "mcp-webclient/leftOut"
"""Our key in a page for the names of its invalid entries; a server's value is dropped."""

ENTRIES_OF = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
"""The methods whose results are validated entry by entry, and the key of their entries."""

_LONGEST_NAME = 200
"""Characters of an entry's name that are kept."""


def remove_invalid_entries(method: str, version: str, page: Json, most: int, *, over_http: bool = True) -> None:
    """Remove entries that are not valid MCP from `page`, and note their names.

    `page` is the result of `method`; the SDK would refuse all of it for one such entry. At most `most` entries and one
    more are validated and kept. `over_http`: tools are left out whose calls could not be sent over HTTP.
    """
    page.pop(LEFT_OUT, None)
    key = ENTRIES_OF[method]
    entries = page.get(key)
    if not isinstance(entries, list):
        return
    del entries[most + 1 :]
    checks_headers = over_http and key == "tools" and version in MODERN_PROTOCOL_VERSIONS
    sendable = [not (checks_headers and has_invalid_headers(each)) for each in entries]
    if not _fits(method, version, {**page, key: []}) or (all(sendable) and _fits(method, version, page)):
        return
    for each in entries:
        # An icon is decoration, for which no tool should be missing.
        if isinstance(each, dict):
            remove_invalid_icons(each)
    fitting = [
        (each, is_sendable and _fits(method, version, {**page, key: [each]}))
        for each, is_sendable in zip(entries, sendable, strict=True)
    ]
    page[key] = [each for each, fits in fitting if fits]
    page[LEFT_OUT] = [_name(each) for each, fits in fitting if not fits]


def _fits(method: str, version: str, page: Json) -> bool:
    try:
        methods.validate_server_result(method, version, page)
    except (ValidationError, RecursionError):
        return False
    return True


def _name(entry: Any) -> str:
    named = entry.get("name") if isinstance(entry, dict) else None
    return named[:_LONGEST_NAME] if isinstance(named, str) else "?"
