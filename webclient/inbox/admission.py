"""Admission to the inbox: applies the policy to every input request, and shows refused ones without a notification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from time import monotonic

from webclient.domain.model import InputRequest, RequestState, Server, ServerKey, now
from webclient.inbox import policy
from webclient.inbox.entry_counter import EntryCounter, Key
from webclient.inbox.inbox import Inbox
from webclient.inbox.kinds import is_automatic
from webclient.inbox.pending_counts import PendingCount
from webclient.inbox.policy import FLOODS, Bucket, Limit, Limits, Refusal, RefusedError
from webclient.store import Store
from webclient.store.live import Hub
from webclient.support.standard_json import canonical


@dataclass(slots=True)
class _ServerCount:
    """The counts of one server; `automatic` is for requests that are answered without the person."""

    bucket: Bucket
    automatic: Bucket
    pending: PendingCount


class Admission:
    """Admits input requests by the rules of `policy`."""

    def __init__(self, store: Store, hub: Hub, inbox: Inbox, limits: Limits) -> None:
        self._store = store
        self._hub = hub
        self._limits = limits
        self._quiet = EntryCounter(inbox)
        self._servers: dict[ServerKey, _ServerCount] = {}
        self._users: dict[str, PendingCount] = {}
        inbox.on_answer.append(self._answered)

    async def admit(self, server: Server, requests: Sequence[InputRequest], *, again: bool = False) -> bool:
        """Admit requests that came together; `server` is its state when they came.

        Returns False for a muted server: each request is shown as cancelled already and must be answered `cancel`,
        except those that are answered automatically. Raises RefusedError if any request is refused; then none is
        admitted, and the refused ones are shown, unless they were refused before and come `again`. An admitted request
        takes a slot of the server and one of the user until `release`.
        """
        automatic = [request for request in requests if is_automatic(request)]
        for_person = [request for request in requests if not is_automatic(request)]
        if server.muted_at:
            for request in () if again else for_person:
                await self.refuse(request, policy.muted())
            for_person = []
        refused = [(request, why) for request in (*for_person, *automatic) if (why := policy.refusal(server, request))]
        if not refused and for_person and (why := await self._flooded(server, for_person)):
            refused = [(request, why) for request in for_person]
        if not refused and automatic and (why := self._flooded_automatic(server, automatic)):
            refused = [(request, why) for request in automatic]
            self.release(*for_person)
        for request, why in () if again else refused:
            await self.refuse(request, why)
        if refused:
            raise RefusedError(refused[0][1])
        return server.muted_at is None

    def too_many_at_once(self, count: int) -> Refusal | None:
        """Return the refusal of `count` requests that came together, if they are too many."""
        return policy.too_many_at_once(count, self._limits)

    def release(self, *requests: InputRequest) -> None:
        """Release the slots of these requests: they are in the store now, or never will be."""
        for request in requests:
            if count := self._servers.get(request.server_key):
                count.pending.release(request)
            if user := self._users.get(request.user_id):
                user.release(request)

    async def forget(self, server: Server) -> None:
        """Forget the counts of a server that was removed."""
        self._servers.pop(server.key, None)
        await self._quiet.forget(server.key)

    async def let_go(self, user_id: str) -> None:
        """Forget the counts of a user who left, also of the programs that asked them."""
        if (user := self._users.get(user_id)) and user.is_idle:
            del self._users[user_id]
        for key in [key for key, count in self._servers.items() if key[0] == user_id and count.pending.is_idle]:
            del self._servers[key]
        await self._quiet.forget((user_id,))

    async def refuse(self, request: InputRequest, why: Refusal) -> None:
        """Show a refused request; many with one reason are one entry that counts them."""
        key = _key(request, why)
        if self._quiet.counts(key):
            self._quiet.count(key)
            return
        state = RequestState.CANCELLED if why.limit is Limit.MUTED else RequestState.REFUSED
        params = policy.excerpt(request, self._limits)
        shown = replace(request, state=state, reason=why.reason, params=params, settled_at=now())
        await self._quiet.add(key, shown)

    async def close(self) -> None:
        """Write the counts that are not written yet."""
        await self._quiet.close()

    async def record(self, request: InputRequest) -> None:
        """Show a request that was answered automatically; many that were answered alike are one entry."""
        digest = sha256(canonical(request.content).encode()).hexdigest()
        key = (*request.server_key, "answered", request.kind, request.call_id or "", digest)
        await self._quiet.add(key, request)

    def _flooded_automatic(self, server: Server, requests: Sequence[InputRequest]) -> Refusal | None:
        if not self._count(server.key).automatic.take(len(requests), monotonic()):
            return policy.too_often(self._limits)
        return policy.too_large(requests, self._limits)

    async def _flooded(self, server: Server, requests: Sequence[InputRequest]) -> Refusal | None:
        # The cheapest check first: a server that sends ten thousand is stopped before anything is read or measured.
        count = self._count(server.key)
        if not count.bucket.take(len(requests), at := monotonic()):
            return policy.too_often(self._limits, count.bucket.seconds_until(len(requests), at))
        if why := policy.too_large(requests, self._limits):
            return why
        if why := await count.pending.take(requests, partial(policy.too_many, limits=self._limits)):
            return why
        try:
            why = await self._user(server.user_id).take(requests, partial(policy.too_many_of_user, limits=self._limits))
        except BaseException:
            # The store failed, or the server withdrew its request meanwhile.
            self.release(*requests)
            raise
        if why:
            self.release(*requests)
        return why

    def _answered(self, request: InputRequest) -> None:
        if count := self._servers.get(request.server_key):
            count.bucket.give_back()

    def _count(self, key: ServerKey) -> _ServerCount:
        # By server, not by connection: reconnecting does not fill the bucket.
        if key not in self._servers:
            buckets = Bucket(self._limits, monotonic()), Bucket(self._limits, monotonic())
            self._servers[key] = _ServerCount(*buckets, self._pending_count(*key))
        return self._servers[key]

    def _user(self, user_id: str) -> PendingCount:
        if user_id not in self._users:
            self._users[user_id] = self._pending_count(user_id, None)
        return self._users[user_id]

    def _pending_count(self, user_id: str, server_id: str | None) -> PendingCount:
        return PendingCount(
            lambda but: self._store.of(user_id).requests.pending_of(server_id, but=but),
            partial(self._hub.newest, user_id),
        )


def _key(request: InputRequest, why: Refusal) -> Key:
    # A flood is one entry, across all calls. Other refusals have one for each reason, call and place in a round.
    flood = (*request.server_key, why.limit)
    place = (why.reason.code, request.kind, request.call_id or "", str(request.position))
    return flood if why.limit in FLOODS else (*flood, *place)
