"""`book_trip`: asks for another date when the one it was given is full.

The question is a resolver: a function that the SDK runs before the tool, and that either has nothing to ask or
returns what to ask. Written that way, it serves clients of both eras.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from mcp.server.mcpserver import AcceptedElicitation, Elicit, ElicitationResult, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field, create_model

FULL_DAYS = {(12, 24), (12, 25)}
"""Month and day of what is full, in any year."""

TravelDate = Annotated[str, Field(title="Date", description="YYYY-MM-DD. Try 2026-12-24, which is full.")]
AlternativeDate = Annotated[
    dt.date, Field(alias="alternativeDate", title="Other date", description="The day to book instead")
]


class BookingPreferences(BaseModel):
    """The traveller's other choice."""

    check_alternative: bool = Field(alias="checkAlternative", title="Book another day")
    alternative_date: AlternativeDate


def parse_day(text: str) -> dt.date:
    """Return the day that `text` names; raises ToolError, which reaches the client as a result with `isError`."""
    try:
        return dt.datetime.strptime(text, "%Y-%m-%d").date()  # noqa: DTZ007  a day has no zone
    except ValueError:
        raise ToolError(f"{text!r} is not a date. Write it as YYYY-MM-DD, for example 2026-12-24.") from None


def is_full(day: dt.date) -> bool:
    """Return whether nothing can be booked on `day`."""
    return (day.month, day.day) in FULL_DAYS


def next_free_day(day: dt.date) -> dt.date:
    """Return `day`, or the first one after it that can be booked."""
    while is_full(day):
        day += dt.timedelta(days=1)
    return day


def preferences_near(day: dt.date) -> type[BookingPreferences]:
    """Return the form to fill in, with a free day near `day` as the default."""
    return create_model(
        BookingPreferences.__name__,
        __base__=BookingPreferences,
        __doc__=BookingPreferences.__doc__,
        alternative_date=(AlternativeDate, next_free_day(day)),
    )


def ask_for_another_date(date: str) -> Elicit[BookingPreferences] | None:
    """Return the question, or None if `date` is free."""
    day = parse_day(date)
    return Elicit(f"{day} is full. Try another date?", preferences_near(day)) if is_full(day) else None


def book_trip(
    date: TravelDate,
    preferences: Annotated[ElicitationResult[BookingPreferences], Resolve(ask_for_another_date)],
) -> str:
    """Book a trip. 24 and 25 December of every year are full: you are then asked for another date."""
    if not isinstance(preferences, AcceptedElicitation):
        return "Booking cancelled"
    wish = preferences.data
    if wish is None:  # nothing had to be asked
        return f"Booked for {parse_day(date)}"
    if not wish.check_alternative:
        return "No booking made"
    if is_full(wish.alternative_date):
        return f"No booking made: {wish.alternative_date} is full too"
    return f"Booked for {wish.alternative_date}"
