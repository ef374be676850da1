"""Dates, times and numbers as the language of the context writes them.

Moments are in UTC. Clocks have 24 hours in every language, because times in a log are easier to compare without "AM".
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

from babel import Locale
from babel.dates import format_skeleton
from babel.numbers import format_decimal

from webclient.domain.i18n import language


def exact(moment: datetime) -> str:
    """Return the date and the time to the second, with "UTC"."""
    return f"{_together(day(moment), second(moment))} UTC"


def day(moment: datetime) -> str:
    """Return the date."""
    return format_skeleton("yMMMd", moment.astimezone(UTC), locale=_locale())


def clock(moment: datetime) -> str:
    """Return the time, without seconds."""
    return format_skeleton("Hm", moment.astimezone(UTC), locale=_locale())


def second(moment: datetime) -> str:
    """Return the time, with seconds."""
    return format_skeleton("Hms", moment.astimezone(UTC), locale=_locale())


def minute(moment: datetime) -> str:
    """Return the date and the time without seconds."""
    return _together(day(moment), clock(moment))


def number(value: float, digits: int = 3) -> str:
    """Return a number with at most `digits` decimals, its thousands grouped."""
    return format_decimal(round(value, digits), locale=_locale(), decimal_quantization=False)


def _together(date: str, time: str) -> str:
    pattern = str(_locale().datetime_formats["medium"])
    return pattern.replace("{1}", date).replace("{0}", time)


def _locale() -> Locale:
    return _known(language())


@cache
def _known(tag: str) -> Locale:
    return Locale.parse(tag, sep="-")
