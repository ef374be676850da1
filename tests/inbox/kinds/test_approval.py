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


def approval(arguments: Json) -> InputRequest:
    return request_of(APPROVAL, {"tool": {"name": "pay", "inputSchema": SCHEMA}, "arguments": arguments})


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
