"""The one way into the inbox: `Intake` admits the requests of an `Arrival`, shows them, and waits for the answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import Context
from dataclasses import replace
from functools import partial

import anyio

from webclient.domain.model import (
    Call,
    Delivery,
    InputRequest,
    Json,
    RequestState,
    Server,
    ServerKey,
    ServerRequest,
    Via,
    now,
)
from webclient.inbox.admission import Admission
from webclient.inbox.arrival import Arrival, Source
from webclient.inbox.delivery import Deliveries
from webclient.inbox.endings import Ending, withdrawal_of, withdrawn
from webclient.inbox.hosted_answers import HostedAnswers
from webclient.inbox.hosted_tasks import task_of
from webclient.inbox.inbox import Inbox
from webclient.inbox.kinds import AutomaticKind, is_automatic, kind_of
from webclient.inbox.open_calls import OpenCall, WaitingCalls, waiting_calls
from webclient.inbox.policy import Limit, Refusal, RefusedError, muted
from webclient.inbox.pushed_requests import Pushed, PushedRequests
from webclient.inbox.refusals import checked_result, refusals
from webclient.protocol import RequestRefusedError
from webclient.store import CallChange, Store
from webclient.support import background
from webclient.support.background import Supervisor

Outlives = Callable[[InputRequest], bool]
"""Returns whether a pushed request stays open without its session."""

Keep = Callable[[ServerKey], Awaitable[None]]
"""Stores what resumes the current session with a server."""


class Intake:
    """Admits the requests of servers, puts them into the inbox, and waits for the answers of pushed ones.

    `pushed_requests` has those without an answer, and `hosted_answers` the tasks as which they are hosted.
    """

    def __init__(self, store: Store, inbox: Inbox, admission: Admission, deliveries: Deliveries) -> None:
        self._inbox = inbox
        self._admission = admission
        self._deliveries = deliveries
        self._health = store.health
        self._hosted = Supervisor()
        self.hosted_answers = HostedAnswers(store, inbox)
        self.pushed_requests = PushedRequests(inbox)
        self.roots: Callable[[InputRequest], Awaitable[Json | None]] = _no_answer

    async def receive(self, arrival: Arrival, request: ServerRequest, outlives: Outlives) -> Json:
        """Put a pushed request to the person, and return its result when they have answered.

        The calls of the arrival wait for it meanwhile. If this is cancelled, because the server withdrew its request or
        the session ended, the request ends with that reason, or stays open if it `outlives` the session. Raises
        RequestRefusedError.
        """
        with refusals(request), self.pushed_requests.tracking(arrival.requests[request.id], request) as pushed:
            async with self._settling(pushed, arrival.source, arrival.calls, outlives):
                admitted = (await self.admit(arrival))[request.id]
                if is_automatic(admitted):
                    # First the history has it, then the server.
                    await self._admission.record(admitted)
                if not admitted.pending:
                    return checked_result(admitted)
                request.wants_delivery = True
                async with waiting_calls(arrival.calls) as waiting:
                    await self._put_pushed(arrival, pushed, waiting)
                    return checked_result(await self._inbox.answer_to(pushed.request, waiting.end))

    async def receive_again(
        self, row: InputRequest, source: Source, calls: Sequence[OpenCall], request: ServerRequest, outlives: Outlives
    ) -> Json:
        """Return the result of a request that is in the store since an earlier connection; as for `receive`."""
        request.wants_delivery = True
        with refusals(request), self.pushed_requests.tracking(row, request) as pushed:
            async with self._settling(pushed, source, calls, outlives), waiting_calls(calls) as waiting:
                await waiting.begin_again()
                return checked_result(await self._inbox.answer_to(row, waiting.end))

    async def propose(self, server: Server, request: InputRequest, change: CallChange) -> None:
        """Put a call to the person before its server gets it; write `change` with the question.

        Raises RefusedError, and StorageError.
        """
        # The agent asks and not the server, which may be muted.
        await self._admission.admit(replace(server, muted_at=None), [request])
        with self._releasing([request]):
            await self._inbox.put([request], changes=[change])

    async def host(self, arrival: Arrival, request: ServerRequest, keep: Keep) -> Json:
        """Host a request as a task, and return the result `{task}`.

        Before that, `keep` stores its session, in which most servers fetch the answer. From then on the request depends
        neither on its session nor on this process. If this is cancelled, its server knows of no task, so the request
        ends. Raises RequestRefusedError.
        """
        with refusals(request):
            hosted = (await self.admit(arrival))[request.id]
            if not hosted.pending:
                # The server is muted. It gets a task all the same (Tasks: MUST), which is over.
                self.hosted_answers.remember(hosted)
                return {"task": task_of(hosted)}
            with self._releasing([hosted]):
                await keep(hosted.server_key)
            stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            # A context of its own: that of this request may name a call.
            self._hosted.start(self._watch(arrival, request, stored), name="hosted task", context=Context())
            try:
                await background.shared(stored)
            except asyncio.CancelledError:
                # Shielded: the scope is cancelled already, and the card must still say why.
                with anyio.CancelScope(shield=True):
                    await asyncio.wait([stored])
                    await self._inbox.settle(hosted, *_ending_of(request, hosted, arrival.source))
                raise
            return {"task": await self.hosted_answers.read(hosted)}

    async def _watch(self, arrival: Arrival, request: ServerRequest, stored: asyncio.Future[None]) -> None:
        """Put the request of a task, and show until it is settled that its calls wait for it."""
        try:
            with self.pushed_requests.tracking(arrival.requests[request.id], request) as pushed:
                async with waiting_calls(arrival.calls) as waiting:
                    await self._put_pushed(arrival, pushed, waiting)
                    if not stored.done():
                        stored.set_result(None)
                    await self._inbox.answer_to(pushed.request, waiting.end)
        except Exception as error:
            if stored.done():
                raise
            stored.set_exception(error)
        finally:
            stored.cancel()

    async def _put_pushed(self, arrival: Arrival, pushed: Pushed, waiting: WaitingCalls) -> None:
        with waiting.begin() as changes:
            await self.put(arrival.source, arrival.call, [pushed.request], changes)
        await self.pushed_requests.catch_up(pushed)

    @asynccontextmanager
    async def _settling(
        self, pushed: Pushed, source: Source, calls: Sequence[OpenCall], outlives: Outlives
    ) -> AsyncIterator[None]:
        """Settle the request if the block that waits for its answer is cancelled, unless it outlives the session."""
        try:
            yield
        except (RefusedError, RequestRefusedError):
            raise
        except BaseException:
            ending = (calls[0].ending if len(calls) == 1 else None) or pushed.withdrawn
            if ending is None and source.interrupted and outlives(pushed.request):
                pushed.server_request.outlives_session = True
                raise
            # Shielded: the scope may be cancelled already, and the card must still say why.
            with anyio.CancelScope(shield=True):
                ending = ending or _ending_of(pushed.server_request, pushed.request, source)
                await self._inbox.settle(pushed.request, *ending)
                await self._deliveries.record([pushed.request], Delivery.FAILED)
            raise

    async def admit(self, arrival: Arrival) -> dict[str, InputRequest]:
        """Return the requests of an arrival by key, once they are admitted; `put` or `release` must follow.

        Malformed entries are left out, and shown as refused. Requests of a muted server are cancelled, and shown so
        already. Those that need no person are answered already. Raises RefusedError if any of the others is refused;
        then none is admitted.
        """
        # Before any entry is read.
        if why := self._admission.too_many_at_once(arrival.total):
            await self._admission.refuse(arrival.request(1, "", {}), why)
            raise RefusedError(why)
        for key, reason in arrival.malformed.items():
            await self._admission.refuse(arrival.requests[key], Refusal(Limit.MALFORMED, reason, reason.code))
        requests = {key: each for key, each in arrival.requests.items() if key not in arrival.malformed}
        server = arrival.source.server
        new = {key: each for key, each in requests.items() if key not in arrival.opened}
        if new and not await self._admission.admit(server, list(new.values())):
            requests |= {key: replace(each, state=RequestState.CANCELLED) for key, each in new.items()}
        if any(is_automatic(each) for each in requests.values()):
            with self._releasing(requests.values()):
                # In a thread: the disk may be slow.
                answered = await asyncio.to_thread(_answered, requests, server)
                return {key: await self._by_agent(each) for key, each in answered.items()}
        return requests

    async def _by_agent(self, request: InputRequest) -> InputRequest:
        """Return a request for folders with those that the agent of its call lists, if it does."""
        if is_automatic(request) and (listed := await self.roots(request)) is not None:
            return replace(request, content=listed, via=Via.AGENT, settled_at=now())
        return request

    async def put(
        self,
        source: Source,
        call: Call | None,
        requests: Sequence[InputRequest],
        changes: Collection[CallChange] = (),
    ) -> None:
        """Show admitted requests to the person; `call` is the one to which they belong, `changes` come with them.

        Requests of rounds and errors that cannot be stored now are stored as soon as possible. A pushed request raises
        StorageError, because its server waits and can have an error instead.
        """
        if not requests:
            return
        try:
            looks_back = any(kind_of(each).looks_back for each in requests)
            earlier = await self._inbox.of_call(call) if call and looks_back else []
            placed = [kind_of(each).placed(each, earlier) for each in requests]
            put = partial(self._inbox.put, placed, call, changes)
            await (put() if requests[0].is_by_itself else self._health.until_written(put))
        finally:
            self._admission.release(*requests)
        # The server may have been muted while this was written, when they were not there to be cancelled.
        for request in placed if source.server.muted_at else ():
            await self._inbox.settle(request, RequestState.CANCELLED, muted().reason)

    def release(self, requests: Collection[InputRequest]) -> None:
        """Release the slots of admitted requests that are never put."""
        self._admission.release(*requests)

    @contextmanager
    def _releasing(self, requests: Collection[InputRequest]) -> Iterator[None]:
        """Release the slots of admitted requests if the block fails or is cancelled before they are put."""
        try:
            yield
        except BaseException:
            self.release(requests)
            raise

    async def end_call(self, call: Call, ending: Ending | None, *, by_server: bool) -> None:
        """Settle what a call leaves open that has ended; `by_server`: its server may still wait for pushed requests."""
        # Before the pending ones are ended: from then on no saved answer can be reopened.
        await self._deliveries.record_unsent(call)
        if await self.pushed_requests.end(call, ending, by_server=by_server):
            await self._deliveries.record_unsent(call)

    async def close(self) -> None:
        """Stop following the hosted requests; they stay as they are."""
        self._hosted.cancel()
        await self._hosted.ended()


async def _no_answer(_request: InputRequest) -> None:
    """Return that no agent answers."""


def _ending_of(request: ServerRequest, row: InputRequest, source: Source) -> Ending:
    """Return how a request ends whose handler was cancelled: its server withdrew it, or its session ended."""
    if withdrawal := withdrawal_of(request, row.asked_by.label):
        return withdrawal
    return withdrawn() if source.interrupted is None else (RequestState.INTERRUPTED, source.interrupted)


def _answered(requests: Mapping[str, InputRequest], server: Server) -> dict[str, InputRequest]:
    """Return the requests, with the answers of those that need no person."""
    kinds = {key: kind_of(each) for key, each in requests.items()}
    return {
        key: kind.answered(requests[key], server) if isinstance(kind, AutomaticKind) else requests[key]
        for key, kind in kinds.items()
    }
