"""How templates write sentences, JSON, moments and numbers for a person."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from markupsafe import Markup, escape

from webclient.forms import write_json
from webclient.i18n import gettext as _
from webclient.i18n import ngettext
from webclient.model import CallError, Reason, now
from webclient.reasons import message, sentence
from webclient.visible_text import visible

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


_LARGEST = 1e15
"""No count is larger; not-a-number is not smaller than it either."""


def fill(text: str, **values: object) -> Markup:
    """Fill the placeholders of a translated sentence, also with elements that the template made.

    Safe: `Markup.format` escapes every value that is not the output of a macro or of a block.
    """
    return escape(text).format(**values)


def pretty(value: Any) -> str:
    """Return `value` as indented JSON: letters of every script readable, what cannot be seen escaped."""
    return write_json(value)


def compact(value: Any) -> str:
    """Return `value` as JSON on one line: letters of every script readable, what cannot be seen escaped."""
    return write_json(value, indent=None)


def bytes_(size: int) -> str:
    """Return a size in bytes as people say it."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1e3:.3g} kB" if size < 999_500 else f"{size / 1e6:.4g} MB"


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


def second(moment: datetime) -> str:
    """Return what a clock in UTC shows at `moment`, with seconds."""
    return moment.astimezone(UTC).strftime("%H:%M:%S")


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


def shown(reason: Reason | CallError | None, limit: int = 2_000) -> str:
    """Return the sentence of a reason or an error, with hidden characters made visible; "" for None."""
    if reason is None:
        return ""
    return visible(sentence(reason) if isinstance(reason, Reason) else message(reason), limit, newlines=True)
