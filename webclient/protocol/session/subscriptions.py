"""The resources that a user follows: subscribed to in one session, in either era, and again when their list changes.

2025-11-25 has a request for each (`resources/subscribe`), 2026-07-28 one stream for all (`subscriptions/listen`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import chain, repeat

import anyio
from mcp import MCPError
from mcp.client import ClientSession, IncomingMessage
from mcp.client.subscriptions import ResourceUpdated, SubscriptionLost, listen
from mcp.types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    ErrorData,
    ResourceUpdatedNotification,
    SubscribeRequest,
    SubscribeRequestParams,
    UnsubscribeRequest,
    UnsubscribeRequestParams,
)
from mcp.types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from webclient.content.masking import mask_secrets
from webclient.protocol.endpoint import Endpoint
from webclient.protocol.messages.raw_request import send
from webclient.protocol.session.notifications import ServerNotifications
from webclient.protocol.transports.http import LISTEN_PAUSES

LONGEST_WAIT = 20.0
"""Seconds after which a server that does not answer a subscription has refused it; the next one is tried then."""

_NO_WORD = ErrorData(code=INTERNAL_ERROR, message="")


class Subscriptions:
    """The subscriptions of one session to the resources in `endpoint.followed`.

    What the server says goes to `endpoint.resource_updates`, and what it has answered to `endpoint.watched` as well;
    pages are notified a few times a second at most. `again` is called with a resource whose changes may have been
    missed.
    """

    def __init__(self, endpoint: Endpoint, again: Callable[[str], None]) -> None:
        self._endpoint = endpoint
        self._updates = endpoint.resource_updates
        self._again = again
        self._notices = ServerNotifications(endpoint.notify)
        self._changed = asyncio.Event()
        self._is_pushed = False

    def changed(self) -> None:
        """Handle that the user may follow other resources than before."""
        self._changed.set()

    def received(self, message: IncomingMessage) -> None:
        """Handle a message of the server; only updates of a 2025-11-25 server matter."""
        # In 2026-07-28 they count only if they come on the stream that was opened for them.
        if self._is_pushed and isinstance(message, ResourceUpdatedNotification):
            self._note(message.params.uri)

    async def run(self, session: ClientSession) -> None:
        """Keep the subscriptions as the user wants them while the session is open."""
        # Only what was declared is used (MCP 2025-11-25, Lifecycle, Operation: MUST).
        if not getattr(getattr(session.server_capabilities, "resources", None), "subscribe", None):
            return
        if session.protocol_version in MODERN_PROTOCOL_VERSIONS:
            await self._listen(session)
        else:
            self._is_pushed = True
            await self._subscribe(session)

    def end(self) -> None:
        """Note that the server notifies of nothing any more."""
        self._notices.end()
        self._interrupted()

    def _interrupted(self) -> None:
        self._updates.interrupted()
        self._endpoint.watched.interrupted()

    def _note(self, uri: str) -> None:
        if self._updates.add(uri, self._endpoint.server.followed):
            self._notices.add()

    async def _subscribe(self, session: ClientSession) -> None:
        subscribed: list[str] = []
        while True:
            self._changed.clear()
            wanted = self._endpoint.followed
            for uri in [each for each in subscribed if each not in wanted]:
                subscribed.remove(uri)
                if not self._endpoint.watched.ended(uri):
                    continue
                # A refusal changes nothing: what comes all the same is ignored.
                await _error_of(session, UnsubscribeRequest(params=UnsubscribeRequestParams(uri=uri)))
            for uri in [each for each in wanted if each not in subscribed]:
                subscribed.append(uri)
                error = await _error_of(session, SubscribeRequest(params=SubscribeRequestParams(uri=uri)))
                self._answered([uri], error)
            await self._changed.wait()

    async def _listen(self, session: ClientSession) -> None:
        """Keep a stream open; for another list of resources, a second one is opened before the first is closed."""
        streamed: Sequence[str] = ()
        async with asyncio.TaskGroup() as streams:
            earlier: asyncio.Task[None] | None = None
            while True:
                self._changed.clear()
                wanted = self._endpoint.followed
                if set(wanted) != set(streamed):
                    opened = asyncio.Event()
                    newer = streams.create_task(self._read(session, wanted, opened)) if wanted else None
                    if newer:
                        with anyio.move_on_after(LONGEST_WAIT):
                            await opened.wait()
                    if earlier:
                        earlier.cancel()
                    for uri in set(streamed) - set(wanted):
                        self._endpoint.watched.ended(uri)
                    streamed, earlier = wanted, newer
                await self._changed.wait()

    async def _read(self, session: ClientSession, uris: Sequence[str], opened: asyncio.Event) -> None:
        """Read a stream of updates, opened again whenever it ends: there is no replay, so `since` begins again."""
        for pause in chain(LISTEN_PAUSES, repeat(LISTEN_PAUSES[-1])):
            try:
                async with listen(session, resource_subscriptions=uris) as updates:
                    honored = updates.honored.resource_subscriptions or ()
                    self._answered([uri for uri in uris if uri in honored], None)
                    self._answered([uri for uri in uris if uri not in honored], _NO_WORD)
                    opened.set()
                    async for update in updates:
                        if isinstance(update, ResourceUpdated):
                            self._note(update.uri)
                self._interrupted()
            except SubscriptionLost:
                self._interrupted()
            except MCPError as error:
                if error.error.code == CONNECTION_CLOSED:
                    self._interrupted()
                else:
                    self._answered(uris, error.error)
                if error.error.code == METHOD_NOT_FOUND:
                    return
            finally:
                opened.set()
            self._notices.add()
            await asyncio.sleep(pause)

    def _answered(self, uris: Sequence[str], error: ErrorData | None) -> None:
        """Note what the server has answered for these resources: nothing, or why it refuses."""
        for uri in uris:
            if uri in self._endpoint.server.followed:
                if error is None:
                    self._updates.subscribed(uri)
                else:
                    self._updates.refused(uri, mask_secrets(self._endpoint.secrets, error.message))
            refusal = error.model_dump(exclude_unset=True) if error else None
            if self._endpoint.watched.answered(uri, refusal):
                self._again(uri)
        self._notices.add()


async def _error_of(session: ClientSession, request: SubscribeRequest | UnsubscribeRequest) -> ErrorData | None:
    """Send the request; return the error with which the server refuses, one without a word if it says nothing."""
    try:
        async with asyncio.timeout(LONGEST_WAIT):
            await send(session, request)
    except MCPError as error:
        return error.error
    except (TimeoutError, ValidationError, anyio.ClosedResourceError, anyio.BrokenResourceError):
        return _NO_WORD
    return None
