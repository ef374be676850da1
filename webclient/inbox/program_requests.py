"""Questions of programs: an agent that holds its own MCP client asks a person here, and fetches the answer.

They pass the same admission as those of servers, are shown as the same cards, and are settled once. A program holds no
connection for them, so they outlive a restart of either side, as hosted tasks do.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from time import monotonic
from weakref import WeakValueDictionary

from webclient.content.visible_text import shortened
from webclient.domain.errors import InvalidInputError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import (
    AuditAction,
    CallContext,
    Delivery,
    InputRequest,
    Json,
    Origin,
    Reason,
    ReasonCode,
    Requester,
    RequesterIds,
    RequesterKind,
    RequestState,
    Server,
    ServerKey,
    new_id,
    now,
)
from webclient.inbox.admission import Admission
from webclient.inbox.answers import already_settled
from webclient.inbox.endings import withdrawn
from webclient.inbox.inbox import Inbox
from webclient.inbox.pending_counts import PendingCount
from webclient.inbox.policy import Bucket, Limits, RefusedError, asks_others_too_often, muted, too_many_of_program
from webclient.inbox.program_answers import AnswerWebhooks
from webclient.network.webhooks import Webhook
from webclient.store import StorageError, Store
from webclient.store.live import Gap, Hub
from webclient.support.standard_json import json_equal

OTHERS = Limits(burst=1000, rate=5, pending=20)
"""The limits of a program that asks others than its own user, unless settings say otherwise."""

LONGEST_DEADLINE = timedelta(days=30)
"""A program can wait for at most this long."""

QUOTED = 200
"""Characters of the reason for a withdrawal that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """The program that asks: `label` is the user's own name for it, and trusted.

    `token_id` is its token, if it has one of its own; only then can it be muted. `embedder` is the name of an embedding
    application that asks itself. `made_by` is the name of the token's user, if that is not the user who is asked.
    """

    user_id: str
    id: str
    label: str
    token_id: str | None = None
    embedder: str | None = None
    muted_at: datetime | None = None
    made_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRequest:
    """A question of a program; `params` are those of `elicitation/create`.

    `claims` is what the program says of itself, `during` the call that it says it is about. Two questions of a program
    with the same `key` are one. `webhook` gets the end of the question. `rule_id` is the rule that has it asked.
    """

    kind: str
    params: Json
    claims: str | None = None
    during: CallContext | None = None
    rule_id: str | None = None
    expires_in: timedelta
    key: str | None = None
    webhook: Webhook | None = None


REFUSED_KNOWN = 10_000
"""Refused questions with a key that are remembered, so that those which are sent again are counted once."""


