"""How templates write JSON and moments for a person."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from webclient.forms import json_text
from webclient.i18n import gettext as _
from webclient.i18n import ngettext
from webclient.model import now

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml"})
"""What an `<img>` may show; none of them runs a script there, SVG included (HTML, "img")."""

SOUNDS = frozenset({"audio/mpeg", "audio/mp4", "audio/ogg", "audio/wav", "audio/x-wav", "audio/webm", "audio/flac"})


_LARGEST = 1e15
"""No count is larger; not-a-number is not smaller than it either."""


def pretty(value: Any) -> str:
    """Return `value` as indented JSON: letters of every script readable, what cannot be seen escaped."""
    return json_text.write(value)


def compact(value: Any) -> str:
    """Return `value` as JSON on one line: letters of every script readable, what cannot be seen escaped."""
    return json_text.write(value, indent=None)


def data_url(content: Mapping[str, Any]) -> str | None:
    """Return an MCP content block (`data`, `mimeType`) as a `data:` URL if a browser may show or play it here."""
    mime_type = str(content.get("mimeType", "")).partition(";")[0].strip().lower()
    if mime_type not in PICTURES | SOUNDS:
        return None
    return f"data:{mime_type};base64,{content.get('data') or content.get('blob') or ''}"


def icon(thing: Mapping[str, Any]) -> str | None:
    """Return the first icon of a tool, prompt or resource that needs no fetching: a `data:` URL of a picture."""
    icons = thing.get("icons")
    for each in icons if isinstance(icons, list) else []:
        source = str(each.get("src", "")) if isinstance(each, Mapping) else ""
        scheme, _colon, rest = source.partition(":")
        if scheme.lower() == "data" and re.split("[;,]", rest, maxsplit=1)[0].lower() in PICTURES:
            return source
    return None


def steps(progress: Mapping[str, Any]) -> str:
    """Return how far a server says that it is: "1 of 6", or "1" where it does not know the end; "" for nonsense."""
    done, total = _number(progress.get("progress")), _number(progress.get("total"))
    return _("{done} of {total}").format(done=done, total=total) if done and total not in ("", "0") else done


def _number(value: Any) -> str:
    # Python's own servers send every step as a float; 1.0 is read as 1 by everybody.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _LARGEST:
        return ""
    return str(int(value)) if value == int(value) else f"{value:.4g}"


def iso(moment: datetime) -> str:
    """Return `moment` as the `datetime` of a `<time>`, which static/js/clock.js reads."""
    return moment.astimezone(UTC).replace(microsecond=0).isoformat()


def exact(moment: datetime) -> str:
    """Return exactly when `moment` is."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def clock(moment: datetime) -> str:
    """Return what a clock in UTC shows at `moment`."""
    return moment.astimezone(UTC).strftime("%H:%M")


def distance(moment: datetime) -> str:
    """Return how long ago `moment` was, and of one long ago the day."""
    passed = now() - moment
    if passed < MINUTE:
        return _("just now")
    if passed < HOUR:
        n = passed // MINUTE
        return ngettext("{n} minute ago", "{n} minutes ago", n).format(n=n)
    if passed < DAY:
        n = passed // HOUR
        return ngettext("{n} hour ago", "{n} hours ago", n).format(n=n)
    return moment.astimezone(UTC).strftime("%Y-%m-%d")


def lasting(passed: timedelta) -> str:
    """Return how long something took, as precisely as a person cares."""
    if passed < MINUTE:
        return _("{n} s").format(n=max(round(passed.total_seconds(), 1), 0))
    if passed < HOUR:
        return _("{n} min {s} s").format(n=passed // MINUTE, s=passed % MINUTE // timedelta(seconds=1))
    if passed < DAY:
        return _("{n} h {m} min").format(n=passed // HOUR, m=passed % HOUR // MINUTE)
    return _("{n} d {h} h").format(n=passed // DAY, h=passed % DAY // HOUR)
