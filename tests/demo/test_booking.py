"""The booking dialogue and each of its ends."""

from __future__ import annotations

import pytest

from tests.demo.visits import Visit, text_of
from webclient.domain.model import Action, Json

pytestmark = pytest.mark.anyio

FULL = {"date": "2026-12-24"}


async def test_a_free_date_is_booked_without_a_request(visit: Visit) -> None:
    result = await visit.call("book_trip", {"date": "2026-11-03"})
    assert text_of(result) == "Booked for 2026-11-03"
    assert visit.person.requests == []


@pytest.mark.parametrize(
    ("date", "near"),
    [("2026-12-24", "2026-12-26"), ("2031-12-25", "2031-12-26")],
)
async def test_a_full_date_asks_for_another_in_any_year(visit: Visit, date: str, near: str) -> None:
    await visit.call("book_trip", {"date": date})
    [request] = visit.person.requests
    assert request.message == f"{date} is full. Try another date?"
    assert request.requested_schema["required"] == ["checkAlternative"]
    assert request.requested_schema["properties"] == {
        "checkAlternative": {"type": "boolean", "title": "Book another day"},
        "alternativeDate": {
            "type": "string",
            "format": "date",
            "title": "Other date",
            "description": "The day to book instead",
            "default": near,
        },
    }


@pytest.mark.parametrize(
    ("content", "end"),
    [
        ({"checkAlternative": True, "alternativeDate": "2026-12-29"}, "Booked for 2026-12-29"),
        ({"checkAlternative": True}, "Booked for 2026-12-26"),
        ({"checkAlternative": False, "alternativeDate": "2026-12-29"}, "No booking made"),
        ({"checkAlternative": False}, "No booking made"),
        (
            {"checkAlternative": True, "alternativeDate": "2026-12-25"},
            "No booking made: 2026-12-25 is full too",
        ),
    ],
)
async def test_an_accepted_form_ends_as_the_person_chose(visit: Visit, content: Json, end: str) -> None:
    result = await visit.call("book_trip", FULL, action=Action.ACCEPT, content=content)
    assert text_of(result) == end
    assert not result.is_error


@pytest.mark.parametrize("action", [Action.DECLINE, Action.CANCEL])
async def test_a_form_that_is_not_accepted_cancels_the_booking(visit: Visit, action: Action) -> None:
    result = await visit.call("book_trip", FULL, action=action)
    assert text_of(result) == "Booking cancelled"
    assert not result.is_error


@pytest.mark.parametrize("date", ["soon", "", "2026-02-30", "24.12.2026"])
async def test_an_invalid_date_is_an_error_that_shows_the_format(visit: Visit, date: str) -> None:
    result = await visit.call("book_trip", {"date": date})
    assert result.is_error
    assert text_of(result).endswith(f"{date!r} is not a date. Write it as YYYY-MM-DD, for example 2026-12-24.")


async def test_an_answer_that_does_not_fit_the_form_is_an_error(visit: Visit) -> None:
    result = await visit.call("book_trip", FULL, action=Action.ACCEPT, content={"checkAlternative": "perhaps"})
    assert result.is_error
    assert "does not match the requested schema" in text_of(result)
