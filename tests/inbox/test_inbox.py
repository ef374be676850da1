"""The inbox: exactly one answer wins, and it is sent as it was given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.answering import answer, ask
from tests.disk import unwritable
from webclient.domain.errors import AlreadySettledError, ConflictError, InvalidAnswerError, NotFoundError
from webclient.domain.model import (
    Action,
    Delivery,
    InputRequest,
    Json,
    Origin,
    Reason,
    ReasonCode,
    Requester,
    RequestState,
    Via,
    now,
)
from webclient.inbox import Inbox
from webclient.store import StorageError, Store
from webclient.store.live import Event, Hub

pytestmark = pytest.mark.anyio

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2},
        "colour": {"type": "string", "enum": ["red", "green"], "default": "green"},
        "size": {"type": "integer", "default": 900, "maximum": 9},
    },
    "required": ["name"],
}


@pytest.fixture
async def inbox(tmp_path: Path) -> AsyncIterator[Inbox]:
    store = Store(tmp_path)
    await store.open()
    inbox = Inbox(store, Hub())
    yield inbox
    await inbox.close()
    await store.close()


def form_request(schema: Json | None = None, **fields: object) -> InputRequest:
    params = {"mode": "form", "message": "Who?", "requestedSchema": schema or SCHEMA}
    values: dict[str, object] = {"user_id": "ada", "server_id": "s1", "kind": "form", "params": params}
    return InputRequest(asked_by=Requester(label="it", address="http://127.0.0.1"), **(values | fields))  # type: ignore[arg-type]


@contextmanager
def writes(inbox: Inbox) -> Iterator[list[object]]:
    """Give the units of work that change something while the block runs."""
    found: list[object] = []
    database = inbox._store.of("ada").requests._database
    write = database.write

    async def counted(unit: Any, *given: Any, **named: Any) -> Any:
        found.append(unit)
        return await write(unit, *given, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "write", counted)
        yield found


def url_request(url: str, elicitation_id: str | None = None, **fields: object) -> InputRequest:
    params = {"mode": "url", "message": "Go", "url": url}
    params |= {"elicitationId": elicitation_id} if elicitation_id else {}
    return form_request(**{"kind": "url", "params": params} | fields)  # type: ignore[arg-type]


async def test_the_server_gets_exactly_the_content_of_the_answer(inbox: Inbox) -> None:
    request = form_request()
    waiting = await ask(inbox, request)
    content = {"name": "Ada"}
    settled = await answer(inbox, "ada", request.id, Action.ACCEPT, content)
    assert (settled.state, settled.content) == (RequestState.ACCEPTED, content)
    assert await waiting == {"action": "accept", "content": content}


@pytest.mark.parametrize(
    ("action", "state"), [(Action.DECLINE, RequestState.DECLINED), (Action.CANCEL, RequestState.CANCELLED)]
)
async def test_decline_and_cancel_carry_no_content(inbox: Inbox, action: Action, state: RequestState) -> None:
    request = form_request()
    waiting = await ask(inbox, request)
    settled = await answer(inbox, "ada", request.id, action, {"name": "Ada"})
    assert (settled.state, settled.content) == (state, None)
    assert await waiting == {"action": action}


async def test_the_second_answer_fails_with_the_outcome(inbox: Inbox) -> None:
    request = form_request()
    await inbox.put([request])
    await answer(inbox, "ada", request.id, Action.DECLINE)
    with pytest.raises(AlreadySettledError, match="It was declined") as lost:
        await answer(inbox, "ada", request.id, Action.ACCEPT, {"name": "Ada"})
    assert lost.value.request.state is RequestState.DECLINED


async def test_of_many_answers_at_once_one_wins(inbox: Inbox) -> None:
    request = form_request()
    waiting = await ask(inbox, request)
    answers = [answer(inbox, "ada", request.id, Action.ACCEPT, {"name": f"Ada {n}"}) for n in range(10)]
    outcomes = await asyncio.gather(*answers, return_exceptions=True)
    [winner] = [outcome for outcome in outcomes if isinstance(outcome, InputRequest)]
    assert sum(isinstance(outcome, AlreadySettledError) for outcome in outcomes) == 9
    assert await waiting == {"action": "accept", "content": winner.content}


async def test_an_answer_that_was_not_stored_is_given_again(inbox: Inbox) -> None:
    """Its secret values are kept in memory only while they are those of the answer that counts."""
    request = form_request({"type": "object", "properties": {"password": {"type": "string"}}})
    waiting = await ask(inbox, request)
    with unwritable(inbox._store), pytest.raises(StorageError):
        await answer(inbox, "ada", request.id, Action.ACCEPT, {"password": "first"})
    await answer(inbox, "ada", request.id, Action.ACCEPT, {"password": "second"})
    assert await waiting == {"action": "accept", "content": {"password": "second"}}


async def test_many_are_declined_in_few_writes(inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webclient.inbox.inbox.DECLINED_TOGETHER", 25)
    requests = [form_request() for _ in range(60)]
    waiting = [await ask(inbox, request) for request in requests]
    answered = await answer(inbox, "ada", requests[0].id, Action.CANCEL)
    heard: list[str] = []
    inbox.on_answer.append(lambda request: heard.append(request.id))
    with inbox._hub.subscribe("ada") as events, writes(inbox) as written:
        declined = await inbox.decline_all("ada", "s1", via=Via.PAGE)
        published = [each.subject for each in events.drain() if isinstance(each, Event)]
    ids = [request.id for request in requests[1:]]
    assert ([each.id for each in declined], heard, published) == (ids, ids, ids)
    assert [await each for each in waiting] == [{"action": "cancel"}] + [{"action": "decline"}] * 59
    assert len(written) == 3
    assert await inbox._store.of("ada").requests.get(answered.id) == answered


async def test_an_answer_after_a_withdrawal_fails_with_that_outcome(inbox: Inbox) -> None:
    request = form_request()
    waiting = await ask(inbox, request)
    assert await inbox.settle(request, RequestState.WITHDRAWN, Reason(ReasonCode.WITHDRAWN))
    with pytest.raises(AlreadySettledError, match="The server withdrew it"):
        await answer(inbox, "ada", request.id, Action.ACCEPT, {"name": "Ada"})
    assert await waiting == {"action": "cancel"}


async def test_an_answered_request_cannot_be_withdrawn(inbox: Inbox) -> None:
    request = form_request()
    await inbox.put([request])
    await answer(inbox, "ada", request.id, Action.DECLINE)
    assert not await inbox.settle(request, RequestState.WITHDRAWN, Reason(ReasonCode.WITHDRAWN))


@pytest.mark.parametrize(
    ("origin", "total", "delivery"),
    [
        (Origin.PUSHED, 1, Delivery.SENDING),
        (Origin.ROUND, 1, Delivery.SENDING),
        # It goes out with the others of its round, and can be changed until then.
        (Origin.ROUND, 2, Delivery.SAVED),
        (Origin.TASK, 2, Delivery.SENDING),
        (Origin.REQUIRED, 1, None),
    ],
)
async def test_an_answer_is_saved_while_its_round_is_open(
    inbox: Inbox, origin: Origin, total: int, delivery: Delivery | None
) -> None:
    request = form_request(origin=origin, total=total, call_id="c1")
    await inbox.put([request])
    assert (await answer(inbox, "ada", request.id, Action.DECLINE)).delivery is delivery


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ({}, "name"),
        ({"name": "A"}, "name"),
        ({"name": "Ada", "colour": "blue"}, "colour"),
        ({"name": "Ada", "size": 10}, "size"),
        ({"name": "Ada", "size": 1.5}, "size"),
        ({"name": None}, "name"),
        ({"name": {"nested": 1}}, "name"),
    ],
)
async def test_invalid_content_is_not_sent(inbox: Inbox, content: Json, field: str) -> None:
    request = form_request()
    await inbox.put([request])
    with pytest.raises(InvalidAnswerError) as refused:
        await answer(inbox, "ada", request.id, Action.ACCEPT, content)
    assert list(refused.value.errors) == [field]
    assert (await answer(inbox, "ada", request.id, Action.ACCEPT, {"name": "Ada"})).content == {"name": "Ada"}


async def test_accept_without_content_sends_only_the_valid_defaults(inbox: Inbox) -> None:
    """The default of `size` breaks its own schema, so it is not prefilled."""
    request = form_request({**SCHEMA, "required": []})
    await inbox.put([request])
    assert (await answer(inbox, "ada", request.id, Action.ACCEPT)).content == {"colour": "green"}


async def test_accept_without_required_content_is_refused(inbox: Inbox) -> None:
    request = form_request()
    await inbox.put([request])
    with pytest.raises(InvalidAnswerError):
        await answer(inbox, "ada", request.id, Action.ACCEPT)


async def test_an_unanswerable_form_can_only_be_declined(inbox: Inbox) -> None:
    request = form_request({"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"]})
    await inbox.put([request])
    with pytest.raises(InvalidAnswerError):
        await answer(inbox, "ada", request.id, Action.ACCEPT, {"a": {}})
    assert (await answer(inbox, "ada", request.id, Action.DECLINE)).state is RequestState.DECLINED


async def test_a_user_cannot_answer_for_another_user(inbox: Inbox) -> None:
    request = form_request()
    await inbox.put([request])
    with pytest.raises(NotFoundError):
        await answer(inbox, "bob", request.id, Action.DECLINE)


async def test_an_accepted_link_waits_until_it_is_finished(inbox: Inbox) -> None:
    request = url_request("https://example.com/sign-in")
    waiting = await ask(inbox, request)
    with pytest.raises(ConflictError, match="waits for an answer"):
        await inbox.links.finished("ada", request.id)
    assert (await answer(inbox, "ada", request.id, Action.ACCEPT)).state is RequestState.WAITING
    assert await waiting == {"action": "accept"}
    assert (await inbox.links.finished("ada", request.id)).state is RequestState.COMPLETED
    assert (await inbox.links.finished("ada", request.id)).state is RequestState.COMPLETED


async def test_a_link_can_be_given_up_only_while_it_waits(inbox: Inbox) -> None:
    request = url_request("https://example.com/sign-in")
    await inbox.put([request])
    with pytest.raises(ConflictError, match="waits for an answer"):
        await inbox.links.give_up("ada", request.id)
    await answer(inbox, "ada", request.id, Action.ACCEPT)
    with pytest.raises(NotFoundError):
        await inbox.links.give_up("bob", request.id)
    assert (await inbox.links.give_up("ada", request.id)).state is RequestState.CANCELLED
    with pytest.raises(ConflictError, match="gave up"):
        await inbox.links.finished("ada", request.id)


async def test_ended_via_is_recorded_beside_via(inbox: Inbox) -> None:
    finished, given_up, notified = (url_request("https://example.com/sign-in", elicitation_id=name) for name in "fgn")
    for request in (finished, given_up, notified):
        await inbox.put([request])
        await answer(inbox, "ada", request.id, Action.ACCEPT, via=Via.PAGE)
    done = await inbox.links.finished("ada", finished.id, via=Via.API)
    assert (done.via, done.ended_via) == (Via.PAGE, Via.API)
    left = await inbox.links.give_up("ada", given_up.id, via=Via.PAGE)
    assert (left.via, left.ended_via) == (Via.PAGE, Via.PAGE)
    await inbox.links.still_waits(done)
    await inbox.links.went_on(done)
    await inbox.links.notified("ada", "s1", {"n": now()})
    for request in (finished, notified):
        newest = await inbox._store.of("ada").requests.get(request.id)
        assert (newest.state, newest.via, newest.ended_via) == (RequestState.COMPLETED, Via.PAGE, None)


async def test_a_notification_completes_only_the_matching_links(inbox: Inbox) -> None:
    """MCP 2025-11-25, Completion Notifications: clients MUST ignore notifications referencing unknown ids."""
    mine = url_request("https://example.com/1", elicitation_id="e1")
    others = [
        url_request("https://example.com/2", elicitation_id="e2"),
        url_request("https://example.com/3"),
        url_request("https://example.com/4", elicitation_id="e1", server_id="s2"),
        url_request("https://example.com/5", elicitation_id="e1", user_id="bob"),
    ]
    for request in (mine, *others):
        await inbox.put([request])
        await answer(inbox, request.user_id, request.id, Action.ACCEPT)
    unopened = url_request("https://example.com/6", elicitation_id="e1")
    await inbox.put([unopened])
    await inbox.links.notified("ada", "s1", {"e1": now()})
    assert (await inbox.links.finished("ada", mine.id)).reason_code is ReasonCode.SERVER_REPORTED_FINISHED
    for request in others:
        assert (await inbox.links.give_up(request.user_id, request.id)).state is RequestState.CANCELLED
    assert (await answer(inbox, "ada", unopened.id, Action.DECLINE)).state is RequestState.DECLINED


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "", "nonsense"])
async def test_a_link_to_anything_but_a_web_page_cannot_be_accepted(inbox: Inbox, url: str) -> None:
    request = url_request(url)
    await inbox.put([request])
    with pytest.raises(InvalidAnswerError):
        await answer(inbox, "ada", request.id, Action.ACCEPT)
    assert (await answer(inbox, "ada", request.id, Action.CANCEL)).state is RequestState.CANCELLED


async def test_each_change_of_a_request_is_published(tmp_path: Path) -> None:
    store, hub = Store(tmp_path), Hub()
    await store.open()
    inbox, request = Inbox(store, hub), form_request()
    with hub.subscribe("ada") as events:
        await inbox.put([request])
        await answer(inbox, "ada", request.id, Action.DECLINE)
        published = [(event.kind, event.subject) for event in events.drain() if isinstance(event, Event)]
    await store.close()
    assert published == [("request", request.id)] * 2


async def test_of_many_secret_answers_the_winner_is_sent(inbox: Inbox) -> None:
    """The values of the others, which are in memory alone, must not take the place of the winner's."""
    request = form_request({"type": "object", "properties": {"password": {"type": "string"}}})
    waiting = await ask(inbox, request)
    heard: list[str] = []
    inbox.on_answer.append(lambda settled: heard.append(settled.id))
    passwords = [f"correct-horse-{n}" for n in range(10)]
    answers = [answer(inbox, "ada", request.id, Action.ACCEPT, {"password": each}) for each in passwords]
    outcomes = await asyncio.gather(*answers, return_exceptions=True)
    [winner] = [number for number, outcome in enumerate(outcomes) if isinstance(outcome, InputRequest)]
    assert await waiting == {"action": "accept", "content": {"password": passwords[winner]}}
    assert heard == [request.id]


