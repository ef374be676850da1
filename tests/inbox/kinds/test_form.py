"""A form is accepted with content that fits its schema, and sent exactly as it was given."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.inbox.kinds.requests import SCHEMA, form
from webclient.domain.errors import InvalidAnswerError
from webclient.domain.model import Action, Json, RequesterKind, RequestState
from webclient.inbox.kinds import FORM, recognised


def test_an_elicitation_without_a_mode_is_a_form() -> None:
    """MCP 2025-11-25, Elicitation Requests: servers MAY omit the mode, and clients MUST treat that as form mode."""
    assert recognised("elicitation/create", {"message": "?", "requestedSchema": SCHEMA}) is FORM
    assert recognised("elicitation/create", {"mode": "form", "message": "?"}) is FORM
    assert not FORM.takes("elicitation/create", {"mode": "url"})
    assert not FORM.takes("sampling/createMessage", {})


def test_posted_fields_become_content_with_their_types() -> None:
    parsed = FORM.read(form(), [("f0", "Ada"), ("f1", "7")])
    assert FORM.check_parsed(form(), parsed).content == {"name": "Ada", "n": 7}


def test_typed_text_that_cannot_be_read_is_never_left_out() -> None:
    parsed = FORM.read(form(), [("f0", "Ada"), ("f1", "seven")])
    assert parsed.content == {"name": "Ada"}
    with pytest.raises(InvalidAnswerError) as wrong:
        FORM.check_parsed(form(), parsed)
    assert set(wrong.value.errors) == {"n"}


@pytest.mark.parametrize(
    ("content", "fields"),
    [({"name": "A"}, {"name"}), ({"n": "5", "name": "Ada"}, {"n"}), ({}, {"name"}), (None, {"name"})],
)
def test_content_that_does_not_fit_is_refused_by_field(content: Json | None, fields: set[str]) -> None:
    with pytest.raises(InvalidAnswerError) as wrong:
        FORM.check(form(), Action.ACCEPT, content)
    assert set(wrong.value.errors) == fields


def test_an_accept_without_content_is_the_form_as_prefilled() -> None:
    schema = {**SCHEMA, "required": []}
    assert FORM.check(form(schema), Action.ACCEPT).content == {"n": 5}


def test_content_is_sent_as_given_with_nothing_added() -> None:
    assert FORM.check(form(), Action.ACCEPT, {"name": "Ada"}).content == {"name": "Ada"}


def test_an_unanswerable_form_can_only_be_declined() -> None:
    schema: Json = {"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"]}
    with pytest.raises(InvalidAnswerError):
        FORM.check(form(schema), Action.ACCEPT, {"a": {}})
    answer = FORM.check(form(schema), Action.DECLINE)
    assert (answer.action, answer.content) == (Action.DECLINE, None)


def test_values_that_may_be_secrets_are_named() -> None:
    schema: Json = {"type": "object", "properties": {"password": {"type": "string"}, "city": {"type": "string"}}}
    assert FORM.check(form(schema), Action.ACCEPT, {"password": "x", "city": "Bonn"}).secrets == ("password",)


def test_an_answer_settles_the_request() -> None:
    states = [FORM.state_after(action) for action in Action]
    assert states == [RequestState.ACCEPTED, RequestState.DECLINED, RequestState.CANCELLED]


CHOICE = {
    "oneOf": [
        {"title": "Yes", "properties": {"verb": {"const": "approve"}}, "required": ["verb"]},
        {"title": "No", "properties": {"verb": {"const": "reject"}, "why": {"type": "string"}}, "required": ["why"]},
    ]
}


def test_a_choice_of_objects_is_one_for_programs_only() -> None:
    request = form(CHOICE)
    assert FORM.form(request).form.fields == ()
    request = replace(request, asked_by=replace(request.asked_by, kind=RequesterKind.PROGRAM))
    assert FORM.parts(request.params) == 1
    parsed = FORM.read(request, [("f0", "1"), ("f0.1.1", "too late")])
    assert FORM.check_parsed(request, parsed).content == {"verb": "reject", "why": "too late"}
    with pytest.raises(InvalidAnswerError) as wrong:
        FORM.check_parsed(request, FORM.read(request, [("f0", "1")]))
    assert wrong.value.errors
    with pytest.raises(InvalidAnswerError) as wrong:
        FORM.check(request, Action.ACCEPT, {"verb": "reject"})
    assert set(wrong.value.errors) == {"why"}
    assert FORM.check(request, Action.ACCEPT, {"verb": "approve"}).content == {"verb": "approve"}
