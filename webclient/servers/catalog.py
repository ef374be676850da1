"""What a server offers: its tools, prompts, resources and resource templates, verbatim."""

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
from webclient.model import Json
from webclient.protocol.explain import is_unsupported
from webclient.protocol.limits import ServerLimits
from webclient.protocol.list_validation import LEFT_OUT
from webclient.protocol.raw_request import send

TIMEOUT = 30
"""Seconds for one listing, all pages."""

MAX_PAGES = 100
"""A paginator that never ends costs no more."""

MOST_NAMED = 5
"""Entries that are left out and named."""

_LISTS: dict[str, tuple[str, type[Any]]] = {
    "tools": ("tools", ListToolsRequest),
    "prompts": ("prompts", ListPromptsRequest),
    "resources": ("resources", ListResourcesRequest),
    "resourceTemplates": ("resources", ListResourceTemplatesRequest),
}


@dataclass(frozen=True, slots=True)
class Catalog:
    """The offers of one server, each list as the server sent it; `notes` are sentences on what is not in them."""

    tools: list[Json] = field(default_factory=list)
    prompts: list[Json] = field(default_factory=list)
    resources: list[Json] = field(default_factory=list)
    resource_templates: list[Json] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def tool(self, name: str) -> Json | None:
        """Return the tool of that name."""
        return next((tool for tool in self.tools if tool.get("name") == name), None)


async def read_catalog(session: ClientSession, limits: ServerLimits) -> Catalog:
    """List everything that the server declares, within its limits. Raises MCPError, TimeoutError, ValidationError."""
    notes: list[str] = []
    async with asyncio.timeout(TIMEOUT):
        tools, prompts, resources, templates = [await _list(session, key, limits, notes) for key in _LISTS]
    if session.protocol_version in MODERN_PROTOCOL_VERSIONS and "x-mcp-header" in json.dumps(tools):
        # The SDK sends the Mcp-Param-* headers only for tools that went through its own listing.
        await session.list_tools()
    return Catalog(tools, prompts, resources, templates, notes)


async def _list(session: ClientSession, key: str, limits: ServerLimits, notes: list[str]) -> list[Json]:
    capability, _request = _LISTS[key]
    items: list[Json] = []
    if not getattr(session.server_capabilities, capability, None):
        return items
    left_out: list[str] = []
    size = 0
    async for page in _pages(session, key):
        left_out += page.get(LEFT_OUT, [])
        for item in page.get(key, []):
            size += len(json.dumps(item))
            if len(items) >= limits.max_catalog_entries or size > limits.max_catalog_bytes:
                notes.append(_cut(key, len(items), limits))
                return items
            items.append(item)
    if left_out:
        notes.append(_not_mcp(key, left_out))
    return items


async def _pages(session: ClientSession, key: str) -> AsyncIterator[Json]:
    request = _LISTS[key][1]
    cursor: str | None = None
    for _page in range(MAX_PAGES):
        try:
            page = await send(session, request(params=PaginatedRequestParams(cursor=cursor)))
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
