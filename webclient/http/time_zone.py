"""The time zone of the person at a page, which static/js/time_zone.js writes into a cookie."""

from __future__ import annotations

from datetime import UTC, tzinfo
from typing import Annotated
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from fastapi import Depends
from starlette.requests import HTTPConnection

COOKIE = "time_zone"
LONGEST = 60
"""Characters of the name of a zone."""


def time_zone(connection: HTTPConnection) -> tzinfo:
    """Return the person's time zone; UTC if the page has no scripts, or the cookie names no zone."""
    name = unquote(connection.cookies.get(COOKIE, ""))
    if not 0 < len(name) <= LONGEST:
        return UTC
    try:
        # Safe: ZoneInfo refuses names that leave its folders.
        return ZoneInfo(name)
    except (ValueError, OSError):
        return UTC


async def _zone(connection: HTTPConnection) -> tzinfo:
    return time_zone(connection)


TimeZoneDep = Annotated[tzinfo, Depends(_zone)]
