"""Waiting for requests: on the store and the events alone, with one read for all waiters."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from tests.answering import answer, ask
from tests.inbox.test_inbox import form_request
from webclient.domain.errors import NotFoundError
from webclient.domain.model import Action, Reason, ReasonCode, RequestState
from webclient.inbox import Inbox, waiters
from webclient.inbox.inbox import all_settled
from webclient.store import Store
from webclient.store.live import Hub
from webclient.store.requests.requests import UserRequests

pytestmark = pytest.mark.anyio

SECRET = {"type": "object", "properties": {"password": {"type": "string"}, "name": {"type": "string"}}}


async def test_an_answer_that_another_process_took_arrives(store: Store) -> None:
    hub, request = Hub(), form_request()
    here, elsewhere = Inbox(store, hub), Inbox(store, Hub())
    waiting = await ask(here, request)
    await answer(elsewhere, "ada", request.id, Action.ACCEPT, {"name": "Ada"})
    # A message bus between processes publishes its events here.
    hub.publish("ada", "request", request.id)
    assert await waiting == {"action": "accept", "content": {"name": "Ada"}}
    await here.close()


async def test_a_gap_in_the_events_makes_waiters_read_again(store: Store) -> None:
    hub, request = Hub(), form_request()
    here, elsewhere = Inbox(store, hub), Inbox(store, Hub())
    waiting = await ask(here, request)
    await answer(elsewhere, "ada", request.id, Action.DECLINE)
    hub.refresh()
    assert await waiting == {"action": "decline"}
    await here.close()


async def test_many_answers_at_once_need_few_reads(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = 0
    those = UserRequests.by_ids

    async def counted(rows: UserRequests, ids: Any) -> Any:
        nonlocal reads
        reads += 1
        return await those(rows, ids)

    inbox, requests = Inbox(store, Hub()), [form_request() for _each in range(100)]
    await inbox.put(requests)
    waiting = [asyncio.create_task(inbox.until([each], all_settled)) for each in requests]
    monkeypatch.setattr(UserRequests, "by_ids", counted)
    await asyncio.sleep(0)
    await inbox.settle_all(requests, RequestState.WITHDRAWN, Reason(ReasonCode.WITHDRAWN))
    found = await asyncio.gather(*waiting)
    assert {request.state for [request] in found} == {RequestState.WITHDRAWN}
    assert reads <= 3
    await inbox.close()


class Reads:
    """Counts the reads of the store; while `go_on` is not set they wait, and `failures` are raised first."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, failures: Sequence[Exception] = ()) -> None:
        self.count, self.at_once, self.most_at_once = 0, 0, 0
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()
        self.go_on.set()
        self._left = list(failures)
        self._those = UserRequests.by_ids
        monkeypatch.setattr(UserRequests, "by_ids", lambda rows, ids: self._by_ids(rows, ids))  # noqa: PLW0108  (a method)

    async def _by_ids(self, rows: UserRequests, ids: Any) -> Any:
        self.count += 1
        self.begun.set()
        if self._left:
            raise self._left.pop()
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        await self.go_on.wait()
        self.at_once -= 1
        return await self._those(rows, ids)


async def test_an_answer_of_this_process_needs_no_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = Reads(monkeypatch)
    inbox, request = Inbox(store, Hub()), form_request()
    waiting = await ask(inbox, request)
    await asyncio.sleep(0)
    assert [each.id for each in await inbox.until([request], lambda _newest: True)] == [request.id]
    assert inbox._waiters._reader is None
    await answer(inbox, "ada", request.id, Action.DECLINE)
    assert await waiting == {"action": "decline"}
    assert inbox._waiters._waits == {}
    await inbox.close()
    assert reads.count == 0


async def test_a_settled_request_is_read_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    inbox, refused = Inbox(store, Hub()), form_request(state=RequestState.REFUSED)
    await inbox.put([refused])
    reads = Reads(monkeypatch)
    [found] = await inbox.until([refused], all_settled)
    assert (found.state, reads.count) == (RequestState.REFUSED, 1)
    await inbox.close()


async def test_events_while_a_read_runs_start_no_second_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    hub, request = Hub(), form_request()
    inbox, elsewhere = Inbox(store, hub), Inbox(store, Hub())
    waiting = await ask(inbox, request)
    reads = Reads(monkeypatch)
    reads.go_on.clear()
    await asyncio.sleep(0)
    hub.publish("ada", "request", request.id)
    await reads.begun.wait()
    await answer(elsewhere, "ada", request.id, Action.DECLINE)
    for _event in range(3):
        hub.publish("ada", "request", request.id)
        await asyncio.sleep(0)
    reads.go_on.set()
    assert await waiting == {"action": "decline"}
    assert reads.most_at_once == 1
    await inbox.close()
    await elsewhere.close()


