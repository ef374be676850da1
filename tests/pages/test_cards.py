"""Cards as HTML, where no server can be had that asks so."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.forms.filling import Page
from webclient.content.forms.secrets import DOTS
from webclient.domain.model import (
    Call,
    CallError,
    CallKind,
    CallState,
    Delivery,
    InputRequest,
    Json,
    Origin,
    Reason,
    ReasonCode,
    Requester,
    RequesterIds,
    RequesterKind,
    RequestState,
    now,
)
from webclient.domain.reasons import sentence
from webclient.inbox import kind_of
from webclient.web.http.templating import render_text
from webclient.web.pages.inbox.cards import pending_card, untouched
from webclient.web.pages.inbox.typed_cards import filled


@pytest.mark.parametrize("kind", ["roots", "of-a-later-version"])
def test_an_unknown_kind_is_shown_as_sent_and_can_be_declined(
    kind: str,
) -> None:
    request = InputRequest(
        id="r1",
        user_id="local",
        server_id="s1",
        kind=kind,
        params={"systemPrompt": "<script>\u202e", "maxTokens": 7},
        asked_by=Requester(label="box", address="stdio: box"),
    )
    page = Page(render_text("requests/_card.html", card=untouched(request), calls=[]))
    assert [each["id"] for each in page.all("article")] == ["request-r1"]
    assert len(page.all("form")) == 1
    assert [each["value"] for each in page.all("button") if each.get("name") == "action"] == ["decline", "cancel"]
    assert f"doesn't support this request ({kind})" in page.text
    assert '"systemPrompt": "<script>\\u202e"' in page.text
    assert '"maxTokens": 7' in page.text
    assert "What you typed" not in page.text
    assert not page.all("script")


def _source(known: Requester | None) -> tuple[bool, str | None, str]:
    """Return whether the address is shown unasked, why, and all words of the card."""
    request = replace(_request({}), asked_by=Requester(label="box", address="https://new.example", claims="Bank"))
    card = replace(pending_card(request), known=known)
    page = Page(render_text("requests/_card.html", card=card))
    [source] = [each for each in page.all("details") if each.get("class") == "card__source"]
    assert "https://new.example" in page.text
    assert "Says it is “Bank”" in page.text
    return "open" in source, source.get("data-news"), page.text


def test_the_address_is_shown_unasked_while_it_is_new_or_changed() -> None:
    same = Requester(label="earlier label", address="https://new.example", claims="Bank")
    assert _source(None)[:2] == (True, "new")
    assert _source(same)[:2] == (False, None)
    shown, why, text = _source(replace(same, address="https://old.example"))
    assert (shown, why) == (True, "changed")
    assert "(before: https://old.example)" in text
    shown, why, text = _source(replace(same, claims="Shop"))
    assert (shown, why) == (True, "changed")
    assert "(before: Shop)" in text


def _request(schema: Json, **more: Any) -> InputRequest:
    return InputRequest(
        id="r1",
        user_id="local",
        server_id="s1",
        kind="form",
        params={"message": "Well?", "requestedSchema": {"type": "object", "properties": schema}},
        asked_by=Requester(label="box", address="stdio: box"),
        **more,
    )


def test_a_question_asked_as_a_task_says_until_when_it_waits() -> None:
    request = _request(
        {}, origin=Origin.HOSTED, ids=RequesterIds(hosted_task_id="t1"), expires_at=now() + timedelta(days=7)
    )
    page = Page(render_text("requests/_card.html", card=untouched(request), calls=[]))
    assert "Take your time: box can fetch your answer later." in page.text
    assert len(page.all("time")) == 2
    answered = replace(request, state=RequestState.ACCEPTED, delivery=Delivery.SENDING, content={}, settled_at=now())
    outcome = Page(render_text("requests/_card.html", card=untouched(answered), calls=[]))
    assert "box has not fetched your answer yet." in outcome.text
    assert "Sending" not in outcome.text


@pytest.mark.parametrize("place", ["requests/_card.html", "history/_request_entry.html"])
def test_each_outcome_of_a_delivery_has_its_words(place: str) -> None:
    answered = _request({}, state=RequestState.ACCEPTED, content={}, settled_at=now())

    def shown(delivery: Delivery) -> str:
        return Page(
            render_text(place, card=untouched(replace(answered, delivery=delivery)), calls=[], search_words=())
        ).text

    assert len({shown(each) for each in (Delivery.DELIVERED, Delivery.FAILED, Delivery.UNKNOWN)}) == 3


@pytest.mark.parametrize(
    ("state", "reason", "warned"),
    [
        (CallState.INTERRUPTED, Reason(ReasonCode.CONNECTION_LOST), True),
        (CallState.FAILED, Reason.of(ReasonCode.HTTP_ERROR, status=502), True),
        (CallState.FAILED, Reason(ReasonCode.RESPONSE_NOT_MCP), True),
        (CallState.FAILED, Reason.of(ReasonCode.HTTP_ERROR, status=413), False),
        (CallState.FAILED, None, False),
    ],
)
def test_running_again_warns_of_a_tool_that_may_have_run(state: CallState, reason: Reason | None, warned: bool) -> None:
    call = Call(
        id="c1",
        user_id="local",
        server_id="s1",
        server_label="box",
        kind=CallKind.TOOL,
        name="pay",
        arguments={},
        state=state,
        error=CallError(reason=reason, message="It went wrong."),
    )
    again = "calls/_restart.html" if call.can_start_over else "calls/_rerun.html"
    assert ("may have run already" in Page(render_text(again, call=call)).text) is warned


def test_point_05_the_browser_leaves_the_verdict_to_the_program() -> None:
    page = Page(render_text("requests/_card.html", card=untouched(_request({"a": {"type": "string"}})), calls=[]))
    assert ["novalidate" in each for each in page.all("form")] == [True]
    assert "Says no. Nothing you typed is sent." in page.text


def test_a_card_of_several_calls_shows_what_it_withholds_of_each() -> None:
    calls = [
        Call(
            id=f"c{number}",
            user_id="local",
            server_id="s1",
            server_label="box",
            kind=CallKind.TOOL,
            name="sign_in",
            arguments={"town": "Rome", "password": "hunter2"},
            withheld=("password",),
        )
        for number in range(2)
    ]
    card = replace(untouched(_request({"city": {"type": "string"}})), possible=calls)
    page = Page(html := render_text("requests/_card.html", card=card, calls=[]))
    assert "hunter2" not in html
    assert page.text.count(DOTS) == 2
    links = [each["href"] for each in page.all("a")]
    assert [f"/calls/{call.id}?show=arguments#arguments-{call.id}" in links for call in calls] == [True, True]


@pytest.mark.parametrize("place", ["requests/_card.html", "history/_request_entry.html"])
def test_point_11_a_sent_secret_is_hidden_afterwards(place: str) -> None:
    sent = {"pin_code": "4711", "city": "Bonn", "password": "hunter2"}
    schema = {name: {"type": "string"} for name in sent}
    request = _request(schema, state=RequestState.ACCEPTED, content=sent, settled_at=now())
    shown, _summary, folded = render_text(place, card=untouched(request), calls=[], search_words=()).partition(
        "hidden values"
    )
    assert ["4711" in shown, "hunter2" in shown, "Bonn" in shown] == [True, False, True]
    assert "hunter2" in folded


def test_point_11_nothing_is_hidden_where_there_is_no_secret() -> None:
    request = _request({"city": {"type": "string"}}, state=RequestState.ACCEPTED, content={"city": "Bonn"})
    html = render_text("requests/_card.html", card=untouched(request), calls=[])
    assert html.count("Bonn") == 2
    assert "hidden values" not in html


@pytest.mark.parametrize(("typed", "warned"), [("9007199254740993", True), ("9007199254740992", False)])
def test_point_19_an_inexact_number_has_a_warning_before_sending(typed: str, warned: bool) -> None:
    request = _request({"n": {"type": "integer"}})
    parsed = kind_of(request).read(request, [("f0", typed)])
    assert parsed
    html = render_text("requests/_preview.html", card=filled(request, parsed))
    assert ("servers may round" in html) is warned
    assert typed in html


@pytest.mark.parametrize(
    ("code", "shown"), [(ReasonCode.SERVER_STILL_WAITS, False), (ReasonCode.SERVER_NOT_SATISFIED, True)]
)
def test_an_opened_link_says_once_that_its_server_waits(code: ReasonCode, shown: bool) -> None:
    reason = Reason(code)
    request = InputRequest(
        id="r1",
        user_id="local",
        server_id="s1",
        kind="url",
        params={"mode": "url", "url": "https://one.example/", "message": "Sign in"},
        asked_by=Requester(label="box", address="stdio: box"),
        state=RequestState.WAITING,
        reason=reason,
    )
    html = render_text("requests/_card.html", card=untouched(request), calls=[])
    assert (sentence(reason) in html) is shown


@pytest.mark.parametrize("kind", RequesterKind)
def test_a_program_gets_a_message_and_a_server_none(kind: RequesterKind) -> None:
    """MCP 2025-11-25 and 2026-07-28, `ElicitResult`: `action`, and `content` of an accepted form; nothing else."""
    asked_by = Requester(kind=kind, label="box", address="")
    request = replace(_request({"type": "object", "properties": {}}), asked_by=asked_by)
    page = Page(render_text("requests/_card.html", card=untouched(request), calls=[]))
    is_program = kind is RequesterKind.PROGRAM
    assert bool([each for each in page.all("textarea") if each.get("name") == "decline_message"]) == is_program
    # The way without a message stays one press, and the first one.
    buttons = [each.get("value") for each in page.all("button") if each.get("name") in ("action", "with_message")]
    assert buttons == ["accept", "decline", "cancel", *(["1"] if is_program else [])]
    declined = replace(request, state=RequestState.DECLINED, settled_at=now(), decline_message="Not today.")
    assert "Not today." in render_text("requests/_card.html", card=untouched(declined), calls=[])
    assert kind_of(declined).result(declined) == {"action": "decline"}


def test_a_form_that_cannot_be_answered_has_no_json_editor() -> None:
    request = _request({})
    request.params["requestedSchema"]["required"] = ["ghost"]
    html = render_text("requests/_card.html", card=untouched(request), calls=[])
    assert "fields__unanswerable" in html
    assert [each for each in Page(html).all("button") if each.get("name") == "edit"] == []
