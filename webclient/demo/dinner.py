"""`reserve_table`: needs two answers, and asks for both at once.

Each question is a resolver of its own. For 2026-07-28 the SDK puts both into one round, and both answers come back in
one message; for 2025-11-25 it asks one after the other.
"""

from __future__ import annotations

from typing import Annotated, Literal

from mcp.server.mcpserver import AcceptedElicitation, Elicit, ElicitationResult, Resolve
from pydantic import BaseModel, Field

Restaurant = Annotated[str, Field(description="Name of the restaurant, such as Alfama")]


class Party(BaseModel):
    """The guests and the time."""

    guests: int = Field(2, title="Guests", ge=1, le=12)
    time: Literal["18:00", "19:30", "21:00"] = Field("19:30", title="Time")


class Wishes(BaseModel):
    """Wishes for the kitchen."""

    outside: bool = Field(title="A table outside?")
    note: str | None = Field(None, title="Note for the kitchen", max_length=120)


def ask_for_party(restaurant: Restaurant) -> Elicit[Party]:
    """Return the first question."""
    return Elicit(f"How many of you come to {restaurant}, and when?", Party)


def ask_for_wishes(restaurant: Restaurant) -> Elicit[Wishes]:
    """Return the second question, which does not depend on the first."""
    return Elicit(f"Is there anything that {restaurant} should know?", Wishes)


def reserve_table(
    restaurant: Restaurant,
    party: Annotated[ElicitationResult[Party], Resolve(ask_for_party)],
    wishes: Annotated[ElicitationResult[Wishes], Resolve(ask_for_wishes)],
) -> str:
    """Reserve a table. Asks who comes and what they wish for, both at once if the client can."""
    if not isinstance(party, AcceptedElicitation):
        return "No table reserved"
    place = "outside" if isinstance(wishes, AcceptedElicitation) and wishes.data.outside else "inside"
    return f"{restaurant}: a table {place} for {party.data.guests} at {party.data.time}"
