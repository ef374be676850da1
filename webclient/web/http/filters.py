"""Template filters for sentences, JSON, moments and numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zlib import crc32

from markupsafe import Markup, escape

from webclient.content.forms import write_json
from webclient.content.visible_text import counted
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import ngettext
from webclient.domain.languages import day, number
from webclient.domain.model import STDIO, CallError, ConnectionFault, Reason, now
from webclient.domain.reasons import message, sentence

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)

_AMBIGUOUS = re.compile(r"[,()\"\n]|: |^\s|\s$|^$")
"""In a text: what separates or encloses values, or cannot be seen."""

_LARGEST = 1e15
"""The largest progress value that is shown."""

COLORS = 8
"""The number of colours of tiles in static/css/tokens.css."""


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


def named(values: Mapping[str, Any]) -> str:
    """Return `values` on one line as names and values, such as "order: 4711, express: true".

    A text that could be read as more than one value is quoted.
    """
    return ", ".join(f"{name}: {_plain(value)}" for name, value in values.items())


def _plain(value: Any) -> str:
    if isinstance(value, str) and not _AMBIGUOUS.search(value):
        return value
    return compact(value)


def bytes_(size: int) -> str:
    """Format a number of bytes."""
    if size < 1000:
        return _("{n} B").format(n=number(size))
    if size < 999_500:
        return _("{n} kB").format(n=number(float(f"{size / 1e3:.3g}")))
    return _("{n} MB").format(n=number(float(f"{size / 1e6:.4g}")))


def steps(progress: Mapping[str, Any]) -> str:
    """Format the progress of a call: "1 of 6", "1" without a total, "" for invalid values."""
    done, total = _number(progress.get("progress")), _number(progress.get("total"))
    return _("{done} of {total}").format(done=done, total=total) if done and total not in ("", "0") else done


def _number(value: Any) -> str:
    # Python's own servers send every step as a float; 1.0 is read as 1 by everybody.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _LARGEST:
        return ""
    return number(value) if value == int(value) else number(float(f"{value:.4g}"), 15)


def iso(moment: datetime) -> str:
    """Return `moment` as the `datetime` of a `<time>`, for static/js/clock.js."""
    return moment.astimezone(UTC).replace(microsecond=0).isoformat()


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
    return day(moment)


def age(moment: datetime) -> str:
    """Return how long ago `moment` was, as short as a list wants it."""
    passed = max(now() - moment, timedelta())
    if passed < MINUTE:
        return _("Now")
    if passed < HOUR:
        return _("{n} min ago").format(n=passed // MINUTE)
    if passed < DAY:
        return _("{n} hr ago").format(n=passed // HOUR)
    n = passed // DAY
    return ngettext("{n} day ago", "{n} days ago", n).format(n=n)


def shown(reason: Reason | CallError | ConnectionFault | None, limit: int = 2_000) -> str:
    """Return the sentence of a reason or an error, with hidden characters made visible; "" for None."""
    if reason is None:
        return ""
    return counted(sentence(reason) if isinstance(reason, Reason) else message(reason), limit, newlines=True)


def program_of(address: str) -> str:
    """Return the command of a server that this machine runs, from its `stdio: COMMAND`; "" for another address."""
    return address.removeprefix(STDIO) if address.startswith(STDIO) else ""


def monogram(label: str) -> str:
    """Return the first letter or digit of the label in upper case; "?" if it has none."""
    first = next((character for character in label if character.isalnum()), "?")
    return first.upper()[:1]


def tile_color(label: str) -> int:
    """Return the number of the label's colour, the same in every process."""
    return crc32(label.encode("utf-8", "replace")) % COLORS
