"""`every_field`: one form with every kind of field that MCP elicitation knows, and an echo of what came back.

The kinds are those of `PrimitiveSchemaDefinition` (MCP 2025-11-25 and 2026-07-28, elicitation, Requested Schema);
`WithJsonSchema` says what Python types cannot.
"""

from __future__ import annotations

import datetime as dt
from copy import copy
from typing import Annotated, Any, Literal, Self

from mcp.server.mcpserver import AcceptedElicitation, Elicit, ElicitationResult, Resolve
from pydantic import (
    AnyUrl,
    AwareDatetime,
    BaseModel,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    WithJsonSchema,
    create_model,
    model_validator,
)

Email = Annotated[str, WithJsonSchema({"type": "string", "format": "email"})]
TravelClass = Annotated[
    Literal["economy", "business"],
    WithJsonSchema(
        {"type": "string", "enum": ["economy", "business"], "enumNames": ["Economy class", "Business class"]}
    ),
]
Seat = Annotated[
    Literal["A", "C"],
    WithJsonSchema({"type": "string", "oneOf": [{"const": "A", "title": "Window"}, {"const": "C", "title": "Aisle"}]}),
]
Extra = Annotated[
    Literal["bag", "bike"],
    WithJsonSchema({"anyOf": [{"const": "bag", "title": "Second bag"}, {"const": "bike", "title": "Bicycle"}]}),
]
Suggestions = Annotated[bool, Field(description="Suggest a value for each field that must be filled in.")]


class EveryField(BaseModel):
    """One field of every kind that a server can ask for."""

    code: str = Field(
        title="Booking code",
        description="Three capital letters and one to four digits, such as ABC-123",
        min_length=5,
        max_length=8,
        pattern="^[A-Z]{3}-[0-9]{1,4}$",
    )
    email: Email = Field(title="Email")
    website: AnyUrl | None = Field(None, title="Website")
    departure: dt.date = Field(title="Departure")
    meeting: AwareDatetime | None = Field(None, title="Meeting point", description="Day and time, with its zone")
    budget: float = Field(title="Budget", description="In euros", ge=0, le=10_000)
    travellers: int = Field(2, title="Travellers", ge=1, le=9)
    insurance: bool = Field(False, title="Travel insurance")
    season: Literal["spring", "summer", "autumn", "winter"] = Field(title="Season")
    travel_class: TravelClass = Field("economy", title="Class")
    seat: Seat | None = Field(None, title="Seat")
    meals: list[Literal["breakfast", "lunch", "dinner"]] = Field(title="Meals", min_length=1, max_length=2)
    extras: list[Extra] = Field(["bag"], title="Extras")

    _received: dict[str, Any] = PrivateAttr()

    @model_validator(mode="wrap")
    @classmethod
    def _keep_what_was_received(cls, content: Any, check: ModelWrapValidatorHandler[Self]) -> Self:
        # The checked values are Python's; the echo shows JSON's, and only what was really sent.
        answer = check(content)
        answer._received = content
        return answer

    @property
    def received(self) -> dict[str, Any]:
        """The content exactly as the client sent it."""
        return self._received


SUGGESTED: dict[str, Any] = {
    "code": "ABC-123",
    "email": "ada@example.com",
    "departure": dt.date(2026, 12, 26),
    "budget": 1200,
    "season": "winter",
    "meals": ["breakfast"],
}
"""A value for each field that must be filled in."""


def _with_suggestions() -> type[EveryField]:
    fields: dict[str, Any] = {}
    for name, value in SUGGESTED.items():
        field = copy(EveryField.model_fields[name])
        field.default = value
        fields[name] = field.annotation, field
    return create_model(EveryField.__name__, __base__=EveryField, __doc__=EveryField.__doc__, **fields)


EveryFieldSuggested = _with_suggestions()


def ask_every_field(suggestions: Suggestions = False) -> Elicit[EveryField]:
    """Return the question."""
    return Elicit("Please fill in one field of every kind.", EveryFieldSuggested if suggestions else EveryField)


def every_field(
    answer: Annotated[ElicitationResult[EveryField], Resolve(ask_every_field)], suggestions: Suggestions = False
) -> dict[str, Any]:
    """Ask for a field of every kind in MCP, and show the answer."""
    del suggestions  # for the question only
    if isinstance(answer, AcceptedElicitation):
        return {"action": answer.action, "content": answer.data.received}
    return {"action": answer.action}
