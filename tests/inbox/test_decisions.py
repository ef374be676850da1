"""Decisions: sent when their time is over, or when the program stops or starts; and undone before that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from tests.answering import answer, ask
from tests.inbox.test_inbox import form_request, writes
from tests.store.rows import listed
from webclient.domain.errors import AlreadySettledError
from webclient.domain.model import Action, InputRequest, Json, Origin, Reason, ReasonCode, RequestState, Via, now
from webclient.inbox import Decisions, Inbox, check_answer, decisions
from webclient.store import Store
from webclient.store.live import Event, Hub

pytestmark = pytest.mark.anyio

AT_ONCE = timedelta(milliseconds=20)
HOUR = timedelta(hours=1)
PLAIN: Json = {"message": "Deploy?", "requestedSchema": {"type": "object", "properties": {}}}
YES = {"action": "accept", "content": {}}
TYPED = [("f0", "Ada"), ("f1", "hunter2")]


@dataclass(frozen=True)
class Run:
    """One run of the inbox with its decisions."""

    store: Store
    inbox: Inbox
    decisions: Decisions

    async def decide(self, request: InputRequest, action: Action = Action.DECLINE) -> InputRequest:
        newest = await self.read(request)
        return await self.decisions.decide(await check_answer(newest, action), TYPED)

    async def read(self, request: InputRequest) -> InputRequest:
        return await self.store.of("ada").requests.get(request.id)


@asynccontextmanager
async def run(
    folder: Path, undo_time: timedelta = HOUR, *, approval_time: timedelta = HOUR, resumed: str = ""
) -> AsyncIterator[Run]:
    store, hub = Store(folder), Hub()
    await store.open()
    await store.system.end_leftovers(Reason(ReasonCode.CLIENT_STOPPED), resumed=[resumed])
    inbox = Inbox(store, hub)
    run = Run(store, inbox, Decisions(store, hub, inbox, undo_time, approval_time))
    yield run
    for timer in tuple(run.decisions._timers):
        timer.stop()
    await inbox.close()
    await store.close()


@pytest.mark.parametrize("action", [Action.DECLINE, Action.CANCEL])
async def test_a_decision_is_pending_until_its_time_is_over(tmp_path: Path, action: Action) -> None:
    async with run(tmp_path) as it:
        waiting = await ask(it.inbox, request := form_request())
        decided = await it.decide(request, action)
        assert (decided.state, decided.decided, decided.undoable) == (RequestState.PENDING, action, True)
        waiting.cancel()
        await asyncio.wait([waiting])


@pytest.mark.parametrize("action", [Action.DECLINE, Action.CANCEL])
async def test_a_decision_is_sent_when_its_time_is_over(tmp_path: Path, action: Action) -> None:
    async with run(tmp_path, AT_ONCE) as it:
        waiting = await ask(it.inbox, request := form_request())
        # It may be sent before this returns.
        assert (await it.decide(request, action)).decided is action
        assert await waiting == {"action": action}
        assert (settled := await it.read(request)).via is Via.PAGE
        assert not settled.undoable


async def test_undoing_a_decision_gives_the_text_back(tmp_path: Path) -> None:
    async with run(tmp_path, timedelta(seconds=0.3)) as it:
        waiting = await ask(it.inbox, request := form_request())
        await it.decide(request)
        undone, typed = await it.decisions.undo(request)
        assert (undone.undoable, undone.undo_until, typed) == (False, None, TYPED)
        await asyncio.sleep(0.4)
        assert not waiting.done()
        await answer(it.inbox, "ada", request.id, Action.ACCEPT, {"name": "Ada"})
        assert (await waiting or {})["action"] == "accept"


async def test_a_decision_that_was_sent_cannot_be_undone(tmp_path: Path) -> None:
    async with run(tmp_path, AT_ONCE) as it:
        waiting = await ask(it.inbox, request := form_request())
        await it.decide(request)
        await waiting
        with pytest.raises(AlreadySettledError):
            await it.decisions.undo(request)


async def test_a_second_decision_is_sent_at_once(tmp_path: Path) -> None:
    async with run(tmp_path) as it:
        waiting = await ask(it.inbox, request := form_request())
        await it.decide(request)
        assert (await it.decide(request, Action.CANCEL)).state is RequestState.CANCELLED
        assert await waiting == {"action": "cancel"}


@pytest.mark.parametrize(("undo_time", "left"), [(timedelta(0), None), (HOUR, timedelta(minutes=59))])
async def test_without_time_to_undo_a_decision_is_sent_at_once(
    tmp_path: Path, undo_time: timedelta, left: timedelta | None
) -> None:
    async with run(tmp_path, undo_time) as it:
        waiting = await ask(it.inbox, request := form_request(expires_at=now() + left if left else None))
        assert (await it.decide(request)).state is RequestState.DECLINED
        assert await waiting == {"action": "decline"}


async def test_an_answer_elsewhere_wins_over_a_decision(tmp_path: Path) -> None:
    async with run(tmp_path) as it:
        waiting = await ask(it.inbox, request := form_request())
        await it.decide(request)
        await answer(it.inbox, "ada", request.id, Action.ACCEPT, {"name": "Ada"})
        await it.decisions.close()  # sends what was decided
        assert await waiting == {"action": "accept", "content": {"name": "Ada"}}
        assert (await it.read(request)).state is RequestState.ACCEPTED


async def test_several_are_declined_together_and_undone(tmp_path: Path) -> None:
    async with run(tmp_path) as it:
        requests = [form_request(), form_request(), form_request(expires_at=now() + timedelta(minutes=1))]
        waiting = [await ask(it.inbox, request) for request in requests]
        with it.inbox._hub.subscribe("ada") as events:
            declined = await it.decisions.decline_together("ada", [listed(await it.read(each)) for each in requests])
            published = {each.subject for each in events.drain() if isinstance(each, Event)}
        assert published == {each.id for each in requests}
        assert {each.id for each in declined} == {each.id for each in requests}
        # The last one expires before the time to undo is over.
        assert await waiting[2] == {"action": "decline"}
        undone = await it.decisions.undo_together("ada", [each.id for each in requests])
        assert {each.id for each in undone} == {each.id for each in requests[:2]}
        assert await it.store.system.decided() == []
        await it.decisions.decline_together("ada", undone)
        await it.decisions.close()
        assert [await each for each in waiting[:2]] == [{"action": "decline"}] * 2


async def test_a_second_decline_of_several_is_sent_at_once(tmp_path: Path) -> None:
    async with run(tmp_path) as it:
        waiting = await ask(it.inbox, request := form_request())
        await ask(it.inbox, ended := form_request())
        requests = [listed(await it.read(each)) for each in (request, ended)]
        await it.inbox.settle(ended, RequestState.WITHDRAWN, Reason(ReasonCode.WITHDRAWN))
        [decided] = await it.decisions.decline_together("ada", requests)
        assert (decided.id, waiting.done()) == (request.id, False)
        [declined] = await it.decisions.decline_together("ada", [decided])
        assert (declined.id, declined.state) == (request.id, RequestState.DECLINED)
        assert await waiting == {"action": "decline"}


@pytest.mark.parametrize("undo_time", [AT_ONCE, timedelta(0)])
async def test_many_declined_together_are_sent_together(tmp_path: Path, undo_time: timedelta) -> None:
    async with run(tmp_path, undo_time) as it:
        requests = [form_request() for _ in range(20)]
        waiting = [await ask(it.inbox, request) for request in requests]
        rows = [listed(await it.read(each)) for each in requests]
        with writes(it.inbox) as written:
            await it.decisions.decline_together("ada", rows)
            assert [await each for each in waiting] == [{"action": "decline"}] * 20
        # The decision, if it can be undone, and the answers.
        assert len(written) == (2 if undo_time else 1)


async def test_a_message_is_sent_with_its_decision(tmp_path: Path) -> None:
    async with run(tmp_path, AT_ONCE) as it:
        waiting = await ask(it.inbox, request := form_request())
        declining = await check_answer(await it.read(request), Action.DECLINE, message="Not today")
        await it.decisions.decide(declining, TYPED)
        assert await waiting == {"action": "decline"}
        assert (await it.read(request)).decline_message == "Not today"


async def test_a_decision_that_is_made_again_has_its_own_time(tmp_path: Path) -> None:
    async with run(tmp_path) as it:
        waiting = await ask(it.inbox, request := form_request())
        [first] = await it.decisions.decline_together("ada", [listed(await it.read(request))])
        await it.decisions.undo(request)
        await it.decide(request)
        # The time of the first one is over.
        await it.decisions._send([first])
        assert not waiting.done()
        _undone, typed = await it.decisions.undo(request)
        assert typed == TYPED


async def test_a_request_that_ended_cannot_be_decided(tmp_path: Path) -> None:
    async with run(tmp_path) as it:
        await ask(it.inbox, request := form_request())
        late = await check_answer(await it.read(request), Action.DECLINE)
        await it.inbox.settle(request, RequestState.WITHDRAWN, Reason(ReasonCode.WITHDRAWN))
        with pytest.raises(AlreadySettledError):
            await it.decisions.decide(late, TYPED)


async def test_the_end_of_the_program_sends_pushed_decisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "DELIVERY_SECONDS", 0.05)
    async with run(tmp_path) as it:
        waiting = await ask(it.inbox, request := form_request())
        await it.inbox.put([of_round := form_request(call_id="c1", origin=Origin.ROUND)])
        for each in (request, of_round):
            await it.decide(each)
        timers = tuple(it.decisions._timers)
        await it.decisions.close()
        for timer in timers:
            await timer.ended(30)
        assert not it.decisions._timers
        assert await waiting == {"action": "decline"}
        assert (await it.read(of_round)).undoable


async def test_the_next_run_sends_the_decisions_of_a_call_that_resumes(tmp_path: Path) -> None:
    request = form_request(call_id="c1", origin=Origin.ROUND)
    async with run(tmp_path) as it:
        await it.inbox.put([request])
        await it.decide(request)
    async with run(tmp_path, resumed="c1") as it:
        assert (await it.read(request)).undoable
        await it.decisions.send_all()
        assert (await it.read(request)).state is RequestState.DECLINED


async def test_after_a_restart_a_decision_is_undone_without_its_text(tmp_path: Path) -> None:
    request = form_request(call_id="c1", origin=Origin.ROUND)
    async with run(tmp_path) as it:
        await it.inbox.put([request])
        await it.decide(request)
    async with run(tmp_path, resumed="c1") as it:
        undone, typed = await it.decisions.undo(request)
        assert (undone.pending, undone.undoable, typed) == (True, False, None)


async def test_an_approval_has_a_time_of_its_own(tmp_path: Path) -> None:
    async with run(tmp_path, approval_time=AT_ONCE) as it:
        waiting = await ask(it.inbox, request := form_request(params=PLAIN))
        assert (await it.decide(request, Action.ACCEPT)).decided is Action.ACCEPT
        assert await waiting == YES
        assert (await it.read(request)).via is Via.PAGE
    async with run(tmp_path, approval_time=timedelta(0)) as it:
        await ask(it.inbox, request := form_request(params=PLAIN))
        assert (await it.decide(request, Action.ACCEPT)).state is RequestState.ACCEPTED


async def test_an_approval_is_undone_and_made_again(tmp_path: Path) -> None:
    async with run(tmp_path) as it:
        waiting = await ask(it.inbox, request := form_request(params=PLAIN))
        await it.decide(request, Action.ACCEPT)
        [first] = await it.store.of("ada").requests.approved()
        await it.decisions.undo(request)
        await it.decisions._send([first])
        assert (await it.read(request)).decided is None
        await it.decide(request, Action.ACCEPT)
        await it.decisions._send([first])
        assert not waiting.done()
        await it.decisions.close()
        assert await waiting == YES


async def test_going_on_sends_the_approvals_of_others(tmp_path: Path) -> None:
    async with run(tmp_path) as it:
        requests = [form_request(params=PLAIN) for _ in range(3)]
        waiting = [await ask(it.inbox, each) for each in requests]
        for each, action in zip(requests, [Action.ACCEPT, Action.ACCEPT, Action.DECLINE], strict=True):
            await it.decide(each, action)
        await it.decisions.send_approvals("bob")
        await it.decisions.send_approvals("ada", but=requests[1].id)
        assert await waiting[0] == YES
        assert [(await it.read(each)).undoable for each in requests] == [False, True, True]


async def test_an_approval_that_was_undone_meanwhile_is_not_sent(tmp_path: Path) -> None:
    async with run(tmp_path) as it:
        await ask(it.inbox, request := form_request(params=PLAIN))
        await it.decide(request, Action.ACCEPT)
        [row] = await it.store.of("ada").requests.approved()
        # By a process that does not share the lock.
        await it.store.of("ada").requests.undo([request.id])
        await it.decisions._answer(row)
        assert (await it.read(request)).pending


@pytest.mark.parametrize("stops", [True, False])
async def test_an_approval_in_a_round_survives_the_program(tmp_path: Path, stops: bool) -> None:
    request = form_request(params=PLAIN, call_id="c1", origin=Origin.ROUND)
    async with run(tmp_path) as it:
        await it.inbox.put([request])
        await it.decide(request, Action.ACCEPT)
        if stops:
            await it.decisions.close()
    async with run(tmp_path, resumed="c1") as it:
        assert (await it.read(request)).decided is Action.ACCEPT
        await it.decisions.send_all()
        assert ((sent := await it.read(request)).state, sent.content) == (RequestState.ACCEPTED, {})
