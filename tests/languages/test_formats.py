"""Dates, times and numbers are written as the language of the reader writes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from webclient.domain.i18n import speaking
from webclient.domain.languages import clock, day, exact, minute, number, second, translations

MOMENT = datetime(2026, 3, 4, 16, 2, 11, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", ["Mar 4, 2026", "14:02", "14:02:11", "Mar 4, 2026, 14:02", "Mar 4, 2026, 14:02:11 UTC"]),
        ("zh-Hans", ["2026年3月4日", "14:02", "14:02:11", "2026年3月4日 14:02", "2026年3月4日 14:02:11 UTC"]),
    ],
)
def test_a_moment_is_written_in_each_language(language: str, written: list[str]) -> None:
    with speaking(translations(language)):
        assert [form(MOMENT) for form in (day, clock, second, minute, exact)] == written


def test_times_do_not_depend_on_the_zone_they_came_in() -> None:
    assert exact(MOMENT) == exact(MOMENT.astimezone(UTC))


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (1234567, "1,234,567"), (2.5, "2.5"), (1 / 3, "0.333"), (-1200, "-1,200")]
)
def test_a_number_is_grouped(value: float, text: str) -> None:
    assert number(value) == text
