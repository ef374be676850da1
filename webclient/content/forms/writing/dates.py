"""Converts dates and times between a person's local clock and RFC 3339, which requires seconds and an offset."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo

from webclient.domain.i18n import gettext as _
from webclient.domain.time_zones import read_zone

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LOCAL = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?(\.[0-9]{1,3})?")
_WIRE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(?:\.[0-9]{1,3})?)(Z|[+-][0-9]{2}:[0-9]{2})")
_FULL = re.compile(r".+[T ].+(Z|[+-][0-9]{2}:[0-9]{2})", re.IGNORECASE)
_OFFSET = re.compile(r"[+-][0-9]{2}:?[0-9]{2}")
_FRACTION = re.compile(r"[.][0-9]+")

COMMON_ZONES = (
    "UTC",
    "America/Los_Angeles",
    "America/New_York",
    "America/Sao_Paulo",
    "Europe/London",
    "Europe/Berlin",
    "Asia/Dubai",
    "Asia/Kolkata",
    "Asia/Shanghai",
    "Asia/Tokyo",
    "Australia/Sydney",
)
"""Zones to pick from; any other name of the IANA database or an offset can be typed."""


def fits_date_input(text: str) -> bool:
    """Return whether `<input type="date">` can show `text`."""
    return not text or _date(text) is not None


def fits_local_input(text: str) -> bool:
    """Return whether `<input type="datetime-local">` can show `text`."""
    return not text or _local(text) is not None


def split(wire: str) -> tuple[str, str]:
    """Split an RFC 3339 date-time into local text and zone; `join` is the inverse.

    A time that a local control cannot show (a leap second, microseconds) stays whole in the text.
    """
    found = _WIRE.fullmatch(wire)
    if found is None or _local(found[1]) is None:
        return wire, "UTC"
    return found[1], "UTC" if found[2] == "Z" else found[2]


def join(text: str, zone: str) -> str:
    """Return the typed `text` in `zone` as RFC 3339, with seconds and offset.

    The format is that of section 5.6. Raises ValueError with a sentence when that moment does not exist, or exists
    twice.
    """
    if _FULL.fullmatch(text):
        return text
    local = _local(text)
    if local is None:
        raise ValueError(_("“{text}” is not a date and time. Enter it like 2026-12-24T18:30.").format(text=text[:40]))
    if _OFFSET.fullmatch(zone):
        return _with_offset(text, zone)
    return _in_named_zone(text, local, zone)


def equal(one: str, other: str) -> bool:
    """Return whether two date-times are equal apart from trailing zeros of a fraction.

    Browsers drop these (HTML, 2.3.5).
    """
    first, second = (_FRACTION.sub(lambda found: found[0].rstrip("0").rstrip("."), each) for each in (one, other))
    return first == second


def _date(text: str) -> date | None:
    if not _DATE.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _local(text: str) -> datetime | None:
    """Parse a local time; `datetime.fromisoformat` alone accepts week dates and more that RFC 3339 forbids."""
    found = _LOCAL.fullmatch(text)
    if found is None:
        return None
    try:
        return datetime.fromisoformat(f"{found[1]}T{found[2]}{found[3] or ':00'}{found[4] or ''}")
    except ValueError:
        return None


def _written(text: str) -> str:
    """Return the typed time with seconds, which RFC 3339 requires; a fraction keeps its digits."""
    day, time, seconds, fraction = _LOCAL.fullmatch(text).groups(default="")  # type: ignore[union-attr]  # local
    return f"{day}T{time}{seconds or ':00'}{fraction}"


def _with_offset(text: str, zone: str) -> str:
    sign, hours, minutes = zone[0], zone[1:3], zone[-2:]
    if int(hours) > 23 or int(minutes) > 59:
        raise ValueError(_no_zone(zone))
    return f"{_written(text)}{sign}{hours}:{minutes}"


def _in_named_zone(text: str, local: datetime, name: str) -> str:
    zone = _zone(name)
    if zone is UTC:
        return f"{_written(text)}Z"
    first, second = (_offset(local.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))
    if first != second:
        raise ValueError(_clock_change(local, name, first, second))
    return f"{_written(text)}{_offset_text(first)}"


def _zone(name: str) -> tzinfo:
    if name.upper() in ("UTC", "Z"):
        return UTC
    zone = read_zone(name)
    if zone is None:
        raise ValueError(_no_zone(name))
    return zone


def _no_zone(name: str) -> str:
    expected = _("Enter UTC, a name like Europe/Berlin, or an offset like +02:00.")
    seen = _("“{zone}” is not a known time zone.").format(zone=name[:40]) if name else _("It has no time zone.")
    return f"{seen} {expected}"


def _offset(moment: datetime) -> timedelta:
    return moment.utcoffset() or timedelta()


def _offset_text(offset: timedelta) -> str:
    """Return the offset as text; RFC 3339 has whole minutes only, and local mean times had seconds."""
    seconds = int(offset.total_seconds())
    if seconds % 60:
        raise ValueError(_("The zone's offset in that year cannot be sent. Type an offset such as +01:00."))
    minutes = abs(seconds) // 60
    return f"{'-' if seconds < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"


def _clock_change(local: datetime, name: str, first: timedelta, second: timedelta) -> str:
    """In a gap the second offset is the larger one, in an overlap the first (PEP 495)."""
    if second < first:
        sentence = _("{time} comes twice on that day in {zone}. Type {first} or {second} as the zone to say which.")
    else:
        sentence = _("{time} does not exist on that day in {zone}: the clocks go forward. Type another time.")
    first_text, second_text = _offset_text(first), _offset_text(second)
    return sentence.format(time=f"{local:%H:%M}", zone=name, first=first_text, second=second_text)
