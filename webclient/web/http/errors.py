"""Turns every error into a page, or into a problem document for a program (RFC 9457).

No traceback, type or SQL is sent; unexpected errors are logged here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from math import ceil
from urllib.parse import quote

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webclient.auth import Identity
from webclient.domain.errors import AlreadySettledError, WebclientError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import InputRequest, Json
from webclient.support.standard_json import dumps
from webclient.web.http.base_path import own_page
from webclient.web.http.htmx import is_htmx
from webclient.web.http.templating import render

logger = logging.getLogger(__name__)

_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")

_UNREADABLE = "There was an error parsing the body"
"""FastAPI's message for a body that Python's parser cannot read, other than for its syntax."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """The error as a client sees it: status, title, sentence, and additional members."""

    status: int
    title: str
    detail: str
    extra: Json
    headers: Mapping[str, str] | None = None


class Errors:
    """Answers every exception; `as_json` makes the API's JSON of an input request."""

    def __init__(self, as_json: Callable[[InputRequest], Json]) -> None:
        self._as_json = as_json

    def response(self, request: Request, error: Exception) -> Response:
        """Return the page or the problem document of the error."""
        problem = self.noted(request, error)
        if problem.status == HTTPStatus.METHOD_NOT_ALLOWED and problem.headers:
            problem = replace(problem, headers={"Allow": _allowed(request)})
        return _page(request, problem) if prefers_html(request) else _document(problem)

    async def handle(self, request: Request, error: Exception) -> Response:
        """Handle an exception of the app."""
        return self.response(request, error)

    def noted(self, request: Request, error: Exception) -> Problem:
        """Return the error as a client sees it, and log it if it is unexpected."""
        problem = self._problem(error)
        if problem.status == HTTPStatus.INTERNAL_SERVER_ERROR and not isinstance(error, ClientDisconnect):
            # The path alone: a query may hold a secret.
            logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return problem

    def _problem(self, error: Exception) -> Problem:
        if isinstance(error, WebclientError):
            extra = dict(error.extra)
            if isinstance(error, AlreadySettledError):
                extra["request"] = self._as_json(error.request)
            # RFC 9110, section 10.2.3: whole seconds. Rounded up, or the client would come too early.
            wait = {} if error.retry_after is None else {"Retry-After": str(max(1, ceil(error.retry_after)))}
            headers = {**error.headers, **wait}
            return Problem(status=error.status, title=_(error.title), detail=str(error), extra=extra, headers=headers)
        if isinstance(error, RequestValidationError):
            return _invalid(error)
        if isinstance(error, HTTPException):
            return _http(error)
        return Problem(
            status=500,
            title=_("Something went wrong"),
            detail=_("Something went wrong in mcp-webclient. Your request may not have been carried out."),
            extra={},
        )


class ErrorResponses:
    """Answers errors of the checks around the app and unexpected errors, inside the security headers.

    Starlette's own handler stands outside of all middleware, so its answers would have no security headers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def send_and_note(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, receive, send_and_note)
        except Exception as error:
            if started:
                # A part of the response has been sent already; the server logs the error and disconnects.
                raise
            errors: Errors = scope["app"].state.errors
            await errors.response(Request(scope), error)(scope, receive, send)


def install_errors(app: FastAPI, *, as_json: Callable[[InputRequest], Json]) -> None:
    """Make `app` answer every error here; `as_json` makes the API's JSON of an input request."""
    app.state.errors = errors = Errors(as_json)
    for kind in (WebclientError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, errors.handle)


def prefers_html(request: Request) -> bool:
    """Return whether the client is a browser that shows a page; the API always answers JSON."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/")


def _allowed(request: Request) -> str:
    """Return all methods of an address (RFC 9110, 405); Starlette names those of the first matching route."""
    return ", ".join(
        method
        for method in _METHODS
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in request.app.routes)
    )


def _page(request: Request, problem: Problem) -> Response:
    # A part goes into a page that is there already, so it does not bring a second one.
    if is_htmx(request):
        return render(request, "_problem.html", status=problem.status, headers=problem.headers, problem=problem)
    begins_at = _begins_at(request) if problem.status == HTTPStatus.UNAUTHORIZED else None
    return render(
        request,
        "error.html",
        status=problem.status,
        headers=problem.headers,
        page_context=None,
        problem=problem,
        begins_at=begins_at,
        goes_on=_goes_on(request, begins_at) if problem.status == HTTPStatus.UNAUTHORIZED else None,
    )


def _begins_at(request: Request) -> str | None:
    """Return the page that begins a sign-in elsewhere, if that is the only one for browsers."""
    identity: Identity | None = getattr(request.app.state, "identity", None)
    return identity.sign_in.begins_at if identity and not identity.sign_in.takes_token else None


def _goes_on(request: Request, begins_at: str | None) -> str | None:
    """Return the page to which a browser without a session goes on by itself, when it comes from elsewhere.

    A step within this program stops at the page with the link instead: so nothing goes round in circles, and in a frame
    nothing begins.
    """
    headers = request.headers
    if request.method != "GET" or headers.get("sec-fetch-dest") != "document":
        return None
    here = own_page(request.url.path + (f"?{request.url.query}" if request.url.query else ""))
    site = headers.get("sec-fetch-site")
    if begins_at and site in ("none", "same-site", "cross-site"):
        return f"{begins_at}?next={quote(here)}"
    # After a click on another site, browsers hold the Strict cookie of a session back: the same again, from here.
    return here if site in ("same-site", "cross-site") else None


def _document(problem: Problem) -> Response:
    body = {
        "type": "about:blank",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
        **problem.extra,
    }
    return Response(dumps(body), problem.status, headers=problem.headers, media_type="application/problem+json")


def _invalid(error: RequestValidationError) -> Problem:
    broken = next((item for item in error.errors() if item["type"] == "json_invalid"), None)
    if broken:
        detail = _("The body is not valid JSON: {why} (character {n}).")
        return _no_json(detail.format(why=broken["ctx"]["error"], n=broken["loc"][-1]))
    fields = {".".join(str(part) for part in item["loc"][1:]): item["msg"] for item in error.errors()}
    listing = "; ".join(f"{name}: {message}" if name else message for name, message in fields.items())
    detail = _("Invalid request: {fields}.").format(fields=listing)
    return Problem(status=422, title=_("Invalid request"), detail=detail, extra={"errors": fields})


def _no_json(detail: str) -> Problem:
    return Problem(status=400, title=_titles()[400], detail=detail, extra={})


def _http(error: HTTPException) -> Problem:
    if error.detail == _UNREADABLE:
        return _no_json(_("The body is not valid JSON: it is not UTF-8, or is nested too deeply."))
    phrase = HTTPStatus(error.status_code).phrase
    # Starlette uses the bare phrase where there is no sentence.
    detail = _sentences().get(error.status_code, phrase) if error.detail == phrase else str(error.detail)
    return Problem(
        status=error.status_code,
        title=_titles().get(error.status_code, phrase),
        detail=detail,
        extra={},
        headers=error.headers,
    )


def _titles() -> dict[int, str]:
    return {
        400: _("Bad request"),
        401: _("Not signed in"),
        403: _("Forbidden"),
        404: _("Not found"),
        405: _("Method not allowed"),
        413: _("Too large"),
        415: _("Unsupported body type"),
        429: _("Too many requests"),
    }


def _sentences() -> dict[int, str]:
    return {
        404: _("Nothing exists at this address. It may have been removed, or the address may be mistyped."),
        405: _("This address does not support the method."),
    }
