"""Subscriptions of agents: to changes of lists and of resources, in the way of each era.

In 2025-11-25 a session hears of all lists on its stream for messages outside of requests, and names each resource in a
request. In 2026-07-28 `subscriptions/listen` names all of it, and its response is the stream.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

import anyio
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Notification,
    ServerNotification,
)
from mcp_types import LOG_LEVEL_META_KEY, methods
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from webclient.domain.errors import ConflictError
from webclient.domain.model import Json, LogLevel, ServerState
from webclient.gateway.followers import LISTS, MOST_RESOURCES, Follower, Followers
from webclient.gateway.hop import notice
from webclient.gateway.passed_links import Tell
from webclient.gateway.steps import Send, Steps
from webclient.gateway.together import Together
from webclient.gateway.visit import JointVisit, Visit
from webclient.protocol import ServerError
from webclient.servers.connections import Connections, notifies_of_updates
from webclient.store import Store
from webclient.support import background

MOST_STREAMS = 100
"""Sessions and streams in which one agent follows changes."""

METHODS = frozenset({"logging/setLevel", "resources/subscribe", "resources/unsubscribe", "subscriptions/listen"})
"""The requests that are answered here."""

Context = ServerRequestContext[Any, Any]

_LOG = "notifications/message"

_LEVELS = [level.value for level in LogLevel if level is not LogLevel.OFF]


class NoticeSent(Notification[dict[str, Any] | None, str]):
    """A notification to an agent, with the keys that it came with."""


class Subscriptions:
    """The subscriptions of all agents."""

    def __init__(self, store: Store, connections: Connections, together: Together, followers: Followers) -> None:
        self._store = store
        self._connections = connections
        self._together = together
        self._followers = followers
        self._sessions: dict[str, Follower] = {}

    async def hold(self, ctx: Context, visit: Visit | JointVisit, session_id: str) -> None:
        """Notify a session of 2025-11-25 of changes until it ends, or its token."""
        if session_id in self._sessions or len(self._followers.of_agent(visit)) >= MOST_STREAMS:
            return
        lists = {name for name in LISTS if self._notifies(visit, name)}
        follower = self._sessions[session_id] = self._follower(visit, lists)
        # Its credential may be one of a few minutes, and the next one of the same agent goes on with the session.
        watched = self._store.watched_sign_ins.watching(visit.user_id, visit.sign_in)
        try:
            with anyio.CancelScope() as scope, watched as watch:
                watch.when_ended(scope.cancel)
                await self._follow(follower, sender(ctx, {}))
        finally:
            del self._sessions[session_id]

    async def answer(self, ctx: Context, visit: Visit | JointVisit, session_id: str) -> Json:
        """Answer a request to subscribe. Raises MCPError and ServerError; a stream ends with its agent."""
        params = dict(ctx.params or {})
        try:
            methods.validate_client_request(ctx.method, ctx.protocol_version, params)
        except KeyError:
            raise MCPError(METHOD_NOT_FOUND, "Method not found", ctx.method) from None
        if ctx.method == "subscriptions/listen":
            return await self._listen(ctx, visit, params["notifications"])
        follower = self._sessions.get(session_id)
        if follower is None:
            raise MCPError(INVALID_REQUEST, f"A session is initialized first, and an agent has {MOST_STREAMS} at most")
        if ctx.method == "logging/setLevel":
            self._check_logs(visit)
            follower.log_level = params["level"]
        elif ctx.method == "resources/subscribe":
            await self._add(follower, visit, params["uri"])
        else:
            self._remove(follower, params["uri"])
        return {}

    def wants(self, ctx: Context, session_id: str) -> Callable[[str, Json], bool]:
        """Return which notifications of the server an agent wants during a call. Raises MCPError for an unknown level.

        In 2025-11-25 the level counts for the session, and each log message passes before it is set.
        """
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            follower = self._sessions.get(session_id)
            return lambda method, params: method != _LOG or _is_at_least(follower.log_level if follower else "", params)
        meta = (ctx.params or {}).get("_meta") or {}
        level = meta.get(LOG_LEVEL_META_KEY)
        if level is not None and level not in _LEVELS:
            raise MCPError(INVALID_PARAMS, f"Invalid request parameters: {LOG_LEVEL_META_KEY} is not a level")
        return lambda method, params: method != _LOG or (level is not None and _is_at_least(level, params))

    def _check_logs(self, visit: Visit | JointVisit) -> None:
        """Raise MCPError if the server has no log messages, as it would itself."""
        if isinstance(visit, Visit):
            capabilities = self._connections.status(visit.server.key).capabilities
            if capabilities is not None and "logging" not in capabilities:
                raise MCPError(METHOD_NOT_FOUND, "Method not found", "logging/setLevel")

    async def _listen(self, ctx: Context, visit: Visit | JointVisit, wanted: Json) -> Json:
        """Acknowledge what the agent will hear of, and tell it."""
        if len(self._followers.of_agent(visit)) >= MOST_STREAMS:
            raise MCPError(INTERNAL_ERROR, f"An agent has {MOST_STREAMS} streams and sessions at most")
        keys = {name: f"{name}ListChanged" for name in LISTS}
        lists = {name for name, key in keys.items() if wanted.get(key) and self._notifies(visit, name)}
        follower = self._follower(visit, lists)
        meta = {SUBSCRIPTION_ID_META_KEY: ctx.request_id}

        async def begin() -> None:
            uris = list(dict.fromkeys(wanted.get("resourceSubscriptions") or ()))
            agreed = await asyncio.gather(*(self._agrees(follower, visit, uri) for uri in uris))
            honored: Json = {keys[name]: True for name in LISTS if name in lists}
            if uris:
                honored["resourceSubscriptions"] = [uri for uri, yes in zip(uris, agreed, strict=True) if yes]
            await sender(ctx, meta)("notifications/subscriptions/acknowledged", {"notifications": honored})

        await self._follow(follower, sender(ctx, meta), begin)
        return {"resultType": "complete", "_meta": meta}

    async def _follow(self, follower: Follower, send: Send, begin: Callable[[], Awaitable[None]] | None = None) -> None:
        try:
            with self._followers.following(follower):
                if begin:
                    await begin()
                await follower.pass_on(send)
        finally:
            follower.has_gone = True
            for uri in list(follower.resources):
                self._remove(follower, uri)

    def _follower(self, visit: Visit | JointVisit, lists: set[str]) -> Follower:
        servers = visit.servers if isinstance(visit, JointVisit) else ()
        connected = {each.id for each in servers if self._connections.status(each.key).state is ServerState.CONNECTED}
        return Follower(visit, {LISTS[name] for name in lists}, connected)

    def _notifies(self, visit: Visit | JointVisit, name: str) -> bool:
        """Return whether it is announced to the agent that it hears of changes of this list."""
        capabilities = (
            None if isinstance(visit, JointVisit) else self._connections.status(visit.server.key).capabilities
        )
        return capabilities is None or name in capabilities

    async def _agrees(self, follower: Follower, visit: Visit | JointVisit, uri: str) -> bool:
        try:
            await self._add(follower, visit, uri)
        except (ServerError, MCPError, ConflictError):
            return False
        return True

    async def _add(self, follower: Follower, visit: Visit | JointVisit, uri: str) -> None:
        """Follow a resource. Raises ConflictError, MCPError, and ServerError if the server refuses."""
        if uri in follower.resources:
            return
        if sum(len(each.resources) for each in self._followers.of_agent(visit)) >= MOST_RESOURCES:
            raise MCPError(INTERNAL_ERROR, f"An agent can follow {MOST_RESOURCES} resources at most")
        if isinstance(visit, JointVisit):
            server, routed = await self._together.routed(visit, "resources/subscribe", {"uri": uri})
            own = str(routed["uri"])
        else:
            server, own = visit.server, uri
        connection = self._connections.connected(server)
        if not notifies_of_updates(connection.status.capabilities):
            raise MCPError(METHOD_NOT_FOUND, "Method not found", "resources/subscribe")
        if follower.has_gone or uri in follower.resources:
            return
        # Noted before the answer, so that no change is missed in between.
        follower.resources[uri] = server, own
        try:
            refusal = await self._connections.watch(server, own)
        except BaseException:
            self._remove(follower, uri)
            raise
        if refusal is not None:
            self._remove(follower, uri)
            raise ServerError(refusal["code"], refusal["message"], refusal.get("data"))

    def _remove(self, follower: Follower, uri: str) -> None:
        if uri in follower.resources:
            self._connections.unwatch(*follower.resources.pop(uri))


def _is_at_least(level: str, params: Json) -> bool:
    """Return whether a log message has this level or a more severe one; any has no level."""
    given = params.get("level")
    return not level or (given in _LEVELS and _LEVELS.index(str(given)) >= _LEVELS.index(level))


def teller(ctx: Context, steps: Steps) -> Tell:
    """Return a function that notifies the agent of a call: before its result, or later outside of requests."""
    outside = sender(replace(ctx, request_id=None), {})

    async def send(method: str, params: Json) -> None:
        # The agent may have gone.
        with suppress(Exception):
            await outside(method, params)

    def tell(method: str, params: Json) -> None:
        if steps.is_over:
            background.start(send(method, params), name="completed link for an agent")
        else:
            steps.add(method, params)

    return tell


def sender(ctx: Context, meta: Json) -> Send:
    """Return what sends notices: on the response to a request, or outside of all."""

    async def send(method: str, params: Json | None) -> None:
        sent = NoticeSent(method=method, params=notice(params or {}, meta))
        await ctx.session.send_notification(cast("ServerNotification", sent), ctx.request_id)

    return send
