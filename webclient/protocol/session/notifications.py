"""Notifications from a server: requested, collected, and passed on a few times a second at most.

Three kinds come: changes of its lists, completed links, and log messages. A server may send thousands of them a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import datetime
from itertools import chain, repeat

import anyio
from mcp import MCPError
from mcp.client import ClientSession, IncomingMessage
from mcp.client.subscriptions import SubscriptionLost, listen
from mcp.types import (
    METHOD_NOT_FOUND,
    ProgressNotification,
    PromptListChangedNotification,
    ResourceListChangedNotification,
    RootsListChangedNotification,
    SetLevelRequest,
    SetLevelRequestParams,
    ToolListChangedNotification,
)
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from webclient.domain.model import Json, LogLevel, Server, now
from webclient.protocol.messages.raw_request import send
from webclient.protocol.transports.http import LISTEN_PAUSES

LISTS_PAUSE = 0.5
"""Seconds in which all changes count as one; each notice makes open pages list everything again."""

COMPLETIONS_PAUSE = 0.1
"""Seconds between two look-ups of completed links."""

_LIST_CHANGED = (ToolListChangedNotification, PromptListChangedNotification, ResourceListChangedNotification)

LookUp = Callable[[Mapping[str, datetime]], Awaitable[None]]
"""Completes the links that wait for these ids; each id has the time of its notification."""


class ServerNotifications:
    """Passes many notices on as one: `notify` is called shortly after the first of them."""

    def __init__(self, notify: Callable[[], None]) -> None:
        self._notify = notify
        self._timer: asyncio.TimerHandle | None = None

    def add(self) -> None:
        """Notify soon."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LISTS_PAUSE, self._notify_now)

    def end(self) -> None:
        """Stop notifying."""
        if self._timer:
            self._timer.cancel()

    def _notify_now(self) -> None:
        self._timer = None
        self._notify()


class ListChanges:
    """The changes of one session's lists: `changed` is called for each, `notify` shortly after the first of several.

    A form must never run against a list that is known to have changed; only pages can wait. In 2025-11-25 the server
    notifies by itself; in 2026-07-28 it does on a stream that the client opens for that.
    """

    def __init__(self, changed: Callable[[], None], notify: Callable[[], None]) -> None:
        self._changed = changed
        self._notices = ServerNotifications(notify)

    def received(self, message: IncomingMessage) -> None:
        """Handle a message of the server; only changes of lists matter."""
        if isinstance(message, _LIST_CHANGED):
            self._note()

    async def listen(self, session: ClientSession) -> None:
        """Subscribe to the changes of a 2026-07-28 server while the session is open."""
        tools, prompts, resources = (_announces(session, name) for name in ("tools", "prompts", "resources"))
        if session.protocol_version not in MODERN_PROTOCOL_VERSIONS or not (tools or prompts or resources):
            return
        for pause in chain(LISTEN_PAUSES, repeat(LISTEN_PAUSES[-1])):
            try:
                async with listen(
                    session,
                    tools_list_changed=tools,
                    prompts_list_changed=prompts,
                    resources_list_changed=resources,
                ) as changes:
                    async for _change in changes:
                        self._note()
            except SubscriptionLost:
                pass
            except MCPError as error:
                if error.error.code == METHOD_NOT_FOUND:
                    return
            await asyncio.sleep(pause)

    def end(self) -> None:
        """Stop notifying."""
        self._notices.end()

    def _note(self) -> None:
        self._changed()
        self._notices.add()


def _announces(session: ClientSession, name: str) -> bool:
    """Return whether the server announces that it notifies of changes of this list."""
    return bool(getattr(getattr(session.server_capabilities, name, None), "list_changed", None))


class Completions:
    """The completed links of one session: however many notifications come, a few look-ups a second handle them all."""

    def __init__(self, look_up: LookUp) -> None:
        self._look_up = look_up
        self._completed_at: dict[str, datetime] = {}
        self._busy = False

    def add(self, elicitation_id: str) -> bool:
        """Note a completion; return whether `work` has to be started for it."""
        # The time of the notification counts: a link that is opened before the look-up was opened after it.
        self._completed_at[elicitation_id] = now()
        start, self._busy = not self._busy, True
        return start

    async def work(self) -> None:
        """Look up the noted completions, and those that come meanwhile."""
        try:
            while self._completed_at:
                completed_at, self._completed_at = self._completed_at, {}
                await self._look_up(completed_at)
                await asyncio.sleep(COMPLETIONS_PAUSE)
        finally:
            self._busy = False


def progress_in(message: IncomingMessage) -> tuple[str | int, Json] | None:
    """Return the token and the step of a progress notification; None for any other message."""
    if not isinstance(message, ProgressNotification):
        return None
    step = message.params.model_dump(include={"progress", "total", "message"}, exclude_none=True)
    return message.params.progress_token, step


async def request_logs(session: ClientSession, server: Server) -> None:
    """Ask a 2025-11-25 server for its log messages; a 2026-07-28 server is asked with each request.

    Without it some servers send all and some send none (MCP 2025-11-25, Logging). A refusal changes nothing.
    """
    modern = session.protocol_version in MODERN_PROTOCOL_VERSIONS
    if modern or getattr(session.server_capabilities, "logging", None) is None:
        return
    # There is no way to ask for none at all.
    level = LogLevel.EMERGENCY if server.log_level is LogLevel.OFF else server.log_level
    with suppress(MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError):
        await send(session, SetLevelRequest(params=SetLevelRequestParams.model_validate({"level": level.value})))


async def tell_changes(session: ClientSession, earlier: Server, server: Server) -> None:
    """Tell a 2025-11-25 server that its roots or its log level have changed; in 2026-07-28 each request says it."""
    if session.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return
    if server.roots != earlier.roots:
        # MCP 2025-11-25, Roots, Root List Changes: MUST. A transport that breaks ends the session, which reports it.
        with suppress(MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            await session.send_notification(RootsListChangedNotification())
    if server.log_level != earlier.log_level:
        await request_logs(session, server)
