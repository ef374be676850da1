"""All servers of an agent at one address: one list of what they have, and the server to which each name belongs.

A name that several servers have is listed with the server before it: `trips_search` for a tool or a prompt, and
`trips+file:///a` for the URI of a resource. The title names the server then. All other names stay as they are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from webclient.domain.errors import ConflictError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Catalog, Json, Server
from webclient.gateway.agent_calls import AWAIT, AWAIT_TOOL
from webclient.gateway.hop import TASKS
from webclient.gateway.visit import JointVisit, slug
from webclient.protocol import INVALID_PARAMS, ServerError
from webclient.servers.connections import Connections, notifies_of_updates

SOON = 3.0
"""Seconds that a list of all servers waits for one of them."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """One of the lists: its key in a result, what it is called in a catalog, and what its entries are called by."""

    key: str
    attribute: str
    name: str
    separator: str = "_"

    def entries(self, catalog: Catalog) -> Sequence[Json]:
        """Return the entries of a server."""
        found: Sequence[Json] = getattr(catalog, self.attribute)
        return found


TOOLS = _Kind("tools", "tools", "name")
_PROMPTS = _Kind("prompts", "prompts", "name")
_RESOURCES = _Kind("resources", "resources", "uri", "+")
_TEMPLATES = _Kind("resourceTemplates", "resource_templates", "uriTemplate", "+")
_LISTS = {
    "tools/list": TOOLS,
    "prompts/list": _PROMPTS,
    "resources/list": _RESOURCES,
    "resources/templates/list": _TEMPLATES,
}
_NAMED = {
    "tools/call": TOOLS,
    "prompts/get": _PROMPTS,
    "resources/read": _RESOURCES,
    "resources/subscribe": _RESOURCES,
}

Catalogs = Sequence[tuple[Server, Catalog]]

_BEYOND = ("experimental", "extensions")
"""Capabilities that have names of their own."""


class Together:
    """The servers of an agent, seen as one."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def listed(self, visit: JointVisit, method: str) -> Json | None:
        """Return one list of all servers; None if the method gives no list. A server that fails has no part in it."""
        if (kind := _LISTS.get(method)) is None:
            return None
        await asyncio.gather(*(self._connections.reach(server, SOON) for server in visit.servers))
        names = Names(kind, await self._catalogs(visit, to_run=False))
        return {kind.key: [*names.listed(), *([AWAIT_TOOL] if kind is TOOLS else [])]}

    def described(self, visit: JointVisit) -> Json:
        """Return what a handshake says of all servers, each one's instructions below its label."""
        capabilities: Json = {name: {"listChanged": True} for name in ("tools", "prompts", "resources")}
        if any(notifies_of_updates(self._connections.status(each.key).capabilities) for each in visit.servers):
            capabilities["resources"]["subscribe"] = True
        capabilities |= {"completions": {}, "logging": {}}
        instructions = [(server.label, self._connections.status(server.key).instructions) for server in visit.servers]
        for kind in _BEYOND:
            if found := self._announced(visit, kind):
                capabilities[kind] = {key: value for key, (_server, value) in found.items()}
        texts = [f"# {label}\n\n{text}" for label, text in instructions if text]
        return {"capabilities": capabilities} | ({"instructions": "\n\n".join(texts)} if texts else {})

    async def routed(self, visit: JointVisit, method: str, params: Json) -> tuple[Server, Json]:
        """Return the server for a request, and the parameters with the server's own name.

        Raises ConflictError if no server, or no single one, has that name, and ServerError for other methods.
        """
        if method == "completion/complete" and isinstance(ref := params.get("ref"), dict):
            kind, key = (_PROMPTS, "name") if "name" in ref else (_TEMPLATES, "uri")
            server, name = await self._owner(visit, kind, ref.get(key))
            return server, params | {"ref": ref | {key: name}}
        if (kind_ := _NAMED.get(method)) is None:
            if (other := self.beyond(visit)) is None:
                raise ServerError(INVALID_PARAMS, f"{method} needs the address of one server: /mcp/SERVER")
            return other, params
        server, name = await self._owner(visit, kind_, params.get(kind_.name))
        return server, params | {kind_.name: name}

    def beyond(self, visit: JointVisit) -> Server | None:
        """Return the only server that announces something beyond MCP, or the only one at all."""
        if len(visit.servers) == 1:
            return visit.servers[0]
        statuses = [(server, self._connections.status(server.key).capabilities or {}) for server in visit.servers]
        found = [server for server, announced in statuses if any(_beyond(announced, kind) for kind in _BEYOND)]
        return found[0] if len(found) == 1 else None

    def _announced(self, visit: JointVisit, kind: str) -> dict[str, tuple[Server, object]]:
        """Return what one server alone announces beyond MCP, by its name."""
        found: dict[str, list[tuple[Server, object]]] = {}
        for server in visit.servers:
            for key, value in _beyond(self._connections.status(server.key).capabilities or {}, kind).items():
                found.setdefault(key, []).append((server, value))
        return {key: each[0] for key, each in found.items() if len(each) == 1}

    async def _owner(self, visit: JointVisit, kind: _Kind, given: object) -> tuple[Server, str]:
        if not isinstance(given, str):
            raise ServerError(INVALID_PARAMS, "Invalid request parameters: the name must be a string")
        names = Names(kind, await self._catalogs(visit, to_run=True))
        server, name = names.owner(given)
        await self._connections.reach(server)
        return server, name

    async def _catalogs(self, visit: JointVisit, *, to_run: bool) -> Catalogs:
        """Return what each server has; what a failed one had counts only for requests."""
        read = [self._catalog(server, to_run=to_run) for server in visit.servers]
        return list(zip(visit.servers, await asyncio.gather(*read), strict=True))

    async def _catalog(self, server: Server, *, to_run: bool) -> Catalog:
        with suppress(ConflictError, TimeoutError):
            async with asyncio.timeout(SOON):
                return await self._connections.catalog(server, to_run=to_run)
        return self._connections.last_catalog(server.key) if to_run else Catalog()


