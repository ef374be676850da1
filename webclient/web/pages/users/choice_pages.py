"""The switches of language, theme and auto-advance, remembered in cookies; the first two also before signing in."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse

from webclient.domain.errors import InvalidInputError
from webclient.domain.i18n import gettext as _
from webclient.domain.languages import LANGUAGES
from webclient.web.http import ADVANCE_CHOICES, THEMES, advance_cookie, language_cookie, own_page, theme_cookie

Next = Annotated[str, Form(alias="next")]
"""The page to go back to; the parameter has the same name at the sign-in."""


@cache
def router(*, framed: bool) -> APIRouter:
    """Return the routes; `framed` in pages of other sites, a choice is remembered for each of those.

    They depend on nothing else, and FastAPI takes some milliseconds to put them together.
    """

    async def choose_language(
        http_request: Request, language: Annotated[str, Form()] = "", page: Next = "/"
    ) -> RedirectResponse:
        """Remember the language of the pages, and go back to the page `next`."""
        if language not in LANGUAGES:
            raise _unknown("language", _("This language is not available."))
        return _back(page, language_cookie(http_request, language, framed=framed))

    async def choose_theme(
        http_request: Request, theme: Annotated[str, Form()] = "", page: Next = "/"
    ) -> RedirectResponse:
        """Remember the theme of the pages, and go back to the page `next`."""
        if theme not in THEMES:
            raise _unknown("theme", _("This theme is not available."))
        return _back(page, theme_cookie(http_request, theme, framed=framed))

    async def choose_advance(
        http_request: Request, advance: Annotated[str, Form()] = "", page: Next = "/"
    ) -> RedirectResponse:
        """Remember whether the next question opens by itself, and go back to the page `next`."""
        if advance not in ADVANCE_CHOICES:
            raise _unknown("advance", _("This choice is not available."))
        return _back(page, advance_cookie(http_request, advance))

    routes = APIRouter(include_in_schema=False)
    routes.add_api_route("/language", choose_language, methods=["POST"])
    routes.add_api_route("/theme", choose_theme, methods=["POST"])
    if not framed:
        routes.add_api_route("/advance", choose_advance, methods=["POST"])
    return routes


def _unknown(field: str, message: str) -> InvalidInputError:
    return InvalidInputError(message, {field: message})


def _back(page: str, cookie: Mapping[str, str]) -> RedirectResponse:
    return RedirectResponse(own_page(page), status_code=303, headers=cookie)
