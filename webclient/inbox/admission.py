"""The gate of the inbox: every question passes here first, in both eras; what is turned away is shown quietly."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from webclient.inbox import policy
from webclient.inbox.inbox import Inbox
from webclient.inbox.policy import FLOODS, Bucket, Limit, Limits, Refusal, RefusedError
from webclient.inbox.refusal_counter import Key, RefusalCounter
from webclient.model import InputRequest, RequestState, Server, ServerKey, now
from webclient.store import Store


@dataclass(slots=True)
class _ServerCount:
    """What is counted of one server; `admitted` are the requests that are not in the store yet, by their ids."""

    bucket: Bucket
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    admitted: dict[str, InputRequest] = field(default_factory=dict)


class Admission:
    """Lets questions in by the rules of `policy`."""

    def __init__(self, store: Store, inbox: Inbox, limits: Limits) -> None:
        self._store = store
        self._limits = limits
        self._quiet = RefusalCounter(inbox)
        self._servers: dict[ServerKey, _ServerCount] = {}
        inbox.on_answer = self._answered

    async def admit(self, server: Server, requests: Sequence[InputRequest]) -> bool:
        """Return whether to put these questions, which came together; `server` as it was when they came.

        False is for a muted server: each is to be answered `cancel`, and is shown so already. Raises RefusedError
        when they may not be put: then none is, and what stands in the way is shown as refused. What was let in counts
        as waiting until `release` frees its slot.
        """
        if server.muted_at:
            for request in requests:
                await self.refuse(request, policy.muted())
            return False
        refused = [(request, why) for request in requests if (why := policy.refusal(server, request))]
        if not refused and (why := await self._flooded(server, requests)):
            refused = [(request, why) for request in requests]
        for request, why in refused:
            await self.refuse(request, why)
        if refused:
            raise RefusedError(refused[0][1])
        return True

    def too_many_at_once(self, count: int) -> Refusal | None:
        """Return why so many questions are not put that came together, or None if they may be."""
        return policy.too_many_at_once(count, self._limits)

    def release(self, *requests: InputRequest) -> None:
        """Note that these, which were let in, are in the store now, or never will be."""
        for request in requests:
            if count := self._servers.get(request.server_key):
                count.admitted.pop(request.id, None)

    async def forget(self, server: Server) -> None:
        """Drop what is counted of a server that was removed."""
        self._servers.pop(server.key, None)
        await self._quiet.forget(server.key)

    async def refuse(self, request: InputRequest, why: Refusal) -> None:
        """Show that there was a question which is not put; of many for one reason, one entry that counts them."""
        key = _key(request, why)
        if self._quiet.counts(key):
            self._quiet.count(key)
            return
        state = RequestState.CANCELLED if why.limit is Limit.MUTED else RequestState.REFUSED
        params = policy.excerpt(request, self._limits)
        shown = replace(request, state=state, reason=why.reason, params=params, settled_at=now())
        await self._quiet.add(key, shown)

    async def close(self) -> None:
        """Write down what was counted."""
        await self._quiet.close()

    async def _flooded(self, server: Server, requests: Sequence[InputRequest]) -> Refusal | None:
        # The cheapest first: a server that sends ten thousand is stopped before anything is read or measured.
        count = self._count(server.key)
        if not count.bucket.take(len(requests), monotonic()):
            return policy.too_often(self._limits)
        if why := policy.too_large(requests, self._limits):
            return why
        async with count.lock:
            coming = dict(count.admitted)
            pending, size = await self._store.of(server.user_id).requests.pending_of(server.id, but=coming)
            size += sum(policy.size(each.params) for each in coming.values())
            why = policy.too_many(requests, pending + len(coming), size, self._limits)
            if why is None:
                count.admitted.update({each.id: each for each in requests})
        return why

    def _answered(self, request: InputRequest) -> None:
        if count := self._servers.get(request.server_key):
            count.bucket.give_back()

    def _count(self, key: ServerKey) -> _ServerCount:
        # By server, not by connection: reconnecting does not fill the bucket.
        if key not in self._servers:
            self._servers[key] = _ServerCount(Bucket(self._limits, monotonic()))
        return self._servers[key]


def _key(request: InputRequest, why: Refusal) -> Key:
    # A flood is one thing, whatever calls it comes in; anything else is told with its call and its place in a round.
    flood = (*request.server_key, why.limit)
    return flood if why.limit in FLOODS else (*flood, request.kind, request.call_id or "", str(request.position))