class Names:
    """The names of one list of several servers."""

    def __init__(self, kind: _Kind, catalogs: Catalogs) -> None:
        self._kind = kind
        self._catalogs = catalogs
        servers = [server for server, _catalog in catalogs]
        self._prefixes = {server.id: _prefixes(server, servers) for server in servers}
        self._owners: dict[str, list[Server]] = {}
        for server, catalog in catalogs:
            for name in {str(entry.get(kind.name)) for entry in kind.entries(catalog)}:
                self._owners.setdefault(name, []).append(server)

    def listed(self) -> list[Json]:
        """Return the entries of all servers, each with the name by which it is called."""
        return [
            self._entry(server, entry) for server, catalog in self._catalogs for entry in self._kind.entries(catalog)
        ]

    def _entry(self, server: Server, entry: Json) -> Json:
        name = str(entry.get(self._kind.name))
        if (shown := self._shown(server, name)) == name:
            return entry
        title = f"{entry.get('title') or entry.get('name') or name} ({server.label})"
        return entry | {self._kind.name: shown, "title": title}

    def _shown(self, server: Server, name: str) -> str:
        return name if self._is_plain(name) else f"{self._prefixes[server.id][0]}{self._kind.separator}{name}"

    def _is_plain(self, name: str) -> bool:
        """Return whether the name stays as it is: one server has it, and it cannot be meant otherwise."""
        is_ours = self._kind is TOOLS and name == AWAIT
        return len(self._owners.get(name, ())) == 1 and not is_ours and self._prefixed(name) is None

    def _prefixed(self, given: str) -> tuple[Server, str] | None:
        """Return the server and its own name, if `given` has the server before it."""
        prefix, _separator, name = given.partition(self._kind.separator)
        for server, catalog in self._catalogs:
            if prefix in self._prefixes[server.id]:
                is_listed = server in self._owners.get(name, ())
                return (server, name) if is_listed or (self._kind is _RESOURCES and _begins(name, catalog)) else None
        return None

    def owner(self, given: str) -> tuple[Server, str]:
        """Return the server that has this name, and its own name for it. Raises ConflictError."""
        # First, so that no server takes the calls of another with a tool of such a name.
        if prefixed := self._prefixed(given):
            return prefixed
        if self._is_plain(given):
            return self._owners[given][0], given
        if several := self._owners.get(given):
            names = ", ".join(self._shown(server, given) for server in several)
            raise ConflictError(_("Several servers have “{name}”. Use one of: {names}").format(name=given, names=names))
        if self._kind is _RESOURCES and len(found := self._with_template(given)) == 1:
            return found[0], given
        raise ConflictError(_("No server of this agent has “{name}”.").format(name=given))

    def _with_template(self, uri: str) -> list[Server]:
        """Return the servers with a template that fits a URI; if none fits, all servers with resources."""
        matching = [server for server, catalog in self._catalogs if _begins(uri, catalog)]
        return matching or [server for server, each in self._catalogs if each.resources or each.resource_templates]


def _beyond(capabilities: Json, kind: str) -> Json:
    """Return what a server announces of this kind, but for tasks, which stay between it and this program."""
    found = capabilities.get(kind)
    return {key: value for key, value in found.items() if key != TASKS} if isinstance(found, dict) else {}


def _begins(uri: str, catalog: Catalog) -> bool:
    starts = [str(each.get("uriTemplate")).partition("{")[0] for each in catalog.resource_templates]
    return any(start and uri.startswith(start) for start in starts)


def _prefixes(server: Server, servers: Sequence[Server]) -> Sequence[str]:
    """Return what may stand before a name of the server: its label, if no other one has it, or its id."""
    short, by_id = slug(server.label), f"s{server.id}"
    is_own = [slug(each.label) for each in servers].count(short) == 1
    return [short, by_id] if is_own and short.isascii() and short[:1].isalpha() else [by_id]
