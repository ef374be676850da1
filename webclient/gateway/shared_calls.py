"""The open calls of agents, and the ended ones whose result no agent has got: an equal call joins one of them.

A call joins while a person is being asked, or is about to be because of a rule, or for an hour after its agent has
gone. One that no agent waits for is cancelled after that hour, earlier if no person is being asked, and at once if the
sign-in of its agent is ended.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from time import monotonic

from webclient.calls import Calls, OnProgress
from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.model import Agent, Call, CallKind, Json, ReasonCode, ServerKey, SignInKey, SignInKind, now
from webclient.gateway.steps import Steps
from webclient.store import Store
from webclient.support import background
from webclient.support.standard_json import digest_of_json, dumps

POLLED = 60.0
"""The same for a task, whose agent comes back by itself after a pause."""

GRACE = 60.0
"""Seconds that a call goes on without its agent if no person is being asked."""

NOTED = 10.0
"""Seconds after which a call without its agent is shown as such: one that fetches the result comes back sooner."""

LONG_GRACE = 3600.0
"""Seconds for which a question waits without its agent, and for which a result is kept that no agent has got."""

MOST_SAVED = 20
"""Such results of one agent in memory; older ones are still in the store, where `await_answer` finds them."""

MOST_UNSEEN = 100
"""Notifications that are kept of one call while no request of its agent waits for it."""

MOST_LEFT = 200
"""Newest ended calls of one user among which those are looked for that an earlier process has left."""


class SharedCall:
    """One call, and the agents' requests that wait for it.

    `over` is its end, and `key` what equal calls have in common. `taken`: an agent has got its result. `is_stopped`:
    its agent has cancelled it. `times_pending`: the times that an agent had to come back later. `is_missed`: no agent
    has asked for it for a while. `passed` are the ids of the requests that were passed on to its agent.
    """

    def __init__(
        self, call: Call, over: Callable[[OnProgress], Awaitable[Call]], has_waited: Callable[[], bool], key: str = ""
    ) -> None:
        self.call = call
        self.key = key
        self.has_waited = has_waited
        self.agent = call.agent
        self.passed = set[str]()
        self.taken = False
        self.times_pending = 0
        self.is_stopped = False
        self.is_missed = False
        self.alone: asyncio.Task[None] | None = None
        self.on_alone: Callable[[SharedCall], None] = lambda _shared: None
        self.on_return: Callable[[SharedCall], None] = lambda _shared: None
        self._began = monotonic()
        self._watchers: list[Steps] = []
        self._unseen: deque[tuple[str, Json]] = deque(maxlen=MOST_UNSEEN)
        self._over_or_stopped = asyncio.Event()
        self.over = background.start(_awaited(over(self._progressed)), name="agent call", of=call.id, awaited=True)
        self.over.add_done_callback(lambda _over: self._over_or_stopped.set())

    @property
    def waited(self) -> float:
        """The seconds since the newest request began to wait."""
        return monotonic() - self._began

    @property
    def is_elsewhere(self) -> bool:
        """Whether another process goes on with it."""
        return self.over.done() and self.over.exception() is None and not self.over.result().state.ended

    @property
    def is_waited_for(self) -> bool:
        """Whether a request of an agent waits for it."""
        return bool(self._watchers)

    @property
    def task_seconds(self) -> int:
        """For how long from its start the call is a task of its agent; 0 if it is none."""
        return self.agent.task_seconds if self.agent else 0

    @property
    def has_agent(self) -> bool:
        """Whether an agent waits for it, or comes back for it by itself."""
        return self.is_waited_for or (self.task_seconds > 0 and not self.is_missed)

    @property
    def seconds_left(self) -> float:
        """The seconds until the end of the task."""
        return self.task_seconds - (now() - self.call.created_at).total_seconds()

    @property
    def is_shared(self) -> bool:
        """Whether several requests of its agent wait for it."""
        return len(self._watchers) > 1

    @contextmanager
    def waiting(self, watcher: Steps) -> Iterator[None]:
        """Wait for the call within the block; `watcher` gets its progress, and the notifications of its server."""
        self._began = monotonic()
        self._watchers.append(watcher)
        while self._unseen:
            watcher.add(*self._unseen.popleft())
        self.is_stopped = False
        if not self.over.done():
            self._over_or_stopped.clear()
        self.returned()
        try:
            yield
        finally:
            self._watchers.remove(watcher)
            if not self.is_waited_for:
                self.on_alone(self)

    def returned(self) -> None:
        """Note that its agent is there again."""
        self.is_missed = False
        if self.alone:
            self.alone.cancel()
            self.alone = None
            self.on_return(self)

    def stop(self) -> None:
        """Note that its agent has cancelled it."""
        self.is_stopped = True
        self._over_or_stopped.set()

    async def until_over_or_stopped(self, seconds: float) -> None:
        """Wait until the call is over or cancelled by its agent, `seconds` at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._over_or_stopped.wait()

    async def _progressed(self, progress: float, total: float | None, message: str | None) -> None:
        for watcher in self._watchers:
            watcher.note(progress, total, message)

    def notified(self, method: str, params: Json) -> None:
        """Pass on a notification of the server, or keep it for who waits next."""
        for watcher in self._watchers:
            watcher.add(method, params)
        if not self._watchers:
            self._unseen.append((method, params))


