"""Auto-advance: whether the next question opens after an answer, as this browser remembers it in a cookie.

It is suggested once, with the first outcome that has a question after it, and is on from the next answer unless the
person switches it off. The server reads the cookie, so it works without scripts as well.
"""

from __future__ import annotations

from typing import Literal

from starlette.requests import HTTPConnection

from webclient.web.http.language import choice_cookie

COOKIE = "webclient-advance"
"""The name of the cookie; without it, auto-advance has not been suggested yet."""

SUGGEST = "suggest"
"""The parameter of an address whose page suggests it."""

Advance = Literal["on", "off", ""]
"""Whether it is on; "" before it was suggested."""

ADVANCE_CHOICES = ("on", "off")


def advance_of(connection: HTTPConnection) -> Advance:
    """Return what the browser remembers."""
    match connection.cookies.get(COOKIE):
        case "on":
            return "on"
        case "off":
            return "off"
    return ""


def suggests_advance(connection: HTTPConnection) -> bool:
    """Return whether a page suggests it, below its next outcome."""
    return not advance_of(connection) or SUGGEST in connection.query_params


def advance_cookie(connection: HTTPConnection, choice: str) -> dict[str, str]:
    """Return the header that makes a browser remember a choice."""
    return choice_cookie(connection, COOKIE, choice, framed=False)
