"""Notices that a server's lists of tools, prompts or resources have changed, and tells so, seldom enough.

In 2025-11-25 the server notifies by itself; in 2026-07-28 it does on a stream that is opened for that
(`subscriptions/listen`), and only of what was subscribed to.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import chain, repeat

from mcp import MCPError
from mcp.client import ClientSession, IncomingMessage
from mcp.client.subscriptions import SubscriptionLost, listen
from mcp.types import (
    METHOD_NOT_FOUND,
    PromptListChangedNotification,
    ResourceListChangedNotification,
    ToolListChangedNotification,
)
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from webclient.protocol.http import LISTEN_PAUSES

PAUSE = 0.5
"""Seconds in which any number of changes is told once; each telling has open pages list everything again."""

_NOTIFICATIONS = (ToolListChangedNotification, PromptListChangedNotification, ResourceListChangedNotification)


class ListChanges:
    """The changes of one session's lists: `changed` is called for each, `tell` a moment after the first of several.

    A form must never run against a list that is known to have changed; only pages can wait.
    """

    def __init__(self, changed: Callable[[], None], tell: Callable[[], None]) -> None:
        self._changed = changed
        self._tell = tell
        self._timer: asyncio.TimerHandle | None = None

    def notified(self, message: IncomingMessage) -> None:
        """Take note of a notification of the server, if it says that a list has changed."""
        if isinstance(message, _NOTIFICATIONS):
            self._note()

    async def listen(self, session: ClientSession) -> None:
        """Take note of what a 2026-07-28 server tells those who listen, for as long as the session stands."""
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
        """Tell nothing more."""
        if self._timer:
            self._timer.cancel()

    def _note(self) -> None:
        self._changed()
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(PAUSE, self._tell_now)

    def _tell_now(self) -> None:
        self._timer = None
        self._tell()


def _announces(session: ClientSession, name: str) -> bool:
    """Return whether the server says that it tells when the list of that name changes."""
    return bool(getattr(getattr(session.server_capabilities, name, None), "list_changed", None))
