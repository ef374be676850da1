"""The switch of the language, on every page; it is remembered in a cookie, also before signing in."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse

from webclient.domain.errors import InvalidInputError
from webclient.domain.i18n import gettext as _
from webclient.domain.languages import LANGUAGES
from webclient.web.http import language_cookie, own_page


def router(*, framed: bool) -> APIRouter:
    """Return the route; `framed` in pages of other sites, the choice is remembered for each of those."""

    async def choose(
        http_request: Request,
        language: Annotated[str, Form()] = "",
        next: Annotated[str, Form()] = "/",  # noqa: A002  the name of the parameter at the sign-in
    ) -> RedirectResponse:
        """Remember the language of the pages, and go back to the page `next`."""
        if language not in LANGUAGES:
            message = _("This language is not available.")
            raise InvalidInputError(message, {"language": message})
        headers = language_cookie(http_request, language, framed=framed)
        return RedirectResponse(own_page(next), status_code=303, headers=headers)

    routes = APIRouter(include_in_schema=False)
    routes.add_api_route("/language", choose, methods=["POST"])
    return routes
