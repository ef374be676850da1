"""Dates and times (points 34 to 37)."""

from __future__ import annotations

import pytest

from tests.forms.filling import Page, answer, field_of, form_of, post, render
from tests.tables import each_row
from webclient.content.forms.validation import prefilled

MOMENT = {"type": "string", "format": "date-time"}
DATE = {"type": "string", "format": "date"}


@each_row(
    ("text", "zone", "wire"),
    [
        ("2026-12-24T18:30", "UTC", "2026-12-24T18:30:00Z"),
        ("2026-12-24T18:30:05", "+02:00", "2026-12-24T18:30:05+02:00"),
        ("2026-12-24 18:30", "-0530", "2026-12-24T18:30:00-05:30"),
        ("2026-12-24T18:30:05.25", "Z", "2026-12-24T18:30:05.25Z"),
        ("2026-12-24T18:30", "Europe/Berlin", "2026-12-24T18:30:00+01:00"),
        ("2026-07-01T18:30", "Europe/Berlin", "2026-07-01T18:30:00+02:00"),
        ("2026-07-01T18:30", "Asia/Calcutta", "2026-07-01T18:30:00+05:30"),
        ("2026-07-01T18:30:00+09:00", "UTC", "2026-07-01T18:30:00+09:00"),
    ],
)
def test_point_34_a_local_time_goes_out_with_seconds_and_offset(text: str, zone: str, wire: str) -> None:
    assert answer(MOMENT, text, zone=zone) == wire


@pytest.mark.parametrize("fraction", ["", ".000", ".870", ".5", ".100"])
def test_point_34_a_default_time_is_sent_exactly_as_suggested(fraction: str) -> None:
    """HTML, "valid normalized local date and time string": the shortest text for the time is what comes back."""
    form = form_of(it={**MOMENT, "default": f"2026-12-24T18:30:00{fraction}Z"})
    shortened = f"2026-12-24T18:30:00{fraction}".rstrip("0").rstrip(".").removesuffix(":")
    assert post(form, {"f0": [shortened]}).content == prefilled(form) == {"it": f"2026-12-24T18:30:00{fraction}Z"}


def test_point_34_the_zone_is_seen_and_can_be_changed() -> None:
    page = Page(render(form_of(it=MOMENT)))
    moment, zone = page.all("input")
    assert (moment["type"], zone["name"], zone["value"]) == ("datetime-local", "f0.zone", "UTC")
    assert "Time zone" in page.text
    assert "data-zone" in zone


def test_point_34_the_zone_of_a_default_is_kept_as_it_came() -> None:
    """Where nothing was suggested, static/js/time_zone.js puts the person's own zone in."""
    _moment, zone = Page(render(form_of(it={**MOMENT, "default": "2026-12-24T18:30:00+05:30"}))).all("input")
    assert (zone["value"], "data-zone" in zone) == ("+05:30", False)
    assert form_of(it={**MOMENT, "default": "2026-12-24T18:30:00Z"}).texts["f0.zone"] == ["UTC"]


def test_point_34_a_time_in_the_gap_is_explained() -> None:
    assert "does not exist on that day in Europe/Berlin" in str(
        answer(MOMENT, "2026-03-29T02:30", zone="Europe/Berlin")
    )


def test_point_34_a_time_in_the_overlap_asks_which() -> None:
    said = str(answer(MOMENT, "2026-10-25T02:30", zone="Europe/Berlin"))
    assert "comes twice" in said
    assert "+02:00 or +01:00" in said
    assert answer(MOMENT, "2026-10-25T02:30", zone="+01:00") == "2026-10-25T02:30:00+01:00"


@each_row("zone", ["", "Mars/Olympus", "../../etc/passwd", "/etc/passwd", "America", "+99:00", "+1", "CET\0"])
def test_point_34_an_unknown_time_zone_is_refused(zone: str) -> None:
    assert "Europe/Berlin" in str(answer(MOMENT, "2026-03-29T02:30", zone=zone))


def test_point_34_an_offset_of_odd_seconds_cannot_be_sent() -> None:
    assert "offset in that year" in str(answer(MOMENT, "1850-01-01T12:00", zone="Europe/Berlin"))


@pytest.mark.parametrize(
    "default",
    [
        "2026-12-24T18:30:00+05:30",
        "2026-12-24T18:30:00Z",
        "2026-12-24T18:30:00+00:00",
        "2026-12-24t18:30:00z",
        "2026-12-24T18:30:00.123456Z",
        "1998-12-31T23:59:60Z",
    ],
)
def test_point_34_a_default_is_shown_and_comes_back_as_it_was(default: str) -> None:
    form = form_of(it={**MOMENT, "default": default})
    posted = Page(render(form)).posted()
    assert posted
    assert prefilled(form) == {"it": default}
    assert post(form, {name: [text] for name, text in posted}).content == {"it": default}


@pytest.mark.parametrize("text", ["20240101", "2024-W01-1", "2024-01-01", "2024-01-01T25:00", "now", "2024-01-01T10"])
def test_point_35_only_rfc_3339_counts(text: str) -> None:
    assert isinstance(answer(MOMENT, text, zone="UTC"), ValueError)
    assert field_of({**MOMENT, "default": text}).default is None


@pytest.mark.parametrize(
    "text", ["2024-02-31", "2023-02-29", "20240101", "2024-1-1", "24-01-01", "2024-01-01T00:00:00Z"]
)
def test_point_36_a_date_that_does_not_exist_is_refused(text: str) -> None:
    assert "an existing date" in str(answer(DATE, text))
    assert answer(DATE, "2024-02-29") == "2024-02-29"


def test_point_36_a_wrong_date_stays_in_sight() -> None:
    form = form_of(it=DATE)
    (control,) = Page(render(form, {"f0": ["2024-02-31"]})).all("input")
    assert (control["type"], control["value"]) == ("text", "2024-02-31")


def test_point_36_a_wrong_time_stays_in_sight() -> None:
    form = form_of(it=MOMENT)
    control, zone = Page(render(form, {"f0": ["2024-02-31T10:00"], "f0.zone": ["Mars"]})).all("input")
    assert (control["type"], control["value"], zone["value"]) == ("text", "2024-02-31T10:00", "Mars")


@pytest.mark.parametrize("text", ["1998-12-31T23:59:60Z", "2024-01-01t00:00:00z"])
def test_point_37_leap_seconds_and_small_letters_are_rfc_3339(text: str) -> None:
    assert answer(MOMENT, text, zone="UTC") == text
