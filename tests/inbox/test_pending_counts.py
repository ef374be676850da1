"""The bounds of what waits are counted in the store only when they may be too low, and each for itself."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

import pytest

from tests.inbox.test_inbox import form_request
from webclient.domain.model import InputRequest, Reason, ReasonCode, Server
from webclient.inbox import Admission, Inbox, Limits, RefusedError, policy
from webclient.inbox.pending_counts import PendingCount
from webclient.inbox.policy import Limit, Refusal
from webclient.store import Store
from webclient.store.live import Hub
from webclient.store.requests.requests import UserRequests

pytestmark = pytest.mark.anyio

FULL = Refusal(Limit.USER_PENDING, Reason.of(ReasonCode.TOO_MANY_OF_USER, n=2), "")


class Rows:
    """The rows of a store, of which two may be pending, and a count of them."""

    def __init__(self) -> None:
        self.pending = 0
        self.reads = 0
        self.events = 0
        self.count = PendingCount(self._read, lambda: self.events)

    async def _read(self, _but: Collection[str]) -> tuple[int, int]:
        self.reads += 1
        return self.pending, 0

    async def ask(self) -> bool:
        """Take one request, and store it; False if it is refused."""
        request = form_request()
        if await self.count.take([request], _at_most_two):
            return False
        self.pending += 1
        self.count.release(request)
        return True

    def settle(self) -> None:
        """Settle a request."""
        self.pending -= 1
        self.events += 1


def _at_most_two(requests: Sequence[InputRequest], pending: int, _size: int) -> Refusal | None:
    return FULL if pending + len(requests) > 2 else None


async def test_a_flood_beyond_the_limit_reads_the_store_once() -> None:
    rows = Rows()
    assert [await rows.ask() for _each in range(100)] == [True] * 2 + [False] * 98
    assert rows.reads == 2
    rows.settle()
    assert [await rows.ask() for _each in range(100)] == [True] + [False] * 99
    assert rows.reads == 4


async def test_a_request_that_is_never_stored_leaves_its_slot() -> None:
    rows = Rows()
    both = [form_request(), form_request()]
    assert await rows.count.take(both, _at_most_two) is None
    assert not rows.count.is_idle
    assert not await rows.ask()
    for request in both:
        rows.count.release(request)
    assert rows.count.is_idle
    assert await rows.ask()


async def test_requests_that_are_not_stored_yet_count_too() -> None:
    judged: list[tuple[int, int]] = []
    refusal: Refusal | None = None
    events = 0

    async def read(_but: Collection[str]) -> tuple[int, int]:
        return 10, 1000

    def judge(_requests: Sequence[InputRequest], pending: int, size: int) -> Refusal | None:
        judged.append((pending, size))
        return refusal

    count = PendingCount(read, lambda: events)
    first, second = form_request(), form_request()
    one, both = (policy.size(first.params), policy.size(first.params) + policy.size(second.params))
    await count.take([first], judge)
    await count.take([second], judge)
    assert judged == [(10, 1000), (11, 1000 + one)]
    # One was settled, and the next would be too much: the rows are read again.
    refusal, events = FULL, 1
    assert await count.take([form_request()], judge) is FULL
    assert judged[2:] == [(12, 1000 + both)] * 2


async def test_a_count_is_not_idle_while_it_reads() -> None:
    begun, released = asyncio.Event(), asyncio.Event()

    async def read(_but: Collection[str]) -> tuple[int, int]:
        begun.set()
        await released.wait()
        return 0, 0

    count = PendingCount(read, lambda: 0)
    taking = asyncio.create_task(count.take([], _at_most_two))
    await begun.wait()
    assert not count.is_idle
    released.set()
    await taking
    assert count.is_idle


def _server(user_id: str) -> Server:
    return Server(user_id=user_id, label="it", transport={"type": "http", "url": "http://127.0.0.1"})


class SlowCount:
    """A store that counts what waits for ada when `released` is set; `begun` is set when it begins."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.released = asyncio.Event(), asyncio.Event()
        read = UserRequests.pending_of

        async def pending_of(
            rows: UserRequests, server_id: str | None, *, but: Collection[str] = ()
        ) -> tuple[int, int]:
            if rows._user_id == "ada" and server_id is None:
                self.begun.set()
                await self.released.wait()
            return await read(rows, server_id, but=but)

        monkeypatch.setattr(UserRequests, "pending_of", pending_of)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SlowCount:
    return SlowCount(monkeypatch)


async def test_a_request_withdrawn_while_counted_leaves_its_slots(store: Store, slow: SlowCount) -> None:
    hub, ada = Hub(), _server("ada")
    admission = Admission(store, hub, Inbox(store, hub), Limits(pending=1, user_pending=1))
    admitting = asyncio.create_task(admission.admit(ada, [form_request(server_id=ada.id)]))
    await slow.begun.wait()
    admitting.cancel()
    slow.released.set()
    await asyncio.wait([admitting])
    assert await admission.admit(ada, [form_request(server_id=ada.id)])


async def test_counting_one_user_delays_no_other(store: Store, slow: SlowCount) -> None:
    hub = Hub()
    admission = Admission(store, hub, Inbox(store, hub), Limits(user_pending=1))
    ada, bob = _server("ada"), _server("bob")
    hers = asyncio.create_task(admission.admit(ada, [form_request(server_id=ada.id)]))
    await slow.begun.wait()
    his = form_request(user_id="bob", server_id=bob.id)
    assert await admission.admit(bob, [his])
    slow.released.set()
    assert await hers
    other = _server("bob")
    with pytest.raises(RefusedError):
        await admission.admit(other, [form_request(user_id="bob", server_id=other.id)])
    admission.release(his)
    assert await admission.admit(other, [form_request(user_id="bob", server_id=other.id)])
