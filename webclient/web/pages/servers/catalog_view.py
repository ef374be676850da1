"""One list of a catalog as its server's page shows it: the same object for the page and every push."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webclient.domain.errors import ConflictError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Catalog, Era, Reason, Server, ServerState
from webclient.services import Services
from webclient.web.pages.page_context import ServerRow
from webclient.web.pages.servers.catalog_entries import CatalogEntry, Group, Kind, entries_of, grouped, unlisted_entry
from webclient.web.pages.servers.server_tabs import Tab, TabLink, first_tab, tab_links

LOOK = 1
"""Seconds between two checks whether a server that is listing its catalog still responds."""

MOST_LOOKS = 5
"""Checks after which the page is shown without a new catalog: its actions must stay in reach."""


_LISTS: Mapping[Kind, str] = {
    "tool": "tools",
    "prompt": "prompts",
    "resource": "resources",
    "template": "resourceTemplates",
}
"""MCP's names of the lists, as notes have them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The entries of one kind, in groups."""

    kind: Kind
    groups: Sequence[Group]
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogView:
    """The entries of a server on one tab; `problem` is why a connected server's catalog could not be read.

    `notes` say which entries are omitted, and which names break the rules. `unlisted` are resources that the user
    follows and the server does not list. `may_be_elsewhere`: nothing is listed in 2026-07-28, and perhaps in the other
    era. `query` is the search: rows that do not
    match are there and hidden.
    """

    row: ServerRow
    tab: Tab
    tabs: Sequence[TabLink]
    sections: Sequence[Section]
    notes: Sequence[Reason]
    problem: str | None
    query: str = ""
    unlisted: Sequence[CatalogEntry] = ()
    may_be_elsewhere: bool = False

    @property
    def count(self) -> int:
        """The number of entries."""
        return sum(section.count for section in self.sections)

    @property
    def has_matches(self) -> bool:
        """Whether any entry matches the search."""
        groups = [group for section in self.sections for group in section.groups]
        return any(entry.matches(self.query) for group in groups for entry in group.entries)


async def read_catalog_view(services: Services, row: ServerRow, tab: Tab | None = None, query: str = "") -> CatalogView:
    """Read the catalog of the row's server; without a `tab`, the view is the first one that has entries."""
    catalog, problem = await read_catalog(services, row.server)
    shown = tab or first_tab(catalog)
    entries = entries_of(catalog)
    return CatalogView(
        row=row,
        tab=shown,
        tabs=tab_links(services, row),
        sections=[
            Section(kind=kind, groups=grouped(entries[kind]), count=len(entries[kind]))
            for kind in shown.kinds
            if entries[kind]
        ],
        notes=[note for note in catalog.notes if note.params.get("list") in [_LISTS[kind] for kind in shown.kinds]],
        problem=problem,
        query=query,
        unlisted=_unlisted(row.server, entries["resource"]) if shown is Tab.RESOURCES else (),
        may_be_elsewhere=problem is None and not any(entries.values()) and _may_speak_push(row),
    )


def _may_speak_push(row: ServerRow) -> bool:
    return row.status.protocol_version == Era.ROUNDS and Era.PUSH not in row.server.learned.get("lacks", ())


def _unlisted(server: Server, listed: Sequence[CatalogEntry]) -> list[CatalogEntry]:
    names = {entry.name for entry in listed}
    return [unlisted_entry("resource", uri) for uri in server.followed if uri not in names]


async def read_catalog(
    services: Services, server: Server, *, to_run: bool = False, refresh: bool = False
) -> tuple[Catalog, str | None]:
    """Return the catalog, and why it could not be read from a connected server.

    If the server does not respond, the catalog is the last one that was read.
    """
    if services.connections.status(server.key).state is not ServerState.CONNECTED:
        return Catalog(), None
    try:
        return await _list(services, server, to_run=to_run, refresh=refresh), None
    except ConflictError as error:
        return services.connections.last_catalog(server.key), str(error)


async def _list(services: Services, server: Server, *, to_run: bool, refresh: bool) -> Catalog:
    """Read the catalog. Raises ConflictError if the server is not connected or stops responding."""
    listing = asyncio.create_task(services.connections.catalog(server, to_run=to_run, refresh=refresh))
    try:
        for _look in range(MOST_LOOKS):
            if services.connections.status(server.key).quiet_since:
                break
            await asyncio.wait([listing], timeout=LOOK)
            if listing.done():
                return listing.result()
            services.connections.probe(server)
    finally:
        listing.cancel()
    raise ConflictError(_("The server is not responding."))
