"""The theme of the pages: that of the system, light or dark, as this browser has chosen it in a cookie.

The server writes it into each page, so no page is shown in the other theme first, with or without scripts.
The frame in a page of another application has the scheme of that page instead (`static/js/frame_theme.js`).
"""

from __future__ import annotations

from starlette.requests import HTTPConnection

from webclient.web.http.language import choice_cookie

COOKIE = "webclient-theme"
"""The name of the cookie with the theme that was chosen; it holds for each port of this host."""

SYSTEM = "system"

THEMES = (SYSTEM, "light", "dark")
"""The themes to choose from; that of the system follows it while the page is open."""


def theme_of(connection: HTTPConnection) -> str:
    """Return the theme for a request."""
    chosen = connection.cookies.get(COOKIE, "")
    return chosen if chosen in THEMES else SYSTEM


def scheme_of(connection: HTTPConnection) -> str:
    """Return the colour schemes in which the pages may be shown, as CSS writes them.

    A browser paints the empty page by them, before it has read a style sheet; so it does not flash in the other theme
    while the sheet is loaded for the first time.
    """
    theme = theme_of(connection)
    return "light dark" if theme == SYSTEM else theme


def theme_cookie(connection: HTTPConnection, theme: str, *, framed: bool) -> dict[str, str]:
    """Return the header that makes a browser remember a theme; `framed` in pages of other sites as well."""
    return choice_cookie(connection, COOKIE, theme, framed=framed)
