"""The one listener of all sessions: passes their events on to the inbox, the running calls and the pages.

It knows which calls run, so it decides to which of them a pushed request may belong; the inbox does the rest.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime

import anyio

from webclient.calls.delivery import Deliveries
from webclient.calls.logs import Logs
from webclient.calls.running import RunningCall, RunningCalls, one_waits
from webclient.inbox import FLOODS, Ending, Inbox, Intake, RefusedError, cut_off, withdrawn
from webclient.live import Hub
from webclient.model import Action, Answer, CallState, Delivery, Json, RequestState, Server, ServerRequest
from webclient.protocol import INTERNAL_ERROR, INVALID_PARAMS, TOO_MANY, ElicitationRefusedError, Endpoint
from webclient.servers import remember
from webclient.store import StorageError, Store


class SessionListener:
    """Implements `protocol.SessionEvents` for the whole program."""

    def __init__(
        self,
        store: Store,
        hub: Hub,
        *,
        inbox: Inbox,
        intake: Intake,
        running_calls: RunningCalls,
        deliveries: Deliveries,
    ) -> None:
        self._store = store
        self._hub = hub
        self._inbox = inbox
        self._intake = intake
        self._running_calls = running_calls
        self._deliveries = deliveries
        self._logs = Logs(store, hub, running_calls)

    def changed(self, endpoint: Endpoint) -> None:
        """Publish that the server has changed."""
        self._hub.publish(endpoint.server.user_id, "server", endpoint.server.id)

    async def learned(self, endpoint: Endpoint, news: Json) -> None:
        """Remember for the next connection what this one has shown of the server."""
        await remember(self._store, endpoint, news)

    async def elicited(self, endpoint: Endpoint, request: ServerRequest) -> Answer:
        """Return the person's answer. Raises ElicitationRefusedError."""
        possible = self._running_calls.possible_calls(endpoint.server.id, request.call_id)
        try:
            return await self._answer(endpoint, possible, request)
        except RefusedError as error:
            code = TOO_MANY if error.refusal.limit in FLOODS else INVALID_PARAMS
            raise ElicitationRefusedError(code, error.refusal.told) from error
        except StorageError as error:
            # A request that cannot be stored is refused, since a restart would lose it silently.
            message = f"The question could not be stored: {error.why}."
            raise ElicitationRefusedError(INTERNAL_ERROR, message) from error

    async def _answer(self, endpoint: Endpoint, possible: list[RunningCall], request: ServerRequest) -> Answer:
        calls = [running.call for running in possible]
        with self._intake.pushed(endpoint, calls, request) as pushed:
            try:
                if not await self._intake.put_pushed(endpoint, calls, pushed):
                    return Answer(action=Action.CANCEL)
                # After the request is stored: a page that shows the call as waiting must find the request.
                async with one_waits(possible):
                    return await self._inbox.answer_to(pushed.request)
            except RefusedError:
                raise
            except BaseException:
                running = self._running_calls.get(pushed.request.call_id)
                ending = (running and running.ending) or pushed.withdrawn or _ending(endpoint)
                # Shielded: the scope may be cancelled already, and the card must still say why.
                with anyio.CancelScope(shield=True):
                    await self._inbox.settle(pushed.request, *ending)
                    await self._deliveries.record([pushed.request], Delivery.FAILED)
                raise

    async def malformed(self, endpoint: Endpoint, request: ServerRequest, error: str) -> None:
        """Show an elicitation that the SDK refused."""
        possible = self._running_calls.possible_calls(endpoint.server.id, request.call_id)
        await self._intake.malformed(endpoint, [running.call for running in possible], request, error)

    async def delivered(self, endpoint: Endpoint, request: ServerRequest, *, arrived: bool) -> None:
        """Record whether the answer arrived."""
        await self._deliveries.record_pushed(endpoint.server.user_id, request.id, arrived=arrived)

    async def completed(self, endpoint: Endpoint, completed_at: Mapping[str, datetime]) -> None:
        """Complete the links of this server that wait for these ids."""
        await self._inbox.links.notified(endpoint.server.user_id, endpoint.server.id, completed_at)

    def logged(self, endpoint: Endpoint, call_id: str | None, params: Json) -> None:
        """Store a log message of the server with its call."""
        self._logs.logged(endpoint.server.id, call_id, params)

    async def lost(self, endpoint: Endpoint, *, stopped: bool) -> None:
        """Settle the requests and end the calls of a session that is about to end.

        A call that survives its session continues in the next one, unless this one is `stopped` from here.
        """
        await self._end(endpoint.server, _interrupted(endpoint), stopped=stopped)

    async def _end(self, server: Server, ending: Ending, *, stopped: bool) -> None:
        here = self._running_calls.of_server(server.id)
        ended = [each for each in here if not each.handed_over and (stopped or not each.survives_session)]
        spared = {each.call.id for each in here if each not in ended}
        pending = await self._store.of(server.user_id).requests.find(state=RequestState.PENDING, server_id=server.id)
        await asyncio.gather(*(running.stop(CallState.INTERRUPTED, ending) for running in ended))
        gone = self._running_calls.is_handed_over
        left = [each for each in pending if each.call_id not in spared and not gone(each.call_id)]
        await self._inbox.settle_all(left, *ending)

    def is_busy(self, endpoint: Endpoint) -> bool:
        """Whether the server works for a call or waits for an answer; between two rounds it is idle."""
        server_id = endpoint.server.id
        working = any(not running.survives_session for running in self._running_calls.of_server(server_id))
        return working or self._intake.pushed_requests.any_from(server_id)

    def is_awaited(self, endpoint: Endpoint) -> bool:
        """Whether a call waits to resume in the server's next session."""
        return any(running.resumable for running in self._running_calls.of_server(endpoint.server.id))

    async def close(self) -> None:
        """Write the log messages that are left."""
        await self._logs.close()


def _interrupted(endpoint: Endpoint) -> Ending:
    """Return how a request ends with its session."""
    return (RequestState.INTERRUPTED, endpoint.interrupted) if endpoint.interrupted else cut_off()


def _ending(endpoint: Endpoint) -> Ending:
    """Return how a request ends whose handler was cancelled: its session ended, or its server withdrew it."""
    return withdrawn() if endpoint.interrupted is None else _interrupted(endpoint)
