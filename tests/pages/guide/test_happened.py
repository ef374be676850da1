"""The sentence on what just happened: which sentence follows from what the server really got."""

from __future__ import annotations

from dataclasses import replace
from string import Formatter
from typing import Any

from tests.tables import each_row
from webclient.domain.model import (
    Call,
    CallKind,
    CallState,
    Delivery,
    InputRequest,
    Origin,
    Requester,
    RequestState,
    now,
)
from webclient.web.pages.guide.happened import what_happened

CALL = Call(user_id="ada", server_id="s", server_label="it", kind=CallKind.TOOL, name="t", state=CallState.DONE)
FORM = InputRequest(
    user_id="ada",
    server_id="s",
    call_id=CALL.id,
    kind="form",
    params={"message": "?"},
    asked_by=Requester(label="it", address="a"),
)
DELIVERED: dict[str, Any] = {"state": RequestState.ACCEPTED, "delivery": Delivery.DELIVERED}
GAVE = replace(FORM, content={"a": 1}, **DELIVERED)
AGREED = replace(FORM, content={}, **DELIVERED)
DECLINED = replace(FORM, state=RequestState.DECLINED, delivery=Delivery.DELIVERED)
DISMISSED = replace(DECLINED, state=RequestState.CANCELLED)
OF_ROUND = replace(GAVE, origin=Origin.ROUND, round=1)
OPENED = replace(FORM, kind="url", params={"url": "https://a.example/x"}, state=RequestState.WAITING, opened_at=now())


@each_row(
    ("requests", "code"),
    [
        ([], "ended"),
        ([GAVE], "gave"),
        ([OF_ROUND, replace(OF_ROUND, content={"b": 2})], "gave_all"),
        ([GAVE, GAVE], "gave_some"),
        ([OF_ROUND, replace(DECLINED, round=1)], "gave_some"),
        ([AGREED], "agreed"),
        ([AGREED, DECLINED], "agreed"),
        ([DECLINED], "declined"),
        ([DISMISSED], "dismissed"),
        ([DECLINED, DISMISSED], "nothing"),
        ([replace(FORM, state=RequestState.WITHDRAWN)], "nothing"),
        ([DECLINED, replace(FORM, state=RequestState.REFUSED, count=50)], "nothing"),
        ([replace(GAVE, delivery=Delivery.FAILED)], "lost"),
        ([replace(GAVE, delivery=Delivery.UNKNOWN)], "unknown"),
        ([OF_ROUND, replace(OF_ROUND, delivery=Delivery.UNKNOWN)], "unknown"),
        ([replace(GAVE, kind="sampling")], "sampled"),
        ([replace(GAVE, kind="sampling"), replace(DECLINED, kind="sampling")], "sampled"),
        ([OPENED], "opened"),
        ([replace(OPENED, state=RequestState.COMPLETED)], "visited"),
    ],
)
def test_the_sentence_follows_from_what_the_server_got(requests: list[InputRequest], code: str) -> None:
    happened = what_happened(CALL, requests)
    assert happened
    assert happened.code == code
    # The template fills in these and no others.
    assert {name for _t, name, _f, _c in Formatter().parse(happened.sentence) if name} <= {"server", "host", "content"}
    assert bool(happened.content) == bool(happened.values) == ("gave" in code)


def test_a_running_call_has_no_sentence_yet() -> None:
    assert what_happened(replace(CALL, state=CallState.INPUT_REQUIRED), [FORM]) is None


def test_a_declined_model_ends_the_call_as_declined() -> None:
    stopped = replace(CALL, state=CallState.CANCELLED)
    happened = what_happened(stopped, [replace(DECLINED, kind="sampling", delivery=None)])
    assert happened
    assert happened.code == "declined"


def test_a_stopped_call_says_so_unless_something_was_given() -> None:
    stopped = replace(CALL, state=CallState.CANCELLED)
    ended = replace(FORM, state=RequestState.CANCELLED)
    assert [getattr(what_happened(stopped, each), "code", "") for each in ([ended], [GAVE, ended])] == [
        "stopped",
        "gave_some",
    ]


def test_a_flood_is_counted_with_the_refused_ones() -> None:
    refused = replace(FORM, state=RequestState.REFUSED, count=50)
    happened = what_happened(CALL, [*([DECLINED] * 250), refused])
    assert happened
    assert "300" in happened.sentence
    assert "50" in happened.sentence


def test_secrets_that_were_sent_are_dots() -> None:
    happened = what_happened(CALL, [replace(GAVE, content={"user": "ada", "password": None}, withheld=("password",))])
    assert happened
    assert happened.content[0]["user"] == "ada"
    assert set(happened.content[0]["password"]) <= set("•…·*")
    assert dict(happened.values)["password"] == happened.content[0]["password"]


def test_values_have_labels_unless_they_explain_themselves() -> None:
    few, many = (
        what_happened(CALL, [replace(GAVE, content=dict.fromkeys(names, 1))]) for names in ("ab", "abcdefghij")
    )
    assert few
    assert many
    assert (few.has_labels, few.shown_values, few.hidden_values) == (False, [("a", "1"), ("b", "1")], 0)
    assert (many.has_labels, len(many.shown_values), many.hidden_values) == (True, 8, 2)