class ProgramRequests:
    """Takes the questions of programs, and hands out the answers."""

    def __init__(
        self,
        store: Store,
        hub: Hub,
        inbox: Inbox,
        admission: Admission,
        answer_webhooks: AnswerWebhooks,
        *,
        others: Limits = OTHERS,
    ) -> None:
        """`others` is how much one program may ask of others than its own user: of all, and waiting for each."""
        self._store = store
        self._hub = hub
        self._inbox = inbox
        self._admission = admission
        self._answer_webhooks = answer_webhooks
        self._others = others
        # Of two questions with one key, one is the first; all others go side by side. A lock lives while it is used.
        self._same_key: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._buckets: dict[str, Bucket] = {}
        self._refused: dict[str, None] = {}
        self._pending: WeakValueDictionary[ServerKey, PendingCount] = WeakValueDictionary()

    async def ask(self, asker: Asker, new: NewRequest) -> InputRequest:
        """Show a question to the user, and return it; the same one again for the same key.

        Raises RefusedError, TooManyWebhooksError, StorageError, and InvalidInputError if the key was used for another
        question.
        """
        request = _request_of(asker, new)
        async with self._same_key.setdefault(request.id, asyncio.Lock()):
            if new.key is not None and (known := await self._known(request)):
                return known
            # Admitted under another id: what is refused must not use up the key.
            slot = replace(request, id=new_id())
            async with self._within_others(asker, slot):
                if asker.made_by is not None and await self._store.of(asker.user_id).muted_programs.has(asker.id):
                    asker = replace(asker, muted_at=now())
                await self._admit(asker, slot, request)
                try:
                    await self._put(request, new)
                finally:
                    self._admission.release(slot)
        return await self._store.of(asker.user_id).requests.get(request.id)

    async def _admit(self, asker: Asker, slot: InputRequest, request: InputRequest) -> None:
        """Admit the `slot` of a request; one that its program sends again after a refusal is counted once."""
        try:
            admitted = await self._admission.admit(_as_server(asker), [slot], again=request.id in self._refused)
        except RefusedError:
            self._remember_refused(request)
            raise
        if not admitted:
            self._remember_refused(request)
            raise RefusedError(muted())
        self._refused.pop(request.id, None)

    def _remember_refused(self, request: InputRequest) -> None:
        # Without a key each has a new id, and is another question.
        self._refused[request.id] = None
        if len(self._refused) > REFUSED_KNOWN:
            del self._refused[next(iter(self._refused))]

    @asynccontextmanager
    async def _within_others(self, asker: Asker, request: InputRequest) -> AsyncIterator[None]:
        """Raise RefusedError if the program asks other people too much; else record that it asks one."""
        if asker.made_by is None:
            yield
            return
        bucket = self._buckets.setdefault(asker.id, Bucket(self._others, at := monotonic()))
        if not bucket.take(1, at):
            raise RefusedError(asks_others_too_often(self._others, bucket.seconds_until(1, at)))
        # In a variable, so that it lives while it is used.
        pending = self._pending_of(asker)
        if why := await pending.take([request], partial(too_many_of_program, limits=self._others)):
            raise RefusedError(why)
        try:
            await self._store.audit.add(AuditAction.REQUESTED, object=asker.user_id)
            yield
        finally:
            pending.release(request)

    def _pending_of(self, asker: Asker) -> PendingCount:
        read = partial(self._store.of(asker.user_id).requests.pending_of, asker.id)
        count = PendingCount(lambda but: read(but=but), partial(self._hub.newest, asker.user_id))
        return self._pending.setdefault((asker.user_id, asker.id), count)

    async def _put(self, request: InputRequest, new: NewRequest) -> None:
        try:
            # Before the request: its end then finds the webhook. Without a request it is never sent.
            if new.webhook is not None:
                await self._answer_webhooks.begin(request, new.webhook)
            await self._inbox.put([request])
        except StorageError:
            # Another process may have been first with the same key.
            if new.key is None or await self._known(request) is None:
                raise

    async def settled(self, request: InputRequest, seconds: float) -> InputRequest:
        """Return the request once it is settled, or as it is after `seconds`."""
        requests = self._store.of(request.user_id).requests
        with self._hub.subscribe(request.user_id) as events, suppress(TimeoutError, StopAsyncIteration):
            request = await requests.get(request.id)
            async with asyncio.timeout(seconds):
                while request.pending:
                    event = await anext(events)
                    if isinstance(event, Gap) or event.subject == request.id:
                        request = await requests.get(request.id)
        return request

    async def with_key(self, asker: Asker, key: str) -> InputRequest | None:
        """Return the question that a program has asked with this key; None if there is none."""
        try:
            return await self._store.of(asker.user_id).requests.get(_id_of(asker, key))
        except NotFoundError:
            return None

    async def fetched(self, request: InputRequest) -> bool:
        """Note that the program has the answer, and erase its secret values; False if it had it before."""
        is_first = await self._store.of(request.user_id).hosted_tasks.fetched(request.id, Delivery.DELIVERED)
        if is_first:
            self._hub.publish(request.user_id, "request", request.id)
        return is_first

    async def withdraw(self, request: InputRequest, why: str = "") -> InputRequest:
        """End a question because its program no longer waits. Raises AlreadySettledError."""
        state, reason = withdrawn()
        if why:
            reason = Reason.of(ReasonCode.WITHDRAWN_BECAUSE, why=shortened(why, QUOTED))
        won = await self._inbox.settle(request, state, reason)
        current = await self._store.of(request.user_id).requests.get(request.id)
        if not won:
            raise already_settled(current)
        return current

    async def mute(self, request: InputRequest) -> None:
        """Cancel waiting and later questions of the program to the user, until unmuted."""
        store = self._store.of(request.user_id)
        await store.muted_programs.add(request.id)
        pending = await store.request_lists.pending_from(request.server_id)
        await self._inbox.settle_all(pending, RequestState.CANCELLED, muted().reason)

    async def revoked(self, asker_id: str) -> None:
        """Withdraw all pending questions of a program whose token was revoked: it can fetch no answer."""
        found = await self._store.system.pending_of(asker_id)
        self._buckets.pop(asker_id, None)
        await self._inbox.settle_all(found, *withdrawn())

    async def withdraw_revoked(self) -> None:
        """Withdraw questions of programs whose token was revoked in another process."""
        await self._inbox.settle_all(await self._store.system.requests_of_revoked(), *withdrawn())

    async def _known(self, request: InputRequest) -> InputRequest | None:
        try:
            known = await self._store.of(request.user_id).requests.get(request.id)
        except NotFoundError:
            return None
        if known.kind != request.kind or not json_equal(known.params, request.params):
            message = _("This Idempotency-Key was used for another question.")
            raise InvalidInputError(message, {"Idempotency-Key": message})
        return known


def _request_of(asker: Asker, new: NewRequest) -> InputRequest:
    created_at = now()
    # The key gives the id, so that the store holds at most one row of it.
    request_id = new_id() if new.key is None else _id_of(asker, new.key)
    return InputRequest(
        id=request_id,
        user_id=asker.user_id,
        server_id=asker.id,
        kind=new.kind,
        origin=Origin.PROGRAM,
        params=new.params,
        asked_by=Requester(
            kind=RequesterKind.PROGRAM,
            label=asker.label,
            address="",
            claims=new.claims,
            token_id=asker.token_id,
            embedder=asker.embedder,
            made_by=asker.made_by,
        ),
        during=new.during,
        rule_id=new.rule_id,
        created_at=created_at,
        expires_at=created_at + min(new.expires_in, LONGEST_DEADLINE),
        ids=RequesterIds(hosted_task_id=request_id),
    )


def _id_of(asker: Asker, key: str) -> str:
    named = json.dumps([asker.user_id, asker.id, key])
    return sha256(named.encode()).hexdigest()[:32]


def _as_server(asker: Asker) -> Server:
    """Return the program as admission counts it: by the same rules as a server."""
    return Server(
        id=asker.id, user_id=asker.user_id, label=asker.label, transport={"type": "program"}, muted_at=asker.muted_at
    )
