"""Cards as HTML, where no server can be had that asks so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.forms.filling import Page
from webclient.forms.secrets import DOTS
from webclient.http.templating import render_text
from webclient.inbox import kind_of
from webclient.model import AskedBy, Call, CallKind, InputRequest, Json, RequestState, now
from webclient.pages.cards import filled, untouched


@pytest.mark.parametrize("kind", ["sampling", "roots"])
def test_an_unknown_kind_is_shown_as_sent_and_can_be_declined(
    kind: str,
) -> None:
    asked = InputRequest(
        id="r1",
        user_id="local",
        server_id="s1",
        kind=kind,
        params={"systemPrompt": "<script>\u202e", "maxTokens": 7},
        asked_by=AskedBy(label="box", address="stdio: box"),
    )
    page = Page(render_text("requests/_card.html", card=untouched(asked), calls=[]))
    assert [each["id"] for each in page.all("article")] == ["request-r1"]
    assert len(page.all("form")) == 1
    assert [each.get("value") for each in page.all("button")] == ["decline", "cancel"]
    assert f"cannot give ({kind})" in page.text
    assert '"systemPrompt": "<script>\\u202e"' in page.text
    assert '"maxTokens": 7' in page.text
    assert "What you typed" not in page.text
    assert not page.all("script")


def _question(schema: Json, **more: Any) -> InputRequest:
    return InputRequest(
        id="r1",
        user_id="local",
        server_id="s1",
        kind="form",
        params={"message": "Well?", "requestedSchema": {"type": "object", "properties": schema}},
        asked_by=AskedBy(label="box", address="stdio: box"),
        **more,
    )


def test_point_05_the_browser_leaves_the_verdict_to_the_program() -> None:
    page = Page(render_text("requests/_card.html", card=untouched(_question({"a": {"type": "string"}})), calls=[]))
    assert ["novalidate" in each for each in page.all("form")] == [True]
    assert "Tells box no. What you typed is not sent." in page.text


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
    card = replace(untouched(_question({"city": {"type": "string"}})), possible=calls)
    page = Page(html := render_text("requests/_card.html", card=card, calls=[]))
    assert "hunter2" not in html
    assert page.text.count(DOTS) == 2
    links = [each["href"] for each in page.all("a")]
    assert [f"/calls/{call.id}?show=arguments#arguments-{call.id}" in links for call in calls] == [True, True]


@pytest.mark.parametrize("place", ["requests/_card.html", "history/_request_entry.html"])
def test_point_11_a_sent_secret_is_hidden_afterwards(place: str) -> None:
    sent = {"pin_code": "4711", "city": "Bonn", "password": "hunter2"}
    schema = {name: {"type": "string"} for name in sent}
    asked = _question(schema, state=RequestState.ACCEPTED, content=sent, settled_at=now())
    shown, _summary, folded = render_text(place, card=untouched(asked), calls=[]).partition("hidden values")
    assert ["4711" in shown, "hunter2" in shown, "Bonn" in shown] == [True, False, True]
    assert "hunter2" in folded


def test_point_11_nothing_is_hidden_where_there_is_no_secret() -> None:
    asked = _question({"city": {"type": "string"}}, state=RequestState.ACCEPTED, content={"city": "Bonn"})
    html = render_text("requests/_card.html", card=untouched(asked), calls=[])
    assert html.count("Bonn") == 1
    assert "hidden values" not in html


@pytest.mark.parametrize(("typed", "warned"), [("9007199254740993", True), ("9007199254740992", False)])
def test_point_19_an_inexact_number_has_a_warning_before_sending(typed: str, warned: bool) -> None:
    asked = _question({"n": {"type": "integer"}})
    parsed = kind_of(asked).read(asked, [("f0", typed)])
    assert parsed
    html = render_text("requests/_preview.html", card=filled(asked, parsed))
    assert ("read the last digits incorrectly" in html) is warned
    assert typed in html
