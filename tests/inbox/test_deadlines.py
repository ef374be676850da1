"""Deadlines: stored with the request, extended by the person, and announced when near."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.answering import answer, ask
from tests.inbox.test_inbox import form_request
from webclient.domain.errors import AlreadySettledError, ConflictError
from webclient.domain.model import (
    Action,
    Era,
    InputRequest,
    ListedRequest,
    Origin,
    Reason,
    ReasonCode,
    Requester,
    RequestState,
    now,
)
from webclient.inbox import DeadlineLengths, Deadlines, Inbox, deadlines, result_of
from webclient.inbox.deadlines import NEAR, soon
from webclient.inbox.hosted_tasks import LONGEST_LIFE
from webclient.store import Store
from webclient.store.live import Hub, Subscription

pytestmark = pytest.mark.anyio

HOUR = timedelta(hours=1)
AT_ONCE = timedelta(milliseconds=1)
PATIENCE = 30


@asynccontextmanager
async def inbox_with(
    folder: Path, lengths: DeadlineLengths, *, resumed: str = ""
) -> AsyncIterator[tuple[Inbox, Store, Hub]]:
    """Open an inbox with running deadlines, and the call `resumed` from an earlier run."""
    store, hub = Store(folder), Hub()
    await store.open()
    await store.system.end_leftovers(Reason(ReasonCode.CLIENT_STOPPED), resumed=[resumed])
    deadlines = Deadlines(store, hub, lengths)
    inbox = Inbox(store, hub, deadlines)
    keeper = asyncio.create_task(deadlines.run(inbox.expire))
    yield inbox, store, hub
    keeper.cancel()
    await asyncio.wait([keeper])
    await inbox.close()
    await store.close()


def pushed(**fields: Any) -> InputRequest:
    return form_request(**fields)


def in_a_round() -> InputRequest:
    by = Requester(label="it", address="http://127.0.0.1", protocol_version=Era.ROUNDS)
    return replace(form_request(), asked_by=by)


async def test_a_request_waits_as_long_as_its_era_allows(tmp_path: Path) -> None:
    async with inbox_with(tmp_path, DeadlineLengths(push=HOUR)) as (inbox, store, _hub):
        push, rounds = pushed(), in_a_round()
        await inbox.put([push])
        await inbox.put([rounds])
        assert (await store.of("ada").requests.get(push.id)).expires_at == push.created_at + HOUR
        assert (await store.of("ada").requests.get(rounds.id)).expires_at is None


async def test_a_refused_request_has_no_deadline(tmp_path: Path) -> None:
    async with inbox_with(tmp_path, DeadlineLengths(push=HOUR)) as (inbox, store, _hub):
        refused = pushed(state=RequestState.REFUSED)
        await inbox.put([refused])
        assert (await store.of("ada").requests.get(refused.id)).expires_at is None


async def test_an_expired_request_answers_cancel_and_says_so(tmp_path: Path) -> None:
    async with inbox_with(tmp_path, DeadlineLengths(push=HOUR, rounds=AT_ONCE)) as (inbox, store, _hub):
        patient, late = pushed(), in_a_round()
        await inbox.put([patient])
        async with asyncio.timeout(PATIENCE):
            assert await (await ask(inbox, late)) == {"action": "cancel"}
        expired = await store.of("ada").requests.get(late.id)
        assert expired.state is RequestState.EXPIRED
        assert expired.reason_code is ReasonCode.DEADLINE_PASSED
        assert (await store.of("ada").requests.get(patient.id)).pending
        with pytest.raises(AlreadySettledError, match="Its time ran out"):
            await answer(inbox, "ada", late.id, Action.DECLINE)


async def test_a_deadline_that_passed_while_stopped_expires_at_start(tmp_path: Path) -> None:
    store = Store(tmp_path)
    await store.open()
    request = replace(in_a_round(), call_id="c1", expires_at=now() - HOUR)
    await store.of(request.user_id).requests.add(request)
    await store.close()
    async with inbox_with(tmp_path, DeadlineLengths(), resumed="c1") as (inbox, _store, _hub):
        async with asyncio.timeout(PATIENCE):
            [expired] = await inbox.until([request], lambda newest: not newest[0].pending)
    assert result_of(expired) == {"action": "cancel"}


async def test_more_time_doubles_the_deadline(tmp_path: Path) -> None:
    async with inbox_with(tmp_path, DeadlineLengths(push=HOUR)) as (inbox, store, hub):
        request = pushed()
        await inbox.put([request])
        with hub.subscribe("ada") as events:
            extended = await inbox.more_time("ada", request.id)
            assert events.drain()
        assert extended.expires_at == request.created_at + 2 * HOUR
        assert (await store.of("ada").requests.get(request.id)).expires_at == extended.expires_at


async def test_more_time_needs_a_pending_request_with_a_deadline(tmp_path: Path) -> None:
    async with inbox_with(tmp_path, DeadlineLengths(push=HOUR)) as (inbox, _store, _hub):
        endless, settled = in_a_round(), pushed()
        await inbox.put([endless])
        await inbox.put([settled])
        await answer(inbox, "ada", settled.id, Action.DECLINE)
        with pytest.raises(ConflictError, match="waits until you answer"):
            await inbox.more_time("ada", endless.id)
        with pytest.raises(AlreadySettledError):
            await inbox.more_time("ada", settled.id)


async def test_a_near_deadline_is_published_once(tmp_path: Path) -> None:
    async with inbox_with(tmp_path, DeadlineLengths(push=HOUR)) as (inbox, store, hub):
        first, second = pushed(), pushed()
        await inbox.put([first])
        await inbox.put([second])
        assert soon(await store.of("ada").requests.get(first.id)) is None
        with hub.subscribe("ada") as events:
            assert await store.of("ada").requests.extend(first.id, now() + NEAR)
            inbox._deadlines.check()
            await _published_until(events, first)
            assert await store.of("ada").requests.extend(second.id, now() + NEAR)
            inbox._deadlines.check()
            assert first.id not in await _published_until(events, second)
        assert soon(await store.of("ada").requests.get(first.id))


async def test_a_deadline_is_announced_when_it_gets_near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Nothing else wakes the task.
    monkeypatch.setattr(deadlines, "LONGEST_SLEEP", HOUR)
    async with inbox_with(tmp_path, DeadlineLengths(push=NEAR + timedelta(milliseconds=50))) as (inbox, _store, hub):
        request = pushed()
        with hub.subscribe("ada") as events:
            await inbox.put([request])
            await _published_until(events, request)
            await _published_until(events, request)


async def test_a_look_is_made_once_for_each_check(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper, looked = Deadlines(store, Hub(), DeadlineLengths()), asyncio.Event()
    are_due, wanted_again = store.system.due, []

    async def expire(_request: ListedRequest) -> None:
        pytest.fail("nothing is late")

    async def due(at: datetime, horizon: datetime) -> Any:
        wanted_again.append(keeper._changed.is_set())
        looked.set()
        return await are_due(at, horizon)

    monkeypatch.setattr(store.system, "due", due)
    running = asyncio.create_task(keeper.run(expire))
    for _look in range(3):
        await looked.wait()
        looked.clear()
        keeper.check()
    await looked.wait()
    running.cancel()
    await asyncio.wait([running])
    assert not any(wanted_again)


async def _published_until(events: Subscription, request: InputRequest) -> list[str]:
    """Return the ids that are published, up to that of this request."""
    published: list[str] = []
    async with asyncio.timeout(PATIENCE):
        while request.id not in published:
            published.append(getattr(await anext(events), "subject", ""))
    return published


def test_a_deadline_is_near_only_for_a_pending_request() -> None:
    soon_over = pushed(expires_at=now() + timedelta(seconds=5))
    assert soon(soon_over) == soon_over.expires_at
    assert soon(replace(soon_over, state=RequestState.DECLINED)) is None
    assert soon(pushed(expires_at=now() + HOUR)) is None


@pytest.mark.parametrize(
    ("origin", "waits"),
    [(Origin.PUSHED, HOUR), (Origin.ROUND, 2 * HOUR), (Origin.REQUIRED, 2 * HOUR), (Origin.HOSTED, 2 * HOUR)],
)
def test_the_origin_of_a_request_says_how_long_it_waits(origin: Origin, waits: timedelta) -> None:
    request = in_a_round() if origin is Origin.ROUND else pushed()
    assert DeadlineLengths(push=HOUR, rounds=2 * HOUR).of(replace(request, origin=origin)) == waits


def test_the_request_of_a_hosted_task_always_has_an_end() -> None:
    request = pushed(origin=Origin.HOSTED)
    assert DeadlineLengths().of(request) == LONGEST_LIFE
    wanted = replace(request, params={**request.params, "task": {"ttl": LONGEST_LIFE / timedelta(milliseconds=2)}})
    assert DeadlineLengths().of(wanted) == LONGEST_LIFE / 2
    assert DeadlineLengths().of(pushed()) is None


async def test_an_extension_is_the_time_of_the_era_or_the_first_one(store: Store) -> None:
    request = pushed()
    expires_at = request.created_at + 2 * HOUR
    assert Deadlines(store, Hub(), DeadlineLengths(push=HOUR)).extended(request, expires_at) == expires_at + HOUR
    assert Deadlines(store, Hub(), DeadlineLengths()).extended(request, expires_at) == expires_at + 2 * HOUR


async def test_a_request_that_is_pending_again_has_its_full_time(store: Store) -> None:
    before = now()
    renewed = Deadlines(store, Hub(), DeadlineLengths(push=HOUR)).renewed(pushed())
    assert renewed
    assert before + HOUR <= renewed <= now() + HOUR
    assert Deadlines(store, Hub(), DeadlineLengths()).renewed(pushed()) is None


def test_a_program_says_how_long_its_request_waits() -> None:
    request = pushed(origin=Origin.PROGRAM)
    assert DeadlineLengths(push=HOUR).of(replace(request, expires_at=request.created_at + AT_ONCE)) == AT_ONCE
    assert DeadlineLengths(push=HOUR).of(replace(request, expires_at=None)) == HOUR
