"""Deadlines: kept with the question, put off by the person, and told when they pass."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.answering import answer, ask
from tests.inbox.test_inbox import a_question
from webclient.errors import AlreadySettledError, ConflictError
from webclient.inbox import Deadlines, Inbox, Lengths, answer_of
from webclient.inbox.deadlines import NEAR, soon
from webclient.live import Hub, Subscription
from webclient.model import Action, Answer, AskedBy, Era, InputRequest, ReasonCode, RequestState, now
from webclient.store import Store

pytestmark = pytest.mark.anyio

HOUR = timedelta(hours=1)
AT_ONCE = timedelta(milliseconds=1)
PATIENCE = 30


@asynccontextmanager
async def kept(folder: Path, lengths: Lengths) -> AsyncIterator[tuple[Inbox, Store, Hub]]:
    """An inbox whose deadlines are kept."""
    store, hub = Store(folder), Hub()
    await store.open()
    deadlines = Deadlines(store, hub, lengths)
    inbox = Inbox(store, hub, deadlines)
    keeper = asyncio.create_task(deadlines.run(inbox.expire))
    yield inbox, store, hub
    keeper.cancel()
    await asyncio.wait([keeper])
    await inbox.close()
    await store.close()


def pushed(**fields: Any) -> InputRequest:
    return a_question(**fields)


def in_a_round() -> InputRequest:
    by = AskedBy(label="it", address="http://127.0.0.1", protocol_version=Era.ROUNDS)
    return replace(a_question(), asked_by=by)


async def test_a_question_waits_as_long_as_its_era_allows(tmp_path: Path) -> None:
    async with kept(tmp_path, Lengths(push=HOUR)) as (inbox, store, _hub):
        push, rounds = pushed(), in_a_round()
        await inbox.put([push])
        await inbox.put([rounds])
        assert (await store.of("ada").requests.get(push.id)).expires_at == push.created_at + HOUR
        assert (await store.of("ada").requests.get(rounds.id)).expires_at is None


async def test_what_is_shown_and_not_asked_has_no_deadline(tmp_path: Path) -> None:
    async with kept(tmp_path, Lengths(push=HOUR)) as (inbox, store, _hub):
        refused = pushed(state=RequestState.REFUSED)
        await inbox.put([refused])
        assert (await store.of("ada").requests.get(refused.id)).expires_at is None


async def test_what_runs_out_answers_cancel_and_says_so(tmp_path: Path) -> None:
    async with kept(tmp_path, Lengths(push=HOUR, rounds=AT_ONCE)) as (inbox, store, _hub):
        patient, late = pushed(), in_a_round()
        await inbox.put([patient])
        async with asyncio.timeout(PATIENCE):
            assert await (await ask(inbox, late)) == Answer(action=Action.CANCEL)
        expired = await store.of("ada").requests.get(late.id)
        assert expired.state is RequestState.EXPIRED
        assert expired.reason_code is ReasonCode.DEADLINE_PASSED
        assert (await store.of("ada").requests.get(patient.id)).pending
        with pytest.raises(AlreadySettledError, match="its time ran out"):
            await answer(inbox, "ada", late.id, Action.DECLINE)


async def test_what_ran_out_while_nobody_was_there_expires_at_the_start(tmp_path: Path) -> None:
    store = Store(tmp_path)
    await store.open()
    question = pushed(expires_at=now() - HOUR)
    await store.of(question.user_id).requests.add(question)
    await store.close()
    async with kept(tmp_path, Lengths()) as (inbox, _store, _hub):
        async with asyncio.timeout(PATIENCE):
            [expired] = await inbox.until([question], lambda newest: not newest[0].pending)
    assert answer_of(expired) == Answer(action=Action.CANCEL)


async def test_more_time_is_as_much_again(tmp_path: Path) -> None:
    async with kept(tmp_path, Lengths(push=HOUR)) as (inbox, store, hub):
        question = pushed()
        await inbox.put([question])
        with hub.subscribe("ada") as events:
            extended = await inbox.more_time("ada", question.id)
            assert events.drain()
        assert extended.expires_at == question.created_at + 2 * HOUR
        assert (await store.of("ada").requests.get(question.id)).expires_at == extended.expires_at


async def test_more_time_is_for_what_waits_and_runs_out(tmp_path: Path) -> None:
    async with kept(tmp_path, Lengths(push=HOUR)) as (inbox, _store, _hub):
        endless, settled = in_a_round(), pushed()
        await inbox.put([endless])
        await inbox.put([settled])
        await answer(inbox, "ada", settled.id, Action.DECLINE)
        with pytest.raises(ConflictError, match="waits until you answer"):
            await inbox.more_time("ada", endless.id)
        with pytest.raises(AlreadySettledError):
            await inbox.more_time("ada", settled.id)


async def test_pages_are_told_once_that_a_deadline_nears(tmp_path: Path) -> None:
    async with kept(tmp_path, Lengths(push=HOUR)) as (inbox, store, hub):
        first, second, third, fourth = pushed(), pushed(), pushed(), pushed()
        await inbox.put([first])
        await inbox.put([second])
        assert soon(await store.of("ada").requests.get(first.id)) is None
        with hub.subscribe("ada") as events:
            # Whenever something is asked, the deadlines are looked at, those that come first at first.
            assert await store.of("ada").requests.extend(first.id, now() + NEAR)
            await inbox.put([third])
            await _told_until(events, first)
            assert await store.of("ada").requests.extend(second.id, now() + NEAR)
            await inbox.put([fourth])
            assert first.id not in await _told_until(events, second)
        assert soon(await store.of("ada").requests.get(first.id))


async def _told_until(events: Subscription, question: InputRequest) -> list[str]:
    """Return of which questions pages are told, up to this one."""
    told: list[str] = []
    async with asyncio.timeout(PATIENCE):
        while question.id not in told:
            told.append(getattr(await anext(events), "subject", ""))
    return told


def test_a_deadline_is_near_for_what_waits_alone() -> None:
    soon_over = pushed(expires_at=now() + timedelta(seconds=5))
    assert soon(soon_over) == soon_over.expires_at
    assert soon(replace(soon_over, state=RequestState.DECLINED)) is None
    assert soon(pushed(expires_at=now() + HOUR)) is None
