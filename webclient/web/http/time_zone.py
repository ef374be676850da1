"""The time zone of the person at a page, which static/js/time_zone.js writes into a cookie."""

from __future__ import annotations

from datetime import UTC, tzinfo
from typing import Annotated
from urllib.parse import unquote

from fastapi import Depends
from starlette.requests import HTTPConnection

from webclient.domain.time_zones import read_zone

COOKIE = "time_zone"


def time_zone(connection: HTTPConnection) -> tzinfo:
    """Return the person's time zone; UTC if the page has no scripts, or the cookie names no zone."""
    return read_zone(unquote(connection.cookies.get(COOKIE, ""))) or UTC


async def _zone(connection: HTTPConnection) -> tzinfo:
    return time_zone(connection)


TimeZoneDep = Annotated[tzinfo, Depends(_zone)]
