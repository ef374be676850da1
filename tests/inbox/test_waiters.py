"""Waiting for requests: on the store and the events alone, with one read for all waiters."""

from __future__ import annotations

import asyncio
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


async def test_an_answer_of_this_process_needs_no_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    async def unread(_rows: UserRequests, _ids: Any) -> Any:
        pytest.fail("the row was known")

    monkeypatch.setattr(UserRequests, "by_ids", unread)
    inbox, request = Inbox(store, Hub()), form_request()
    waiting = await ask(inbox, request)
    await answer(inbox, "ada", request.id, Action.DECLINE)
    assert await waiting == {"action": "decline"}
    await inbox.close()


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
    those, failures = UserRequests.by_ids, [OSError(), OSError()]

    async def failing(rows: UserRequests, ids: Any) -> Any:
        if failures:
            raise failures.pop()
        return await those(rows, ids)

    inbox, request = Inbox(store, Hub()), form_request()
    monkeypatch.setattr(UserRequests, "by_ids", failing)
    waiting = await ask(inbox, request)
    await answer(inbox, "ada", request.id, Action.DECLINE)
    assert await waiting == {"action": "decline"}
    await inbox.close()


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
