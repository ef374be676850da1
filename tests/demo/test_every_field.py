"""The form with every kind of field, and the echo of its answer."""

from __future__ import annotations

import json

import pytest

from tests.demo.visits import Visit, text_of
from webclient.domain.model import Action, Json

pytestmark = pytest.mark.anyio

REQUIRED: Json = {
    "code": "ABC-123",
    "email": "ada@example.com",
    "departure": "2026-07-01",
    "budget": 1200,
    "season": "summer",
    "meals": ["lunch"],
}
EVERYTHING: Json = {
    **REQUIRED,
    "budget": 1200.5,
    "website": "https://example.com",
    "meeting": "2026-07-01T09:30:00+02:00",
    "travellers": 3,
    "insurance": True,
    "travel_class": "business",
    "seat": "A",
    "meals": ["breakfast", "dinner"],
    "extras": [],
}


def kind(field: Json) -> str:
    """Name the kind of a field by what sets it apart."""
    inside = field.get("items", field)
    choice = next((key for key in ("enumNames", "enum", "oneOf", "anyOf") if key in inside), None)
    return " ".join(filter(None, [field["type"], field.get("format"), choice]))


async def test_the_form_has_one_field_of_every_kind(visit: Visit) -> None:
    await visit.call("every_field")
    [request] = visit.person.requests
    assert [kind(field) for field in request.requested_schema["properties"].values()] == [
        "string",
        "string email",
        "string uri",
        "string date",
        "string date-time",
        "number",
        "integer",
        "boolean",
        "string enum",
        "string enumNames",
        "string oneOf",
        "array enum",
        "array anyOf",
    ]


async def test_the_form_has_bounds_pattern_defaults_and_required(visit: Visit) -> None:
    await visit.call("every_field")
    schema = visit.person.requests[0].requested_schema
    fields = schema["properties"]
    assert schema["required"] == list(REQUIRED)
    assert fields["code"].items() >= {"minLength": 5, "maxLength": 8, "pattern": "^[A-Z]{3}-[0-9]{1,4}$"}.items()
    assert fields["budget"].items() >= {"minimum": 0, "maximum": 10_000}.items()
    assert fields["travellers"].items() >= {"minimum": 1, "maximum": 9}.items()
    assert fields["meals"].items() >= {"minItems": 1, "maxItems": 2}.items()
    assert {name: field["default"] for name, field in fields.items() if "default" in field} == {
        "travellers": 2,
        "insurance": False,
        "travel_class": "economy",
        "extras": ["bag"],
    }


@pytest.mark.parametrize("content", [REQUIRED, EVERYTHING], ids=["required", "everything"])
async def test_the_answer_comes_back_exactly_as_it_was_sent(visit: Visit, content: Json) -> None:
    result = await visit.call("every_field", action=Action.ACCEPT, content=content)
    sent = json.dumps({"action": "accept", "content": content})
    assert json.dumps(result.structured_content) == sent
    assert json.dumps(json.loads(text_of(result))) == sent


@pytest.mark.parametrize("action", [Action.DECLINE, Action.CANCEL])
async def test_a_refusal_comes_back_without_content(visit: Visit, action: Action) -> None:
    result = await visit.call("every_field", action=action)
    assert result.structured_content == {"action": action}


@pytest.mark.parametrize(
    "wrong",
    [{"code": "abc"}, {"budget": -1}, {"meals": []}, {"season": "monsoon"}, {"departure": "soon"}],
)
async def test_an_answer_that_breaks_a_rule_of_the_form_is_an_error(visit: Visit, wrong: Json) -> None:
    result = await visit.call("every_field", action=Action.ACCEPT, content=REQUIRED | wrong)
    assert result.is_error
