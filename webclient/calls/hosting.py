"""Hosts a server's request as a task (MCP 2025-11-25, Tasks): it goes into the inbox, and its server has the task.

From then on the request depends neither on its session nor on this process; the server fetches the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextvars import Context

import anyio

from webclient.calls.running import RunningCall
from webclient.calls.saved_sessions import SavedSessions
from webclient.domain.model import InputRequest, Json, ListedRequest, ReasonCode, Server, ServerKey, ServerRequest
from webclient.inbox import Arrival, Ending, HostedAnswers, Inbox, Intake, kind_of, task_of, waiting_calls
from webclient.store import Store
from webclient.support.background import Supervisor

_ENDS_HOSTED = (
    ReasonCode.SERVER_DISCONNECTED,
    ReasonCode.ADDRESS_CHANGED,
    ReasonCode.ENTRY_CHANGED,
    ReasonCode.ENTRY_REMOVED,
    ReasonCode.ERA_CHANGED,
    ReasonCode.SIGN_IN_REMOVED,
)
"""The ends of a session after which its user does not expect the questions of the server any more."""


class Hosting:
    """The hosted requests that came in this process; `tasks` answers what servers ask about all of them."""

    def __init__(
        self, store: Store, inbox: Inbox, intake: Intake, tasks: HostedAnswers, saved_sessions: SavedSessions
    ) -> None:
        self._saved_sessions = saved_sessions
        saved_sessions.other_work.append(self._goes_on)
        self._store = store
        self._inbox = inbox
        self._intake = intake
        self._tasks = tasks
        self._watching = Supervisor()

    async def host(
        self,
        arrival: Arrival,
        calls: Sequence[RunningCall],
        request: ServerRequest,
        ending: Callable[[], Ending],
    ) -> Json:
        """Show the one request of `arrival`, and return the result `{task}`.

        The `calls` to which it may belong wait for it. If this is cancelled, its server knows of no task, so the
        request ends as `ending` says. Raises RefusedError, StorageError.
        """
        hosted = (await self._intake.admit(arrival))[request.id]
        if not hosted.pending:
            # The server is muted. It gets a task all the same (Tasks: MUST), which is over.
            self._tasks.remember(hosted)
            return {"task": task_of(hosted)}
        # Most servers come back for the answer in the same session.
        await self._saved_sessions.keep(hosted.server_key)
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # A context of its own: that of this request may name a call.
        watching = self._watch(arrival, hosted, calls, request, stored)
        self._watching.start(watching, name="hosted task", context=Context())
        try:
            await asyncio.shield(stored)
        except asyncio.CancelledError:
            # Shielded: the scope is cancelled already, and the card must still say why.
            with anyio.CancelScope(shield=True):
                await asyncio.wait([stored])
                await self._inbox.settle(hosted, *ending())
            raise
        return {"task": await self._tasks.read(hosted)}

    async def fetched(self, key: ServerKey) -> None:
        """Give up the session for which no other answer waits."""
        await self._saved_sessions.release(key)

    async def _goes_on(self, key: ServerKey) -> bool:
        return await self._store.of(key[0]).hosted_tasks.any_of(key[1])

    async def outlive(self, server: Server, hosted: Sequence[ListedRequest], ending: Ending) -> set[str]:
        """Return which of these requests stay open although their session ends, by id.

        Most do: the server fetches the answers in another session, unless the user has put an end to that.
        """
        code = ending[1].code
        if code in _ENDS_HOSTED:
            return set()
        if hosted and code is ReasonCode.PERMISSIONS_CHANGED:
            server = await self._store.of(server.user_id).servers.get(server.id)
            hosted = [each for each in hosted if kind_of(each).mode in server.modes]
        return {each.id for each in hosted}

    async def close(self) -> None:
        """Stop following the requests; they stay as they are."""
        self._watching.cancel()
        await self._watching.ended()

    async def _watch(
        self,
        arrival: Arrival,
        hosted: InputRequest,
        calls: Sequence[RunningCall],
        request: ServerRequest,
        stored: asyncio.Future[None],
    ) -> None:
        """Put the request, and show until it is settled that its calls wait for it."""
        try:
            with self._intake.pushed_requests.tracking(hosted, request) as pushed:
                async with waiting_calls(calls) as waiting:
                    with waiting.begin() as changes:
                        await self._intake.put(arrival.source, arrival.call, [hosted], changes)
                    await self._intake.pushed_requests.catch_up(pushed)
                    if not stored.done():
                        stored.set_result(None)
                    await self._inbox.answer_to(hosted, waiting.end)
        except Exception as error:
            if stored.done():
                raise
            stored.set_exception(error)
        finally:
            stored.cancel()
