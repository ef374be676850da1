"""Clocks that are set forward and back while a person is asked: nothing late is taken, and nothing is sent twice."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from tests.answering import answer, ask
from tests.clocks import set_clock
from tests.inbox.test_deadlines import inbox_with, pushed
from tests.inbox.test_decisions import run
from tests.inbox.test_inbox import form_request
from webclient.domain.errors import AlreadySettledError
from webclient.domain.model import Action, ReasonCode, RequestState
from webclient.inbox import DeadlineLengths

pytestmark = pytest.mark.anyio

HOUR = timedelta(hours=1)
JUMPS = (HOUR, -HOUR)
NAME = {"name": "Ada"}


async def test_an_answer_after_the_deadline_is_too_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The timer of the deadlines looks at the clock once a minute only."""
    async with inbox_with(tmp_path, DeadlineLengths(push=HOUR)) as (inbox, store, _hub):
        waiting = await ask(inbox, request := pushed())
        set_clock(monkeypatch, HOUR)
        with pytest.raises(AlreadySettledError):
            await answer(inbox, "ada", request.id, Action.ACCEPT, NAME)
        expired = await store.of("ada").requests.get(request.id)
        assert (expired.state, expired.reason_code) == (RequestState.EXPIRED, ReasonCode.DEADLINE_PASSED)
        assert await waiting == {"action": "cancel"}


async def test_a_clock_that_was_set_back_leaves_more_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with inbox_with(tmp_path, DeadlineLengths(push=HOUR)) as (inbox, _store, _hub):
        waiting = await ask(inbox, request := pushed())
        set_clock(monkeypatch, -HOUR)
        await answer(inbox, "ada", request.id, Action.ACCEPT, NAME)
        assert (await waiting or {})["action"] == "accept"


@pytest.mark.parametrize("jump", JUMPS)
async def test_a_decision_is_sent_after_its_time_by_any_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    async with run(tmp_path, timedelta(seconds=0.2)) as it:
        waiting = await ask(it.inbox, request := form_request())
        await it.decide(request)
        set_clock(monkeypatch, jump)
        async with asyncio.timeout(30):
            assert await waiting == {"action": "decline"}
        with pytest.raises(AlreadySettledError):
            await it.decisions.undo(request)


@pytest.mark.parametrize("jump", JUMPS)
async def test_a_decision_is_undone_by_any_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    async with run(tmp_path) as it:
        waiting = await ask(it.inbox, request := form_request())
        await it.decide(request)
        set_clock(monkeypatch, jump)
        undone, _typed = await it.decisions.undo(request)
        assert (undone.state, undone.undoable) == (RequestState.PENDING, False)
        waiting.cancel()
        await asyncio.wait([waiting])
