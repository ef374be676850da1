"""Lists of servers that send invalid entries, endless pages or odd hints; real servers are in `tests/servers`."""

from __future__ import annotations

from typing import Any, cast

import pytest
from mcp.client import ClientSession
from mcp.types import ServerCapabilities, ToolsCapability
from mcp.types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

from webclient.domain.model import Json, ReasonCode
from webclient.protocol.messages.limits import ServerLimits
from webclient.protocol.messages.listing import LEFT_OUT, LONGEST_TTL, MAX_PAGES, read_catalog, remove_invalid_entries

pytestmark = pytest.mark.anyio

GOOD: Json = {"name": "good", "inputSchema": {"type": "object"}}


def sifted(page: Json, most: int = 10) -> Json:
    remove_invalid_entries("tools/list", LATEST_HANDSHAKE_VERSION, page, most)
    return page


def test_invalid_entries_are_dropped_and_named() -> None:
    page = sifted({"tools": [{"name": "bad", "inputSchema": 7}, {"name": ["worse"]}, 8, GOOD, {"name": "x" * 999}]})
    assert page == {"tools": [GOOD], LEFT_OUT: ["bad", "?", "?", "x" * 200]}


def test_a_page_that_is_invalid_by_itself_is_left_to_the_sdk() -> None:
    for page in ({"tools": 7}, {}, {"tools": [GOOD, 8], "nextCursor": 7}):
        assert sifted(dict(page)) == page


def test_a_server_cannot_set_our_key() -> None:
    assert sifted({"tools": [GOOD], LEFT_OUT: ["evil"]}) == {"tools": [GOOD]}


def test_no_more_entries_are_validated_than_may_be_listed() -> None:
    assert len(sifted({"tools": [GOOD] * 1000}, most=3)["tools"]) == 4


class Pages:
    """A session whose server sends these pages, the last one again and again."""

    server_capabilities = ServerCapabilities(tools=ToolsCapability())

    def __init__(self, *pages: Json, version: str = LATEST_HANDSHAKE_VERSION) -> None:
        self.protocol_version = version
        self.cursors: list[str | None] = []
        self._pages = list(pages)

    async def send_request(self, request: Any, _result_type: object) -> Json:
        self.cursors.append(request.params.cursor)
        return self._pages.pop(0) if len(self._pages) > 1 else self._pages[0]

    async def read(self) -> Any:
        return await read_catalog(cast("ClientSession", self), ServerLimits(max_catalog_entries=500))


async def test_cursors_are_sent_back_as_they_came() -> None:
    """MCP 2025-11-25, Pagination: clients MUST treat cursors as opaque, and SHOULD treat a missing one as the end."""
    pages = Pages({"tools": [GOOD], "nextCursor": " é\n"}, {"tools": [GOOD]})
    assert len((await pages.read()).tools) == 2
    assert pages.cursors == [None, " é\n"]


async def test_endless_pages_end() -> None:
    same = Pages({"tools": [], "nextCursor": "a"})
    await same.read()
    assert same.cursors == [None, "a"], "a cursor that repeats ends the list"
    endless = Pages(*({"tools": [], "nextCursor": str(n)} for n in range(2 * MAX_PAGES)))
    await endless.read()
    assert len(endless.cursors) == MAX_PAGES
    long = Pages(*({"tools": [GOOD] * 9, "nextCursor": str(n)} for n in range(2 * MAX_PAGES)))
    catalog = await long.read()
    codes = [ReasonCode.LIST_TOO_LONG, ReasonCode.TOOL_NAMES_REPEATED]
    assert (len(catalog.tools), [note.code for note in catalog.notes]) == (500, codes)


@pytest.mark.parametrize(("hint", "ttl"), [(5000, 5.0), (0, 0.0), (None, 0.0), (-7, 0.0), (10**15, LONGEST_TTL)])
async def test_the_time_to_live_is_the_servers_within_a_day(hint: int | None, ttl: float) -> None:
    """MCP 2026-07-28, Caching."""
    catalog = await Pages({"tools": [GOOD], "ttlMs": hint}, version=LATEST_MODERN_VERSION).read()
    assert catalog.ttl == ttl


@pytest.mark.parametrize("hint", ["soon", [], 5000])
async def test_a_2025_11_25_server_has_no_time_to_live(hint: object) -> None:
    """The key means nothing there, so it may have any value."""
    assert (await Pages({"tools": [GOOD], "ttlMs": hint}).read()).ttl is None
