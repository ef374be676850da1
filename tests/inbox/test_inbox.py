"""The inbox: exactly one answer wins, and what is sent is what was given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.answering import answer, ask
from webclient.errors import AlreadySettledError, ConflictError, InvalidAnswerError, NotFoundError
from webclient.inbox import Inbox
from webclient.live import Event, Hub
from webclient.model import Action, Answer, AskedBy, InputRequest, Json, Reason, ReasonCode, RequestState, Via, now
from webclient.store import Store

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


def a_question(schema: Json | None = None, **fields: object) -> InputRequest:
    params = {"mode": "form", "message": "Who?", "requestedSchema": schema or SCHEMA}
    values: dict[str, object] = {"user_id": "ada", "server_id": "s1", "kind": "form", "params": params}
    return InputRequest(asked_by=AskedBy(label="it", address="http://127.0.0.1"), **(values | fields))  # type: ignore[arg-type]


def a_link(url: str, elicitation_id: str | None = None, **fields: object) -> InputRequest:
    params = {"mode": "url", "message": "Go", "url": url}
    params |= {"elicitationId": elicitation_id} if elicitation_id else {}
    return a_question(**{"kind": "url", "params": params} | fields)  # type: ignore[arg-type]


async def test_the_waiting_side_gets_exactly_what_was_answered(inbox: Inbox) -> None:
    request = a_question()
    waiting = await ask(inbox, request)
    content = {"name": "Ada"}
    settled = await answer(inbox, "ada", request.id, Action.ACCEPT, content)
    assert (settled.state, settled.content) == (RequestState.ACCEPTED, content)
    assert await waiting == Answer(action=Action.ACCEPT, content=content)


@pytest.mark.parametrize(
    ("action", "state"), [(Action.DECLINE, RequestState.DECLINED), (Action.CANCEL, RequestState.CANCELLED)]
)
async def test_decline_and_cancel_carry_no_content(inbox: Inbox, action: Action, state: RequestState) -> None:
    request = a_question()
    waiting = await ask(inbox, request)
    settled = await answer(inbox, "ada", request.id, action, {"name": "Ada"})
    assert (settled.state, settled.content) == (state, None)
    assert await waiting == Answer(action=action)


async def test_the_second_answer_loses_and_is_told_what_happened(inbox: Inbox) -> None:
    request = a_question()
    await inbox.put([request])
    await answer(inbox, "ada", request.id, Action.DECLINE)
    with pytest.raises(AlreadySettledError, match="it was declined") as lost:
        await answer(inbox, "ada", request.id, Action.ACCEPT, {"name": "Ada"})
    assert lost.value.request.state is RequestState.DECLINED


async def test_of_many_answers_at_once_one_wins(inbox: Inbox) -> None:
    request = a_question()
    waiting = await ask(inbox, request)
    answers = [answer(inbox, "ada", request.id, Action.ACCEPT, {"name": f"Ada {n}"}) for n in range(10)]
    outcomes = await asyncio.gather(*answers, return_exceptions=True)
    [winner] = [outcome for outcome in outcomes if isinstance(outcome, InputRequest)]
    assert sum(isinstance(outcome, AlreadySettledError) for outcome in outcomes) == 9
    assert (await waiting).content == winner.content


async def test_an_answer_after_the_server_took_the_question_back_is_told_so(inbox: Inbox) -> None:
    request = a_question()
    waiting = await ask(inbox, request)
    assert await inbox.settle(request, RequestState.WITHDRAWN, Reason(ReasonCode.WITHDRAWN))
    with pytest.raises(AlreadySettledError, match="the server took it back"):
        await answer(inbox, "ada", request.id, Action.ACCEPT, {"name": "Ada"})
    assert await waiting == Answer(action=Action.CANCEL)


async def test_a_server_that_takes_an_answered_question_back_comes_too_late(inbox: Inbox) -> None:
    request = a_question()
    await inbox.put([request])
    await answer(inbox, "ada", request.id, Action.DECLINE)
    assert not await inbox.settle(request, RequestState.WITHDRAWN, Reason(ReasonCode.WITHDRAWN))


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
async def test_content_that_does_not_fit_stays_unsent(inbox: Inbox, content: Json, field: str) -> None:
    request = a_question()
    await inbox.put([request])
    with pytest.raises(InvalidAnswerError) as refused:
        await answer(inbox, "ada", request.id, Action.ACCEPT, content)
    assert list(refused.value.errors) == [field]
    assert (await answer(inbox, "ada", request.id, Action.ACCEPT, {"name": "Ada"})).content == {"name": "Ada"}


async def test_accept_without_content_sends_the_valid_defaults_and_nothing_else(inbox: Inbox) -> None:
    """The default of `size` breaks its own schema, so it is not prefilled."""
    request = a_question({**SCHEMA, "required": []})
    await inbox.put([request])
    assert (await answer(inbox, "ada", request.id, Action.ACCEPT)).content == {"colour": "green"}


async def test_accept_without_content_of_a_form_that_needs_some_is_refused(inbox: Inbox) -> None:
    request = a_question()
    await inbox.put([request])
    with pytest.raises(InvalidAnswerError):
        await answer(inbox, "ada", request.id, Action.ACCEPT)


async def test_a_form_that_cannot_be_answered_can_only_be_refused(inbox: Inbox) -> None:
    request = a_question({"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"]})
    await inbox.put([request])
    with pytest.raises(InvalidAnswerError):
        await answer(inbox, "ada", request.id, Action.ACCEPT, {"a": {}})
    assert (await answer(inbox, "ada", request.id, Action.DECLINE)).state is RequestState.DECLINED


async def test_nobody_answers_for_another_user(inbox: Inbox) -> None:
    request = a_question()
    await inbox.put([request])
    with pytest.raises(NotFoundError):
        await answer(inbox, "bob", request.id, Action.DECLINE)


async def test_an_accepted_link_waits_until_the_person_says_that_it_is_done(inbox: Inbox) -> None:
    request = a_link("https://example.com/sign-in")
    waiting = await ask(inbox, request)
    with pytest.raises(ConflictError, match="waits for an answer"):
        await inbox.links.finished("ada", request.id)
    assert (await answer(inbox, "ada", request.id, Action.ACCEPT)).state is RequestState.WAITING
    assert await waiting == Answer(action=Action.ACCEPT)
    assert (await inbox.links.finished("ada", request.id)).state is RequestState.COMPLETED
    assert (await inbox.links.finished("ada", request.id)).state is RequestState.COMPLETED


async def test_a_link_can_be_given_up_only_while_it_waits(inbox: Inbox) -> None:
    request = a_link("https://example.com/sign-in")
    await inbox.put([request])
    with pytest.raises(ConflictError, match="waits for an answer"):
        await inbox.links.give_up("ada", request.id)
    await answer(inbox, "ada", request.id, Action.ACCEPT)
    with pytest.raises(NotFoundError):
        await inbox.links.give_up("bob", request.id)
    assert (await inbox.links.give_up("ada", request.id)).state is RequestState.CANCELLED
    with pytest.raises(ConflictError, match="gave up"):
        await inbox.links.finished("ada", request.id)


async def test_where_somebody_finished_or_gave_up_stands_beside_where_they_answered(inbox: Inbox) -> None:
    finished, given_up, told = (a_link("https://example.com/sign-in", elicitation_id=name) for name in "fgt")
    for request in (finished, given_up, told):
        await inbox.put([request])
        await answer(inbox, "ada", request.id, Action.ACCEPT, via=Via.PAGE)
    done = await inbox.links.finished("ada", finished.id, via=Via.API)
    assert (done.via, done.ended_via) == (Via.PAGE, Via.API)
    left = await inbox.links.give_up("ada", given_up.id, via=Via.PAGE)
    assert (left.via, left.ended_via) == (Via.PAGE, Via.PAGE)
    await inbox.links.still_waits(done)
    await inbox.links.went_on(done)
    await inbox.links.notified("ada", "s1", {"t": now()})
    for request in (finished, told):
        newest = await inbox._store.of("ada").requests.get(request.id)
        assert (newest.state, newest.via, newest.ended_via) == (RequestState.COMPLETED, Via.PAGE, None)


async def test_a_notification_completes_the_links_of_that_user_server_and_id_alone(inbox: Inbox) -> None:
    """MCP 2025-11-25, Completion Notifications: clients MUST ignore notifications referencing unknown ids."""
    mine = a_link("https://example.com/1", elicitation_id="e1")
    others = [
        a_link("https://example.com/2", elicitation_id="e2"),
        a_link("https://example.com/3"),
        a_link("https://example.com/4", elicitation_id="e1", server_id="s2"),
        a_link("https://example.com/5", elicitation_id="e1", user_id="bob"),
    ]
    for request in (mine, *others):
        await inbox.put([request])
        await answer(inbox, request.user_id, request.id, Action.ACCEPT)
    unopened = a_link("https://example.com/6", elicitation_id="e1")
    await inbox.put([unopened])
    await inbox.links.notified("ada", "s1", {"e1": now()})
    assert (await inbox.links.finished("ada", mine.id)).reason_code is ReasonCode.SERVER_REPORTED_FINISHED
    for request in others:
        assert (await inbox.links.give_up(request.user_id, request.id)).state is RequestState.CANCELLED
    assert (await answer(inbox, "ada", unopened.id, Action.DECLINE)).state is RequestState.DECLINED


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "", "nonsense"])
async def test_a_link_that_is_no_web_page_cannot_be_accepted(inbox: Inbox, url: str) -> None:
    request = a_link(url)
    await inbox.put([request])
    with pytest.raises(InvalidAnswerError):
        await answer(inbox, "ada", request.id, Action.ACCEPT)
    assert (await answer(inbox, "ada", request.id, Action.CANCEL)).state is RequestState.CANCELLED


async def test_pages_are_told_of_each_step(tmp_path: Path) -> None:
    store, hub = Store(tmp_path), Hub()
    await store.open()
    inbox, request = Inbox(store, hub), a_question()
    with hub.subscribe("ada") as events:
        await inbox.put([request])
        await answer(inbox, "ada", request.id, Action.DECLINE)
        told = events.drain()
    await store.close()
    assert [(event.kind, event.subject) for event in told if isinstance(event, Event)] == [("request", request.id)] * 2
