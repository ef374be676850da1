"""The timeline of a call: what happened, in order, and in words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.store.rows import listed
from webclient.domain.model import (
    Call,
    CallKind,
    CallState,
    Delivery,
    InputRequest,
    Origin,
    Requester,
    RequestState,
    ServerState,
    ServerStatus,
    Via,
)
from webclient.web.pages.calls.call_status import CallStatus, asking_of, status_of
from webclient.web.pages.calls.call_timeline import away, sent_entries, timeline, waits_for
from webclient.web.pages.inbox.cards import Card

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
CALL = Call(user_id="ada", server_id="s1", server_label="it", kind=CallKind.TOOL, name="t")


def at(minutes: int) -> datetime:
    return NOON + timedelta(minutes=minutes)


def link(url: str, number: int = 1, **fields: object) -> InputRequest:
    values = {"state": RequestState.PENDING, "created_at": at(0), "call_id": CALL.id} | fields
    return InputRequest(
        user_id="ada",
        server_id="s1",
        kind="url",
        origin=Origin.REQUIRED,
        round=number,
        params={"mode": "url", "url": url},
        asked_by=Requester(label="it", address="http://127.0.0.1"),
        **values,  # type: ignore[arg-type]
    )


def finished(url: str, **fields: object) -> InputRequest:
    times = {"opened_at": at(1), "settled_at": at(2)} | fields
    return replace(link(url), state=RequestState.COMPLETED, **times)  # type: ignore[arg-type]


def form(minute: int = 0, **fields: object) -> InputRequest:
    """Return a question of the call, which was answered a minute after it came."""
    values: dict[str, Any] = {
        "kind": "form",
        "params": {"message": "Go?"},
        "state": RequestState.ACCEPTED,
        "created_at": at(minute),
        "settled_at": at(minute + 1),
        "via": Via.PAGE,
        "delivery": Delivery.DELIVERED,
    }
    return replace(link(""), **(values | fields))


def events(call: Call, *requests: InputRequest) -> list[str]:
    """Return the entries in words, each with the states of its cards."""
    found = timeline(call, [Card(request=request) for request in requests])
    return [" ".join([e.title, e.note, *(card.request.state for card in e.cards)]).replace("  ", " ") for e in found]


def test_each_pushed_question_is_an_event_with_its_card() -> None:
    one = form(0, id="one", origin=Origin.PUSHED, round=None)
    two = form(3, id="two", origin=Origin.PUSHED, round=None, state=RequestState.PENDING)
    assert events(CALL, one, two) == ["Asked accepted", "Asked pending"]
    assert [entry.at for entry in timeline(CALL, [Card(request=one), Card(request=two)])] == [at(0), at(3)]


def test_questions_of_a_round_stand_and_are_sent_together() -> None:
    one = form(origin=Origin.ROUND, total=2)
    two = replace(one, id="two", position=2, settled_at=at(5))
    following = form(6, origin=Origin.ROUND, round=2, state=RequestState.PENDING)
    assert events(CALL, one, two, following) == [
        "Asked (round 1) 2 questions accepted accepted",
        "2 answers sent Delivered to it.",
        "Asked (round 2) pending",
    ]
    assert timeline(CALL, [Card(request=one), Card(request=two)])[1].at == at(5)


def test_answers_of_a_round_are_sent_after_the_last() -> None:
    one = form(origin=Origin.ROUND, total=2)
    for state in (RequestState.PENDING, RequestState.WITHDRAWN, RequestState.INTERRUPTED):
        other = replace(one, id="two", position=2, state=state, delivery=None)
        assert sent_entries(CALL, [one, other]) == []
    failed = replace(one, id="two", position=2, delivery=Delivery.FAILED)
    assert [entry.note for entry in sent_entries(CALL, [one, failed])] == ["Not delivered to it."]
    sending = replace(one, id="two", position=2, delivery=Delivery.SENDING)
    assert [entry.note for entry in sent_entries(CALL, [one, sending])] == ["Sending…"]


def test_answers_that_may_be_lost_are_not_called_sent() -> None:
    def entry(delivery: Delivery) -> tuple[str, str]:
        round_ = [form(origin=Origin.ROUND, total=2, id=f"r{n}", position=n, delivery=delivery) for n in (1, 2)]
        [found] = sent_entries(CALL, round_)
        return found.title, found.note

    delivered, failed, unknown = map(entry, (Delivery.DELIVERED, Delivery.FAILED, Delivery.UNKNOWN))
    assert len({delivered[1], failed[1], unknown[1]}) == 3
    assert failed[0] == unknown[0] != delivered[0]


def test_the_call_is_sent_again_after_the_last_link() -> None:
    one = finished("https://one.example/", settled_at=at(2))
    two = finished("https://two.example/", settled_at=at(5))
    [came, sent] = timeline(CALL, [Card(request=one), Card(request=two)])
    assert (len(came.cards), sent.at) == (2, at(5))
    assert sent_entries(CALL, [one, link("https://two.example/")]) == []
    assert sent_entries(replace(CALL, checkpoint={"round": 1}), [one, two]) == []


def test_requests_of_other_calls_have_no_part_in_what_was_sent() -> None:
    assert sent_entries(CALL, [finished("https://one.example/", call_id="another")]) == []


def test_the_status_of_a_call_says_how_the_asking_ended() -> None:
    done = replace(CALL, state=CallState.DONE)
    failed = replace(done, tool_failed=True)
    for call, requests, status in (
        (done, [], CallStatus.COMPLETED),
        (done, [form()], CallStatus.COMPLETED),
        (done, [form(), form(state=RequestState.DECLINED)], CallStatus.DECLINED),
        (done, [form(state=RequestState.CANCELLED)], CallStatus.DISMISSED),
        (done, [form(state=RequestState.CANCELLED, via=None)], CallStatus.COMPLETED),
        (done, [form(state=RequestState.DECLINED), form()], CallStatus.COMPLETED),
        (failed, [form(state=RequestState.DECLINED)], CallStatus.FAILED),
        (replace(CALL, state=CallState.INPUT_REQUIRED), [], CallStatus.NEEDS_YOU),
        (replace(CALL, state=CallState.INPUT_REQUIRED, may_wait=True), [], CallStatus.MAY_NEED_YOU),
        (replace(CALL, state=CallState.CANCELLED), [form(state=RequestState.CANCELLED)], CallStatus.STOPPED),
        (replace(CALL, state=CallState.INTERRUPTED), [], CallStatus.INTERRUPTED),
    ):
        assert status_of(call, asking_of(requests)) is status


def test_a_call_mentions_an_absent_server_only_if_it_matters() -> None:
    gone, there = ServerStatus(state=ServerState.RECONNECTING), ServerStatus(state=ServerState.CONNECTED)
    waits = replace(CALL, checkpoint={"round": 1})
    done = finished("https://one.example/")
    assert "is offline" in away(waits, [done], gone)
    assert away(waits, [done], there) == ""
    assert away(waits, [link("https://one.example/")], gone) == ""
    assert away(CALL, [done], gone) == ""
    assert away(CALL, [], gone).startswith("Connecting to ")
    assert away(replace(waits, state=CallState.DONE), [done], gone) == ""


def waits(call: Call, *requests: InputRequest) -> str:
    """Return what the call waits for, of which these are the requests."""
    links = [each for each in requests if each.state is RequestState.WAITING and not each.is_by_itself]
    return waits_for(call, [listed(each) for each in requests], links)


def test_a_call_says_what_it_waits_for() -> None:
    opened = link("https://one.example/x", state=RequestState.WAITING, opened_at=at(1))
    repeated = replace(opened, origin=Origin.ROUND)
    pushed = replace(opened, origin=Origin.PUSHED)
    assert waits(CALL, link("https://one.example/"), opened) == "Waiting for you."
    assert waits(CALL, opened) == "You opened one.example. The call is sent again when you have finished there."
    assert waits(CALL, opened, opened).startswith("You opened one.example. The call")
    assert waits(CALL, repeated) == "You opened one.example. The server waits until you have finished there."
    assert waits(CALL, finished("https://one.example/"), pushed) == "All questions are answered. The call continues."


def test_a_call_with_possible_requests_is_not_all_answered() -> None:
    assert waits(replace(CALL, may_wait=True)).startswith("May be waiting for your answer")
