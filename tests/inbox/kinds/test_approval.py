"""An approval runs with exactly the arguments that the person left or changed, at any depth."""

from __future__ import annotations

import pytest

from tests.inbox.kinds.requests import request_of
from webclient.domain.approvals import APPROVAL
from webclient.domain.model import InputRequest, Json
from webclient.inbox.kinds.approval import ApprovalKind

KIND = ApprovalKind()
SCHEMA = {
    "type": "object",
    "properties": {
        "to": {"type": "string"},
        "options": {"type": "object", "properties": {"dry": {"type": "boolean"}, "n": {"type": "integer"}}},
        "lines": {"type": "array", "items": {"type": "integer"}},
    },
}
PROPOSED = {"to": "Rome", "options": {"dry": True, "n": 5}, "lines": [1, 2]}


def approval(arguments: Json, schema: Json = SCHEMA) -> InputRequest:
    return request_of(APPROVAL, {"tool": {"name": "pay", "inputSchema": schema}, "arguments": arguments})


def posted(request: InputRequest, **changed: str) -> list[tuple[str, str]]:
    """Return the card as it is posted with the `changed` controls; `_` stands for a dot in a name."""
    texts = {**KIND.form(request).form.texts, **{name.replace("_", "."): [text] for name, text in changed.items()}}
    return [(name, text) for name, typed in texts.items() for text in typed]


def test_an_untouched_card_approves_what_was_proposed() -> None:
    request = approval(PROPOSED)
    assert KIND.check_parsed(request, KIND.read(request, posted(request))).content == PROPOSED


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"f1_1": "6"}, PROPOSED | {"options": {"dry": True, "n": 6}}),
        ({"f2_1": "7"}, PROPOSED | {"lines": [1, 7]}),
        ({"f0": "Oslo", "f1_0": ""}, PROPOSED | {"to": "Oslo", "options": {"n": 5}}),
        ({"f1_json": '{"n": 1}'}, PROPOSED | {"options": {"n": 1}}),
    ],
)
def test_a_change_inside_a_value_is_what_runs(changed: dict[str, str], expected: Json) -> None:
    request = approval(PROPOSED)
    assert KIND.check_parsed(request, KIND.read(request, posted(request, **changed))).content == expected


def test_a_wrong_value_inside_another_approves_nothing() -> None:
    request = approval(PROPOSED)
    assert KIND.read(request, posted(request, f1_1="many")).inside.keys() == {"f1.1"}


SHAPED = {
    "type": "object",
    "properties": {"note": {"type": "string", "default": "hi"}},
    "oneOf": [
        {
            "title": "By card",
            "properties": {"card": {"type": "string"}, "fast": {"type": "boolean"}},
            "required": ["card"],
        },
        {
            "title": "By bank",
            "properties": {"iban": {"type": "string"}, "amount": {"type": "object"}},
            "required": ["iban"],
        },
    ],
}


@pytest.mark.parametrize(
    ("arguments", "chosen"),
    [({"note": "x", "iban": "DE1", "amount": {"n": 4}}, "1"), ({"card": "4", "fast": False}, "0"), ({}, "")],
)
def test_proposed_arguments_choose_the_object_that_they_fit(arguments: Json, chosen: str) -> None:
    request = approval(arguments, SHAPED)
    assert KIND.form(request).form.texts["f1"] == [chosen]
    assert KIND.check_parsed(request, KIND.read(request, posted(request))).content == arguments


def test_another_choice_replaces_what_belonged_to_the_first() -> None:
    request = approval({"note": "x", "iban": "DE1"}, SHAPED)
    read = KIND.read(request, [("f0", "x"), ("f1", "0"), ("f1.0.0", "4"), ("f1.1.0", "DE1")])
    assert KIND.check_parsed(request, read).content == {"note": "x", "card": "4"}
