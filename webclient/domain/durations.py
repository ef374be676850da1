"""How long something took, in words."""

from __future__ import annotations

from datetime import timedelta

from webclient.domain.i18n import gettext as _

_EXACT = 10
"""Seconds below which a tenth matters."""

_MINUTE = timedelta(minutes=1)
_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)


def duration(passed: timedelta) -> str:
    """Return how long something took, as precisely as a person cares."""
    if passed < _MINUTE:
        seconds = max(passed.total_seconds(), 0)
        return _("{n} s").format(n=round(seconds, 1) if seconds < _EXACT else round(seconds))
    if passed < _HOUR:
        return _("{n} min {s} s").format(n=passed // _MINUTE, s=passed % _MINUTE // timedelta(seconds=1))
    if passed < _DAY:
        return _("{n} h {m} min").format(n=passed // _HOUR, m=passed % _HOUR // _MINUTE)
    return _("{n} d {h} h").format(n=passed // _DAY, h=passed % _DAY // _HOUR)
