"""Makes the responses of a server acceptable to the SDK, which would discard a whole one for a detail."""

from __future__ import annotations

from collections.abc import Callable

from mcp.types import PROTOCOL_VERSION_META_KEY, JSONRPCRequest, JSONRPCResponse, RequestId
from mcp.types.version import LATEST_HANDSHAKE_VERSION

from webclient.domain.model import Json
from webclient.protocol.messages.listing import ENTRIES_OF, remove_invalid_entries
from webclient.protocol.messages.server_info import remove_invalid_info
from webclient.protocol.messages.task_calls import asks_for_task, pad_handle

_GREETINGS = ("initialize", "server/discover")
"""Requests in whose results a server describes itself."""


class Responses:
    """The responses that are expected in one session; `are_modern`: the last request was one of 2026-07-28.

    `on_greeting` gets the result in which the server describes itself.
    """

    def __init__(self, on_greeting: Callable[[Json], None], *, over_http: Callable[[], bool]) -> None:
        self.are_modern = False
        self._on_greeting = on_greeting
        self._over_http = over_http
        self._modern: set[RequestId] = set()
        self._listings: dict[RequestId, tuple[str, str]] = {}
        self._greetings: set[RequestId] = set()
        self._as_tasks: set[RequestId] = set()

    def expect(self, message: JSONRPCRequest) -> None:
        """Note a request that is being sent."""
        meta = (message.params or {}).get("_meta") or {}
        self.are_modern = PROTOCOL_VERSION_META_KEY in meta
        if self.are_modern:
            self._modern.add(message.id)
        if asks_for_task(message):
            self._as_tasks.add(message.id)
        if message.method in _GREETINGS:
            self._greetings.add(message.id)
        if message.method in ENTRIES_OF:
            version = meta.get(PROTOCOL_VERSION_META_KEY, LATEST_HANDSHAKE_VERSION)
            self._listings[message.id] = (message.method, version)

    def repair(self, message: JSONRPCResponse, most_entries: int) -> None:
        """Change the result of an expected response where the SDK needs that."""
        if message.id in self._modern:
            self._modern.discard(message.id)
            # MCP 2026-07-28 requires `resultType`. A server that leaves it out means "complete", and the SDK would
            # discard the result.
            message.result.setdefault("resultType", "complete")
        if message.id in self._greetings:
            self._greetings.discard(message.id)
            self._on_greeting(message.result)
            remove_invalid_info(message.result)
        if message.id in self._as_tasks:
            self._as_tasks.discard(message.id)
            pad_handle(message.result)
        if listing := self._listings.pop(message.id, None):
            remove_invalid_entries(*listing, message.result, most_entries, over_http=self._over_http())
