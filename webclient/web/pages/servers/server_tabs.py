"""The tabs of a server's page: one for each list of its catalog, for permissions, sign-in, settings and the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from webclient.domain.i18n import gettext as _
from webclient.domain.model import Catalog, Server, ServerState
from webclient.servers.connections import has_tasks
from webclient.servers.skills import has_skills
from webclient.services import Services
from webclient.web.pages.page_context import PageContext, ServerRow, read_page_context
from webclient.web.pages.servers.catalog_entries import Kind


class Tab(StrEnum):
    """A tab; its value is the last part of its address."""

    TOOLS = "tools"
    PROMPTS = "prompts"
    RESOURCES = "resources"
    SKILLS = "skills"
    TASKS = "tasks"
    PERMISSIONS = "permissions"
    SIGN_IN = "sign-in"
    SETTINGS = "settings"
    LOG = "log"

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of entries that it lists."""
        return _KINDS.get(self, ())


_KINDS: Mapping[Tab, tuple[Kind, ...]] = {
    Tab.TOOLS: ("tool",),
    Tab.PROMPTS: ("prompt",),
    Tab.RESOURCES: ("resource", "template"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TabLink:
    """A tab as a link; `count` is the number of its entries, None while it is unknown."""

    tab: Tab
    label: str
    count: int | None = None


def tab_of(kind: Kind) -> Tab:
    """Return the tab that lists entries of this kind."""
    return next(tab for tab, kinds in _KINDS.items() if kind in kinds)


def first_tab(catalog: Catalog) -> Tab:
    """Return the tab to begin with: the first one that has entries, or that of the tools."""
    return next((tab for tab in _KINDS if _count(catalog, tab)), Tab.TOOLS)


def tab_links(services: Services, row: ServerRow) -> list[TabLink]:
    """Return the tabs of a server's page; with counts if the server is connected and its catalog was read."""
    is_known = row.status.state is ServerState.CONNECTED and services.connections.knows_catalog(row.server)
    catalog = services.connections.last_catalog(row.server.key)
    labels = {
        Tab.TOOLS: _("Tools"),
        Tab.PROMPTS: _("Prompts"),
        Tab.RESOURCES: _("Resources"),
        Tab.SKILLS: _("Skills"),
        Tab.TASKS: _("Tasks"),
        Tab.PERMISSIONS: _("Permissions"),
        Tab.SIGN_IN: _("Sign-in"),
        Tab.SETTINGS: _("Settings"),
        Tab.LOG: _("Log"),
    }
    return [
        TabLink(tab=tab, label=label, count=_count(catalog, tab) if is_known and tab.kinds else None)
        for tab, label in labels.items()
        if _has(row, tab)
    ]


def _has(row: ServerRow, tab: Tab) -> bool:
    match tab:
        case Tab.SIGN_IN:
            # A program on this machine takes its credentials from its environment (MCP, Authorization, Introduction).
            return "url" in row.server.transport
        # What the server said last is known while it is away, too.
        case Tab.SKILLS:
            return has_skills(row.status.capabilities)
        case Tab.TASKS:
            return has_tasks(row.status.capabilities)
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPage:
    """The frame around each tab of a server's page."""

    page_context: PageContext
    row: ServerRow
    tabs: Sequence[TabLink]


async def read_server_page(services: Services, server: Server) -> ServerPage:
    """Read the frame of a tab that lists nothing; the catalog is not waited for."""
    page_context = await read_page_context(services, server.user_id)
    row = page_context.row(server)
    return ServerPage(page_context=page_context, row=row, tabs=tab_links(services, row))


def _count(catalog: Catalog, tab: Tab) -> int:
    sizes: Mapping[Kind, int] = {
        "tool": len(catalog.tools),
        "prompt": len(catalog.prompts),
        "resource": len(catalog.resources),
        "template": len(catalog.resource_templates),
    }
    return sum(sizes[kind] for kind in tab.kinds)
