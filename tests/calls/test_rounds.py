"""A round of a call: what may be sent twice, which requests are the same, and when it counts as answered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.calls.requests import FORM, LINK
from webclient.calls.rounds import InputRound, LinksRound
from webclient.domain.model import RequestState, Via


def entries(method: str = "elicitation/create", **changes: dict[str, Any]) -> dict[str, Any]:
    """Return entries for the link, one for each key, with these changes."""
    return {key: {"method": method, "params": {**LINK.params, **change}} for key, change in changes.items()}


def test_only_a_reply_of_opened_links_is_repeatable() -> None:
    assert InputRound(number=1, requests={"a": LINK}).repeatable
    assert not InputRound(number=1, requests={"a": LINK, "b": FORM}).repeatable
    assert not InputRound(number=1, requests={"a": replace(LINK, state=RequestState.DECLINED)}).repeatable
    assert not LinksRound(number=1, requests={"a": LINK}, error={"code": -32042}).repeatable


def test_the_same_link_asked_for_again_is_polled_for() -> None:
    round_ = InputRound(number=1, requests={"a": LINK, "b": FORM}, state="s1")
    again = round_.again(entries(a={}), "s2")
    assert again
    assert (again.number, again.state, again.requests) == (1, "s2", {"a": LINK})
    assert again.reply.answers == {"a": {"action": "accept"}}


def test_two_opened_links_with_one_address_stay_two() -> None:
    other = replace(LINK, id="other", params={**LINK.params, "message": "Pay"})
    again = InputRound(number=1, requests={"a": LINK, "b": other}).again(entries(a={}, b={"message": "Pay"}), None)
    assert again
    assert again.requests == {"a": LINK, "b": other}
    swapped = entries(a={"message": "Pay"}, b={})
    assert InputRound(number=1, requests={"a": LINK, "b": other}).again(swapped, None) is None


def test_any_difference_makes_another_round() -> None:
    round_ = InputRound(number=1, requests={"a": LINK})
    for other in (
        entries(),
        entries(other={}),
        entries(a={"url": "https://example.com/other"}),
        entries(a={"message": "CONFIRM: pay 5,000 EUR"}),
        entries(a={"x-n": 1.0}),
        entries(a={"x-n": True}),
        entries(a={"x-more": None}),
        entries("sampling/createMessage", a={}),
        entries(a={}, b={}),
        {"a": {"method": "roots/list"}},
    ):
        assert round_.again(other, None) is None, other
    given_up = InputRound(number=1, requests={"a": replace(LINK, state=RequestState.CANCELLED)})
    assert given_up.again(entries(a={}), None) is None


def test_a_round_is_answered_only_by_answers_given_in_it() -> None:
    mine = replace(FORM, round=5, via=Via.PAGE)
    cut = replace(FORM, round=5, state=RequestState.EXPIRED, content=None)
    earlier = replace(LINK, round=4, via=Via.API)
    for requests, unanswered in (
        ({"b": mine}, 0),
        ({"a": earlier, "b": mine}, 0),
        ({"a": earlier, "b": cut}, 3),
        ({}, 3),
    ):
        assert InputRound(number=5, requests=requests, unanswered_before=2).unanswered_rounds == unanswered