async def test_other_events_cost_no_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    hub, request = Hub(), form_request()
    inbox = Inbox(store, hub)
    waiting = await ask(inbox, request)
    reads = Reads(monkeypatch)
    await asyncio.sleep(0)
    hub.publish("ada", "sampling", request.id)
    hub.publish("bob", "request", request.id)
    assert inbox._waiters._reader is None
    await answer(inbox, "ada", request.id, Action.DECLINE)
    await waiting
    await inbox.close()
    assert reads.count == 0


async def test_a_request_settled_while_it_is_stored_is_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The person may answer before the one who stored it goes on."""
    inbox, request = Inbox(store, Hub()), form_request()
    those = UserRequests.add

    async def settled_at_once(*arguments: Any, **named: Any) -> bool:
        added = await those(*arguments, **named)
        await answer(inbox, "ada", request.id, Action.DECLINE)
        return added

    monkeypatch.setattr(UserRequests, "add", settled_at_once)
    assert await (await ask(inbox, request)) == {"action": "decline"}
    await inbox.close()


async def test_a_read_that_fails_is_repeated(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiters, "PAUSE", 0.01)
    hub, request = Hub(), form_request()
    inbox, elsewhere = Inbox(store, hub), Inbox(store, Hub())
    waiting = await ask(inbox, request)
    reads = Reads(monkeypatch, failures=[OSError(), OSError()])
    await answer(elsewhere, "ada", request.id, Action.DECLINE)
    hub.publish("ada", "request", request.id)
    assert await waiting == {"action": "decline"}
    assert reads.count == 3
    await inbox.close()
    await elsewhere.close()


async def test_reads_that_fail_are_paused_and_end_with_the_inbox(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    # Of this length are the pauses of nothing else in the process.
    monkeypatch.setattr(waiters, "PAUSE", 0.123)
    pauses = []
    sleep = asyncio.sleep

    async def paused(seconds: float) -> None:
        is_ours = seconds == waiters.PAUSE
        if is_ours:
            pauses.append(seconds)
        await sleep(0 if is_ours else seconds)

    hub, request = Hub(), form_request()
    inbox = Inbox(store, hub)
    waiting = await ask(inbox, request)
    await sleep(0)
    reads = Reads(monkeypatch, failures=[OSError() for _read in range(100_000)])
    monkeypatch.setattr(asyncio, "sleep", paused)
    hub.publish("ada", "request", request.id)
    await reads.begun.wait()
    await inbox.close()
    assert pauses == [waiters.PAUSE] * reads.count
    hub.publish("ada", "request", request.id)
    assert inbox._waiters._reader is None
    waiting.cancel()
    await asyncio.wait([waiting])


async def test_waiting_for_an_unknown_request_raises_not_found(store: Store) -> None:
    inbox = Inbox(store, Hub())
    with pytest.raises(NotFoundError):
        await inbox.until([form_request()], all_settled)
    await inbox.close()


async def test_a_secret_is_handed_over_and_never_stored(store: Store) -> None:
    inbox, request = Inbox(store, Hub()), form_request(SECRET)
    waiting = await ask(inbox, request)
    sent = {"password": "hunter2", "name": "Ada"}
    settled = await answer(inbox, "ada", request.id, Action.ACCEPT, sent)
    assert settled.content == {"password": None, "name": "Ada"}
    assert await waiting == {"action": "accept", "content": sent}
    assert inbox._unstored == {}
    await inbox.close()


async def test_of_two_answers_with_secrets_the_winner_is_sent_whole(store: Store) -> None:
    inbox, request = Inbox(store, Hub()), form_request(SECRET)
    waiting = await ask(inbox, request)
    contents = [{"password": f"hunter{number}", "name": f"{number}"} for number in range(5)]
    answers = [answer(inbox, "ada", request.id, Action.ACCEPT, content) for content in contents]
    results = await asyncio.gather(*answers, return_exceptions=True)
    [winner] = [number for number, result in enumerate(results) if not isinstance(result, Exception)]
    assert await waiting == {"action": "accept", "content": contents[winner]}
    await inbox.close()


async def test_a_lost_answer_leaves_no_secret(store: Store) -> None:
    inbox, request = Inbox(store, Hub()), form_request(SECRET)
    await inbox.put([request])
    with inbox.expecting(request):
        await answer(inbox, "ada", request.id, Action.DECLINE)
        with pytest.raises(Exception, match="settled"):
            await answer(inbox, "ada", request.id, Action.ACCEPT, {"password": "hunter2"})
        assert inbox._unstored == {}
