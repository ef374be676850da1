"""A round as plain data: what is kept of it, and what it is made again with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from webclient.calls.checkpoint import Reply, Round, held_round
from webclient.model import AskedBy, Call, CallKind, Came, InputRequest, RequestKind, RequestState, Via

CALL = Call(user_id="ada", server_id="s1", server_label="it", kind=CallKind.TOOL, name="t")
LINK = InputRequest(
    user_id="ada",
    server_id="s1",
    call_id=CALL.id,
    kind=RequestKind.URL,
    came=Came.ROUND,
    params={"mode": "url", "url": "https://example.com/", "message": "Go", "x-n": 1},
    asked_by=AskedBy(label="it", address="http://127.0.0.1"),
    state=RequestState.WAITING,
)
FORM = replace(
    LINK, id="f", kind=RequestKind.FORM, params={"message": "?"}, state=RequestState.ACCEPTED, content={"a": 1}
)


def asks(method: str = "elicitation/create", **changes: dict[str, Any]) -> dict[str, Any]:
    """A result that asks for the link once for each key, with these changes to its parameters."""
    asked = {key: {"method": method, "params": {**LINK.params, **change}} for key, change in changes.items()}
    return {"resultType": "input_required", "inputRequests": asked, "requestState": "s2"}


def kept(round_: Round) -> Round | None:
    return held_round(replace(CALL, held=round_.held), list(round_.requests.values()))


def test_what_is_held_is_all_that_is_needed() -> None:
    for round_ in (
        Round(number=3, requests={"a": LINK, "b": FORM}, state="s1"),
        Round(number=2, requests={"a": LINK}, error={"code": -32042}, before=Reply(answers={"x": {}}, state="s1")),
        Round(number=4, requests={"b": FORM}, state="s1", unanswered_before=3),
    ):
        assert kept(round_) == round_


def test_answers_with_secrets_are_not_kept_beside_an_error() -> None:
    secret = replace(FORM, withheld=("a",))
    before = Round(number=1, requests={"b": secret}, state="s1").reply
    assert before.answers == {"b": {"action": "accept", "content": {"a": 1}}}
    after = kept(Round(number=2, requests={"a": LINK}, error={"code": -32042}, before=before))
    assert after
    assert after.before == Reply()


def test_only_opened_links_may_be_sent_twice() -> None:
    assert Round(number=1, requests={"a": LINK}).repeatable
    assert not Round(number=1, requests={"a": LINK, "b": FORM}).repeatable
    assert not Round(number=1, requests={"a": replace(LINK, state=RequestState.DECLINED)}).repeatable
    assert not Round(number=1, requests={"a": LINK}, error={"code": -32042}).repeatable


def test_the_very_same_link_again_is_recognised() -> None:
    round_ = Round(number=1, requests={"a": LINK, "b": FORM}, state="s1")
    again = round_.again(asks(a={}))
    assert again
    assert (again.number, again.state, again.requests) == (1, "s2", {"a": LINK})
    assert again.reply.answers == {"a": {"action": "accept"}}


def test_two_opened_links_with_one_address_stay_two() -> None:
    other = replace(LINK, id="other", params={**LINK.params, "message": "Pay"})
    again = Round(number=1, requests={"a": LINK, "b": other}).again(asks(a={}, b={"message": "Pay"}))
    assert again
    assert again.requests == {"a": LINK, "b": other}
    assert Round(number=1, requests={"a": LINK, "b": other}).again(asks(a={"message": "Pay"}, b={})) is None


def test_anything_else_is_another_round() -> None:
    round_ = Round(number=1, requests={"a": LINK})
    for result in (
        asks(),
        asks(other={}),
        asks(a={"url": "https://example.com/other"}),
        asks(a={"message": "CONFIRM: pay 5,000 EUR"}),
        asks(a={"x-n": 1.0}),
        asks(a={"x-n": True}),
        asks(a={"x-more": None}),
        asks("sampling/createMessage", a={}),
        asks(a={}, b={}),
        {"resultType": "input_required", "inputRequests": {"a": {"method": "roots/list"}}},
    ):
        assert round_.again(result) is None, result
    given_up = Round(number=1, requests={"a": replace(LINK, state=RequestState.CANCELLED)})
    assert given_up.again(asks(a={})) is None


def test_a_link_of_an_error_answers_no_question_of_a_result() -> None:
    required = Round(number=1, requests={"a": LINK}, error={"code": -32042})
    assert required.opened_as("a", asks(a={})["inputRequests"]["a"]) is None


def test_a_round_counts_as_answered_only_by_what_was_answered_in_it() -> None:
    mine = replace(FORM, round=5, via=Via.PAGE)
    cut = replace(FORM, round=5, state=RequestState.EXPIRED, content=None)
    earlier = replace(LINK, round=4, via=Via.API)
    for requests, unanswered in (
        ({"b": mine}, 0),
        ({"a": earlier, "b": mine}, 0),
        ({"a": earlier, "b": cut}, 3),
        ({}, 3),
    ):
        assert Round(number=5, requests=requests, unanswered_before=2).unanswered_rounds == unanswered