async def test_a_refused_answer_is_asked_for_again(inbox: Inbox) -> None:
    given, ended = (form_request(origin=Origin.ROUND, call_id="c1") for _each in range(2))
    await inbox.put([given, ended])
    await answer(inbox, "ada", given.id, Action.ACCEPT, {"name": "Ada"})
    await inbox.settle(ended, RequestState.WITHDRAWN, Reason(ReasonCode.WITHDRAWN))
    reason = Reason(ReasonCode.CALL_OVER)
    rows = inbox._store.of("ada").requests
    with inbox._hub.subscribe("ada") as events:
        assert not await inbox.reopen_refused(await rows.get(ended.id), reason)
        assert await inbox.reopen_refused(await rows.get(given.id), reason)
        published = [each.subject for each in events.drain() if isinstance(each, Event)]
    again = await rows.get(given.id)
    assert (again.state, again.reason, published) == (RequestState.PENDING, reason, [given.id])
    assert (await rows.get(ended.id)).state is RequestState.WITHDRAWN


async def test_a_round_is_taken_when_none_of_it_is_pending(inbox: Inbox) -> None:
    first, second = (form_request(origin=Origin.ROUND, call_id="c1", total=2) for _each in range(2))
    await inbox.put([first, second])
    await answer(inbox, "ada", first.id, Action.DECLINE)
    assert await inbox.take_round([]) == []
    assert await inbox.take_round([first, second]) is None
    await answer(inbox, "ada", second.id, Action.DECLINE)
    with inbox._hub.subscribe("ada") as events:
        taken = await inbox.take_round([first, second])
        published = {each.subject for each in events.drain() if isinstance(each, Event)}
    assert taken is not None
    assert published == {first.id, second.id}
    assert [each.delivery for each in taken] == [Delivery.SENDING] * 2
    with pytest.raises(AlreadySettledError):
        await inbox.reopen("ada", first.id)


async def test_changes_without_an_answer_are_published(inbox: Inbox) -> None:
    request, late, link = form_request(), form_request(), url_request("https://example.com/", elicitation_id="e1")
    await inbox.put([request, late, link])
    opened = await answer(inbox, "ada", link.id, Action.ACCEPT)
    changes: list[tuple[InputRequest, Awaitable[object]]] = [
        (request, inbox.remark(request, Reason(ReasonCode.CALL_ENDED_EARLY))),
        (request, inbox.settle(request, RequestState.WITHDRAWN, Reason(ReasonCode.WITHDRAWN))),
        (request, inbox.recount(request, 2)),
        (late, inbox.settle_all([request, late], RequestState.CANCELLED, Reason(ReasonCode.SERVER_MUTED))),
        (link, inbox.links.still_waits(opened)),
        (link, inbox.links.notified("ada", "s1", {"e1": now()})),
    ]
    for changed, change in changes:
        with inbox._hub.subscribe("ada") as events:
            await change
            assert [each.subject for each in events.drain() if isinstance(each, Event)] == [changed.id]
