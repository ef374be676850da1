"""Template filters for sentences, JSON, moments and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from markupsafe import Markup, escape

from webclient.forms import write_json
from webclient.i18n import gettext as _
from webclient.i18n import ngettext
from webclient.model import CallError, ConnectionFault, Reason, now
from webclient.reasons import message, sentence
from webclient.visible_text import visible

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


_LARGEST = 1e15
"""The largest progress value that is shown."""


def fill(text: str, **values: object) -> Markup:
    """Fill the placeholders of a sentence with values or with elements made by the template.

    Safe: `Markup.format` escapes every value that is not the output of a macro or of a block.
    """
    return escape(text).format(**values)


def pretty(value: Any) -> str:
    """Return `value` as indented JSON with invisible characters escaped."""
    return write_json(value)


def compact(value: Any) -> str:
    """Return `value` as JSON on one line with invisible characters escaped."""
    return write_json(value, indent=None)


def bytes_(size: int) -> str:
    """Format a number of bytes."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1e3:.3g} kB" if size < 999_500 else f"{size / 1e6:.4g} MB"


def steps(progress: Mapping[str, Any]) -> str:
    """Format the progress of a call: "1 of 6", "1" without a total, "" for invalid values."""
    done, total = _number(progress.get("progress")), _number(progress.get("total"))
    return _("{done} of {total}").format(done=done, total=total) if done and total not in ("", "0") else done


def _number(value: Any) -> str:
    # Python's own servers send every step as a float; 1.0 is read as 1 by everybody.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _LARGEST:
        return ""
    return str(int(value)) if value == int(value) else f"{value:.4g}"


def iso(moment: datetime) -> str:
    """Return `moment` as the `datetime` of a `<time>`, for static/js/clock.js."""
    return moment.astimezone(UTC).replace(microsecond=0).isoformat()


def exact(moment: datetime) -> str:
    """Return the date and the time to the second, in UTC."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def clock(moment: datetime) -> str:
    """Return the time in UTC, without seconds."""
    return moment.astimezone(UTC).strftime("%H:%M")


def second(moment: datetime) -> str:
    """Return the time in UTC, with seconds."""
    return moment.astimezone(UTC).strftime("%H:%M:%S")


def distance(moment: datetime) -> str:
    """Return how long ago `moment` was, or its date if that was yesterday or earlier."""
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


def shown(reason: Reason | CallError | ConnectionFault | None, limit: int = 2_000) -> str:
    """Return the sentence of a reason or an error, with hidden characters made visible; "" for None."""
    if reason is None:
        return ""
    return visible(sentence(reason) if isinstance(reason, Reason) else message(reason), limit, newlines=True)
