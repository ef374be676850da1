"""When a notice is due: after the wait, not in quiet hours, and seldom while none is heeded."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest

from webclient.domain.model import NoticeSettings, QuietHours, WaitingRequest
from webclient.notifications.schedule import LONGEST_PAUSE, PAUSE, due_at

AT = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
NIGHT = QuietHours(begin=time(22), end=time(7), zone="Europe/Berlin")
LUNCH = QuietHours(begin=time(12), end=time(13), zone="UTC")


def waiting(request_id: str = "new", *, age: float = 0, noticed: bool = False) -> WaitingRequest:
    created_at = AT - timedelta(seconds=age)
    return WaitingRequest(id=request_id, asked_by="Billing", created_at=created_at, is_noticed=noticed)


def settings(**values: object) -> NoticeSettings:
    return NoticeSettings(user_id="ada", **values)  # type: ignore[arg-type]


def test_a_notice_is_due_when_the_oldest_question_has_waited() -> None:
    assert due_at(settings(), [waiting(age=4), waiting("b", age=1)], AT) == AT + 6 * SECOND
    assert due_at(settings(wait=60 * SECOND), [waiting(age=4)], AT) == AT + 56 * SECOND
    assert due_at(settings(), [waiting(age=999)], AT) == AT


def test_a_noticed_question_makes_no_further_notice() -> None:
    assert due_at(settings(), [], AT) is None
    assert due_at(settings(), [waiting(noticed=True)], AT) is None
    assert due_at(settings(), [waiting("old", age=90, noticed=True), waiting(age=20)], AT) == AT


def test_a_question_that_was_seen_is_due_again_a_minute_later() -> None:
    seen_at = AT - 5 * SECOND
    assert due_at(settings(), [waiting(age=90)], AT, seen_at) == seen_at + PAUSE
    assert due_at(settings(), [waiting(age=90), waiting("b", age=12)], AT, seen_at) == AT
    assert due_at(settings(), [waiting(age=90), waiting("b", age=2)], AT, seen_at) == AT + 8 * SECOND


def test_notices_are_at_least_a_minute_apart() -> None:
    sent = settings(last_at=AT - 20 * SECOND, last_id="answered", unheeded=1)
    assert due_at(sent, [waiting(age=15)], AT) == sent.last_at + PAUSE  # type: ignore[operator]


@pytest.mark.parametrize(("unheeded", "minutes"), [(1, 2), (2, 4), (5, 32), (6, 60), (1000, 60)])
def test_unheeded_notices_grow_apart(unheeded: int, minutes: int) -> None:
    sent = settings(last_at=AT, last_id="old", unheeded=unheeded)
    found = due_at(sent, [waiting("old", age=60, noticed=True), waiting(age=15)], AT)
    assert found == AT + timedelta(minutes=minutes) <= AT + LONGEST_PAUSE


def test_a_notice_waits_for_the_end_of_quiet_hours() -> None:
    assert due_at(settings(quiet=LUNCH), [waiting(age=60)], AT) == AT + timedelta(hours=1)
    assert due_at(
        settings(quiet=LUNCH), [waiting(age=0)], AT - timedelta(seconds=20)
    ) == AT - 10 * SECOND + 10 * SECOND + (timedelta(hours=1))
    assert due_at(settings(quiet=LUNCH), [waiting(age=60)], AT + timedelta(hours=1)) == AT + timedelta(hours=1)


@pytest.mark.parametrize(
    ("moment", "ends"),
    [
        ("2026-11-23T20:59:59+00:00", None),
        ("2026-11-23T21:00:00+00:00", "2026-11-24T06:00:00+00:00"),
        ("2026-11-24T05:59:59+00:00", "2026-11-24T06:00:00+00:00"),
        ("2026-11-24T06:00:00+00:00", None),
        # The night in which clocks go forward is shorter, that in which they go back is longer.
        ("2026-03-28T22:00:00+00:00", "2026-03-29T05:00:00+00:00"),
        ("2026-10-24T21:00:00+00:00", "2026-10-25T06:00:00+00:00"),
    ],
)
def test_quiet_hours_follow_the_clock_of_their_zone(moment: str, ends: str | None) -> None:
    assert NIGHT.end_of(datetime.fromisoformat(moment)) == (ends and datetime.fromisoformat(ends))


def test_quiet_hours_end_later_than_now_in_a_repeated_hour() -> None:
    # In Berlin, 02:30 comes twice on this day.
    quiet = QuietHours(begin=time(1), end=time(2, 30), zone="Europe/Berlin")
    for minute in range(0, 240, 5):
        moment = datetime(2026, 10, 24, 23, tzinfo=UTC) + timedelta(minutes=minute)
        assert (ends := quiet.end_of(moment)) is None or ends > moment


def test_quiet_hours_of_an_unknown_zone_are_by_utc() -> None:
    quiet = QuietHours(begin=time(12), end=time(13), zone="Foo/Bar")
    noon = datetime(2026, 11, 24, 12, 30, tzinfo=UTC)
    assert quiet.end_of(noon) == LUNCH.end_of(noon)


def test_quiet_hours_survive_their_row() -> None:
    assert QuietHours.from_json(NIGHT.to_json()) == NIGHT