class SharedCalls:
    """The calls that an equal call may join."""

    def __init__(self, store: Store, calls: Calls) -> None:
        self._store = store
        self._calls = calls
        self._by_key: dict[str, SharedCall] = {}
        self._by_id: dict[str, SharedCall] = {}
        self._starting: dict[str, asyncio.Task[SharedCall]] = {}
        self._not_taken: dict[tuple[str, str], deque[SharedCall]] = {}
        self._looked_through: dict[str, asyncio.Task[None]] = {}
        self._closed = False

    async def get(self, user_id: str, text: str, start: Callable[[], Awaitable[Call]]) -> SharedCall:
        """Return the call of a user that an equal one joins, or a new one. Raises the errors of `start`."""
        await self._look_through(user_id)
        shared = self._by_key.get(text)
        if shared and self._may_join(shared):
            return shared
        if text not in self._starting:
            self._starting[text] = background.start(self._start(text, start), name="start for an agent", awaited=True)
        # An equal call at the same moment waits for the same start, which goes on if the first one leaves.
        return await background.shared(self._starting[text])

    async def _start(self, text: str, start: Callable[[], Awaitable[Call]]) -> SharedCall:
        try:
            shared = self._by_key[text] = self.follow(await start(), text)
        finally:
            del self._starting[text]
        return shared

    def follow(self, call: Call, text: str = "") -> SharedCall:
        """Return a call that runs or has ended already, for those who wait for it."""
        shared = SharedCall(call, lambda note: self._until_over(call, note), self._calls.wait_of(call.id), text)
        shared.on_alone = self._left_alone
        shared.on_return = self._returned
        self._by_id[call.id] = shared
        # Until a request waits for it.
        self._left_alone(shared)
        return shared

    def adopt(self, call: Call) -> None:
        """Wait for the agent of a call that an earlier process has left."""
        if call.agent and call.id not in self._by_id:
            text = key_of(
                call.agent.token_id,
                call.server_key,
                kind=call.kind,
                name=call.name,
                arguments=call.arguments,
                params=call.agent.params,
                proposed=call.approval["proposed"] if call.approval else "",
            )
            # Of equal calls at the same moment, which were not joined, only one can be joined later.
            self._by_key.setdefault(text, self.follow(call, text))

    async def _look_through(self, user_id: str) -> None:
        """Find the results that an earlier process has left, the first time that an agent of the user calls."""
        looking = self._looked_through.get(user_id)
        if looking is None or (looking.done() and looking.exception()):
            looking = background.start(self._find_not_taken(user_id), name="results of agents", awaited=True)
            self._looked_through[user_id] = looking
        if not looking.done() or looking.exception():
            await background.shared(looking)

    async def _find_not_taken(self, user_id: str) -> None:
        found = await self._store.of(user_id).calls.not_taken(now() - timedelta(seconds=LONG_GRACE), MOST_LEFT)
        # The oldest first, because the newest ones are kept.
        for call in reversed(found):
            self.adopt(call)

    def leave(self, user_id: str) -> None:
        """Leave the calls of a user who comes from another process: what has become of them is in the store."""
        self._looked_through.pop(user_id, None)
        for shared in [shared for shared in self._by_id.values() if shared.call.user_id == user_id]:
            self._remove(shared)
            if shared.alone:
                shared.alone.cancel()

    async def close(self) -> None:
        """Wait for no agent any more; what it has not got is in the store."""
        self._closed = True
        alone = [shared.alone for shared in self._by_id.values() if shared.alone]
        for each in alone:
            each.cancel()
        await asyncio.gather(*alone, return_exceptions=True)

    async def _until_over(self, call: Call, note: OnProgress) -> Call:
        """Wait until a call is over, and cancel it if the sign-in of its agent is ended."""
        if call.agent is None:
            return await self._calls.until_over(call, note)
        key = call.agent.sign_in
        with self._store.watched_sign_ins.watching(call.user_id, key) as watch:
            watch.when_ended(lambda: background.start(self._revoked(call, key), name="revoked agent", of=call.id))
            return await self._calls.until_over(call, note)

    async def _revoked(self, call: Call, key: SignInKey | None) -> None:
        with suppress(ConflictError, NotFoundError):
            # A user who is disabled has valid sign-ins still, and the session of an agent may end by its time.
            if key and await self._was_revoked(key, call.created_at):
                await self._calls.cancel(call, ReasonCode.AGENT_REVOKED)

    async def _was_revoked(self, key: SignInKey, since: datetime) -> bool:
        if key.kind == SignInKind.FRAME:
            return await self._store.embed_sessions.was_ended(key.id, since)
        return await self._store.program_tokens.was_revoked(key.id)

    def with_id(self, call_id: str) -> SharedCall | None:
        """Return the call with this id, unless its result was taken."""
        return self._by_id.get(call_id)

    def stop(self, call_id: str) -> None:
        """Cancel a call because its agent has cancelled it, unless another request waits for it."""
        shared = self._by_id.get(call_id)
        if shared and not shared.is_shared and not shared.task_seconds:
            shared.stop()

    def _may_join(self, shared: SharedCall) -> bool:
        if shared.over.done():
            # The result of a task is fetched under its id, unless its agent has lost that.
            lies_ready = shared.task_seconds == 0 or shared.is_missed
            return lies_ready and not (shared.taken or shared.is_elsewhere)
        id_ = shared.call.id
        return self._calls.asks(id_) or self._calls.will_ask(id_) or not shared.has_agent

    def _may_wait_long(self, call_id: str) -> bool:
        """Return whether a call costs its server nothing: a person is asked, or has decided meanwhile."""
        return self._calls.asks(call_id) or not self._calls.is_at_server(call_id)

    async def as_task(self, shared: SharedCall, seconds: int) -> None:
        """Save that the call is a task for so many seconds from its start."""
        shared.returned()
        if shared.agent and shared.task_seconds < seconds:
            await self._note(shared, replace(shared.agent, task_seconds=seconds))
        if not shared.is_waited_for:
            self._left_alone(shared)

    def handle_sent(self, shared: SharedCall, has_arrived: bool) -> None:
        """Note whether the agent has got the id of its task: without it, an equal call gets it again."""
        shared.is_missed = shared.is_missed or not has_arrived

    def polled(self, shared: SharedCall) -> None:
        """Note that the agent of a task has asked for it."""
        shared.returned()
        if not shared.is_waited_for:
            self._left_alone(shared)

    def _left_alone(self, shared: SharedCall) -> None:
        if not shared.task_seconds:
            self._calls.want(shared.call.id, wanted=False)
        if shared.taken or shared.is_elsewhere:
            self._remove(shared)
        elif shared.alone is None and not self._closed:
            shared.alone = background.start(self._alone(shared), name="agent has gone", of=shared.call.id)

    async def _alone(self, shared: SharedCall) -> None:
        """Cancel the call in time if no agent comes back, and forget its result."""
        gone_at = now().isoformat()
        await shared.until_over_or_stopped(POLLED if shared.task_seconds else NOTED)
        if not shared.over.done():
            await self._missed(shared, gone_at)
        if shared.task_seconds:
            await shared.until_over_or_stopped(shared.seconds_left)
        else:
            await shared.until_over_or_stopped(GRACE - NOTED)
            if not shared.over.done() and self._may_wait_long(shared.call.id):
                await shared.until_over_or_stopped(LONG_GRACE)
        if shared.over.done() and not shared.is_elsewhere:
            self._keep(shared)
            await asyncio.sleep(POLLED)
            shared.is_missed = True
            await asyncio.sleep(LONG_GRACE - POLLED)
        elif not shared.over.done():
            reason = ReasonCode.AGENT_CANCELLED if shared.is_stopped else ReasonCode.AGENT_GONE
            with suppress(ConflictError, NotFoundError):
                # It may have ended before it was followed.
                await self._calls.cancel(shared.call, reason)
        self._remove(shared)

    async def _missed(self, shared: SharedCall, gone_at: str) -> None:
        shared.is_missed = True
        self._calls.want(shared.call.id, wanted=False)
        if shared.agent:
            # After a restart, the agent may have gone before.
            await self._note(shared, replace(shared.agent, gone_at=shared.agent.gone_at or gone_at))

    def _returned(self, shared: SharedCall) -> None:
        self._calls.want(shared.call.id, wanted=True)
        if shared.agent and shared.agent.gone_at:
            here = replace(shared.agent, gone_at="", returns=shared.agent.returns + 1)
            background.start(self._note(shared, here), name="agent is back", of=shared.call.id)

    async def _note(self, shared: SharedCall, agent: Agent) -> None:
        shared.agent = agent
        await self._calls.note_agent(shared.call, agent)

    def handed(self, shared: SharedCall, has_arrived: bool) -> None:
        """Note whether the result has arrived at an agent: no equal call gets it then, also after a restart."""
        if not has_arrived:
            self._restore(shared)
        elif shared.agent and not shared.agent.taken and shared.has_waited():
            taken = replace(shared.agent, gone_at="", taken=True)
            background.start(self._note(shared, taken), name="result for an agent", of=shared.call.id)

    def _restore(self, shared: SharedCall) -> None:
        """Wait for the agent again: it had gone when it was sent the result."""
        shared.taken = False
        self._by_id.setdefault(shared.call.id, shared)
        self._by_key.setdefault(shared.key, shared)
        if not shared.is_waited_for:
            self._left_alone(shared)

    def _keep(self, shared: SharedCall) -> None:
        """Keep a result that no agent has got, in place of the oldest one if there are too many."""
        saved = self._not_taken.setdefault(_agent_of(shared), deque())
        if shared not in saved:
            saved.append(shared)
        if len(saved) > MOST_SAVED:
            oldest = saved[0]
            self._remove(oldest)
            if oldest.alone:
                oldest.alone.cancel()

    def _remove(self, shared: SharedCall) -> None:
        if self._by_id.get(shared.call.id) is shared:
            del self._by_id[shared.call.id]
        saved = self._not_taken.get(_agent_of(shared), deque())
        if shared in saved:
            saved.remove(shared)
            if not saved:
                del self._not_taken[_agent_of(shared)]
        if self._by_key.get(shared.key) is shared:
            del self._by_key[shared.key]


def key_of(
    token_id: str,
    server_key: ServerKey,
    *,
    kind: CallKind,
    name: str,
    arguments: Json | None,
    params: Json,
    proposed: str = "",
) -> str:
    """Return what equal calls have in common, as text.

    `proposed` is the digest of the arguments that the agent gave, if a person has changed them.
    """
    meta = params.get("_meta")
    # The id that the model gave to the call, in the client that passes it on.
    named = meta.get("claudecode/toolUseId") if isinstance(meta, dict) else None
    return dumps([token_id, server_key, kind, name, proposed or digest_of_json(arguments or {}), named])


def _agent_of(shared: SharedCall) -> tuple[str, str]:
    return shared.call.user_id, shared.call.agent.token_id if shared.call.agent else ""


async def _awaited(work: Awaitable[Call]) -> Call:
    return await work
