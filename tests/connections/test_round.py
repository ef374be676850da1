"""A round as plain data: what is kept of it, and what it is made again with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from webclient.connections.round import Reply, Round, held_round
from webclient.model import AskedBy, Call, CallKind, Came, InputRequest, RequestKind, RequestState

CALL = Call(user_id="ada", server_id="s1", server_label="it", kind=CallKind.TOOL, name="t")
LINK = InputRequest(
    user_id="ada",
    server_id="s1",
    call_id=CALL.id,
    kind=RequestKind.URL,
    came=Came.ROUND,
    params={"mode": "url", "url": "https://example.com/", "message": "Go"},
    asked_by=AskedBy(label="it", address="http://127.0.0.1"),
    state=RequestState.WAITING,
)
FORM = replace(
    LINK, id="f", kind=RequestKind.FORM, params={"message": "?"}, state=RequestState.ACCEPTED, content={"a": 1}
)


def asks(**urls: str) -> dict[str, Any]:
    asked = {key: {"method": "elicitation/create", "params": {"mode": "url", "url": url}} for key, url in urls.items()}
    return {"resultType": "input_required", "inputRequests": asked, "requestState": "s2"}


def kept(round_: Round) -> Round | None:
    return held_round(replace(CALL, held=round_.held), list(round_.requests.values()))


def test_what_is_held_is_all_that_is_needed() -> None:
    for round_ in (
        Round(number=3, requests={"a": LINK, "b": FORM}, state="s1"),
        Round(number=2, requests={"a": LINK}, error={"code": -32042}, before=Reply(answers={"x": {}}, state="s1")),
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


def test_the_same_link_again_is_recognised_whatever_its_key() -> None:
    round_ = Round(number=1, requests={"a": LINK, "b": FORM}, state="s1")
    again = round_.again(asks(other="https://example.com/"))
    assert again
    assert (again.number, again.state, again.requests) == (1, "s2", {"other": LINK})
    assert again.reply.answers == {"other": {"action": "accept"}}


def test_anything_else_is_another_round() -> None:
    round_ = Round(number=1, requests={"a": LINK})
    for result in (
        asks(),
        asks(a="https://example.com/other"),
        asks(a="https://example.com/", b="https://example.com/other"),
        {"resultType": "input_required", "inputRequests": {"a": {"method": "roots/list"}}},
    ):
        assert round_.again(result) is None
    given_up = Round(number=1, requests={"a": replace(LINK, state=RequestState.CANCELLED)})
    assert given_up.again(asks(a="https://example.com/")) is None
