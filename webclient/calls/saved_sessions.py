"""The sessions over HTTP that outlive their connection, because tasks of 2025-11-25 go on in them.

Most servers tell of a task only in the session that created it, and wait there for the answers to what they asked. So
what resumes the session is stored before the first task of it, and the questions of its tasks stay open without a
connection (MCP 2025-11-25, Transports, Session Management; Tasks).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from webclient.calls.delivery import Deliveries
from webclient.calls.running import RunningCalls
from webclient.domain.errors import NotFoundError
from webclient.domain.model import Came, Delivery, InputRequest, RequestState, SavedSession, ServerKey
from webclient.inbox import Inbox, Intake, cut_off
from webclient.store import StorageError, Store

GoesOn = Callable[[ServerKey], Awaitable[bool]]
"""Returns whether other work than that of calls goes on in the session with a server."""


class SavedSessions:
    """The session with each server that can be resumed; `other_work` tells of more than the tasks of calls."""

    def __init__(
        self, store: Store, inbox: Inbox, intake: Intake, deliveries: Deliveries, running_calls: RunningCalls
    ) -> None:
        self.other_work: list[GoesOn] = []
        self._store = store
        self._inbox = inbox
        self._intake = intake
        self._deliveries = deliveries
        self._running_calls = running_calls
        self._current: dict[ServerKey, SavedSession] = {}
        self._stored: set[ServerKey] = set()
        self._calls_resumed = asyncio.Event()

    def calls_resumed(self) -> None:
        """Note that the calls of the earlier process run again."""
        self._calls_resumed.set()

    async def keep(self, key: ServerKey) -> None:
        """Store what resumes the current session, before work begins that goes on in it."""
        if key in self._current and key not in self._stored:
            await self._save(self._current[key])

    async def release(self, key: ServerKey) -> None:
        """Forget what resumes the session if nothing goes on in it any more."""
        if key in self._stored and not await self._goes_on(key):
            await self.forget(key)

    async def find(self, key: ServerKey) -> SavedSession | None:
        """Return what resumes the session with the server, if work goes on in it."""
        await self._calls_resumed.wait()
        saved = await self._store.of(key[0]).saved_sessions.get(key[1])
        if saved is None:
            return None
        self._stored.add(key)
        if not await self._goes_on(key):
            await self.forget(key)
            return None
        return saved

    async def forget(self, key: ServerKey) -> None:
        """Forget what resumes the session with the server."""
        self._stored.discard(key)
        await self._store.of(key[0]).saved_sessions.drop(key[1])

    async def opened(self, key: ServerKey, session: SavedSession | None, *, resumed: bool) -> list[InputRequest]:
        """Note the session that was opened; return the requests that still wait to be answered in a resumed one.

        In a new one they end, because the server that waits for their answers does so in another session.
        """
        self._current.pop(key, None)
        if session:
            self._current[key] = session
            # Also a new session: a server may know a task in every session, and ask for the rest of it in this one.
            if resumed or await self._goes_on(key):
                await self._save(session)
        left = await self._left_open(key)
        if resumed:
            return left
        await self._inbox.settle_all([each for each in left if each.pending], *cut_off())
        await self._deliveries.record([each for each in left if not each.pending], Delivery.UNKNOWN)
        return []

    def let_go(self, key: ServerKey) -> None:
        """Drop what is in memory about the session with a disconnected server."""
        self._current.pop(key, None)
        self._stored.discard(key)

    async def left_open(self, session: SavedSession) -> None:
        """Store what is open in a session that outlives its connection."""
        key = session.user_id, session.server_id
        if key in self._stored:
            self._current[key] = session
            # Without it a question may be lost that the server asks while it cannot reach us.
            with suppress(StorageError):
                await self._save(session)

    def outlives(self, request: InputRequest) -> bool:
        """Return whether a pushed request belongs to a task, and stays open without its connection."""
        is_of_task = any(each.call.id == request.call_id for each in self._running_calls.with_tasks(request.server_key))
        return request.server_key in self._stored and is_of_task

    async def _save(self, session: SavedSession) -> None:
        key = session.user_id, session.server_id
        try:
            await self._store.of(key[0]).saved_sessions.save(session)
        except NotFoundError:
            # The server was removed meanwhile.
            return
        self._stored.add(key)

    async def _goes_on(self, key: ServerKey) -> bool:
        if self._running_calls.with_tasks(key):
            return True
        return any([await goes_on(key) for goes_on in self.other_work])

    async def _left_open(self, key: ServerKey) -> list[InputRequest]:
        """Return the requests of tasks that an earlier connection has left without an answer."""
        found = [await self._inbox.of_call(running.call) for running in self._running_calls.with_tasks(key)]
        return [request for each in found for request in each if self._is_left(request)]

    def _is_left(self, request: InputRequest) -> bool:
        if request.came is not Came.PUSHED or self._intake.pushed_requests.is_tracked(request):
            return False
        # An answer is complete in its row unless some of its values were not to be stored.
        unsent = request.delivery is Delivery.SENDING and not request.gone
        return request.state is RequestState.PENDING or unsent
