"""Stops other sites from acting through a signed-in browser (CSRF), without a token in every form.

The rule is that of Go's CrossOriginProtection and of Datasette: browsers say in `Sec-Fetch-Site` where a
request comes from, and no page can forge that header. Deliberate differences: a request with neither
`Sec-Fetch-Site` nor `Origin` must carry a Bearer token, because answers here make programs act; reading
is protected as well; and a page may use the API with the session that its embedding application has given it.
"""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from webclient.auth import HOST, Principal, bearer_token
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import listed
from webclient.web.http.security.headless import API, is_shared

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
"""The methods that change nothing (RFC 9110 section 9.2.1)."""

JSON = frozenset({"application/json"})
"""Media types that may be posted to the API."""

BODIES = JSON | {"application/x-www-form-urlencoded", "multipart/form-data"}
"""Media types that may be posted to pages; text/plain, which a foreign form could send, is not one of ours."""

OWN_CREDENTIAL = frozenset({"/api/v1/sessions", "/auth/backchannel-logout"})
"""Paths whose credential is in the body, so no request to them can act through a signed-in browser."""

OURS = frozenset({"same-origin", "none"})
"""`none` is the person at the address bar; `same-site` is another port of this machine, hence a stranger."""


class OriginCheck:
    """Refuses what another site's page sends or reads; passes navigation, which shows without telling."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            connection = HTTPConnection(scope)
            # Only for the page of the session; anybody else who got as far as here does not read the response.
            reader = _headless_host(connection)
            connection.state.reader = reader
            if scope["method"] in SAFE:
                if reader is None:
                    _check_reading(connection)
            else:
                if reader is None:
                    _check_sender(connection)
                _check_body(connection)
        await self.app(scope, receive, send)


def _headless_host(connection: HTTPConnection) -> str | None:
    """Return the origin of the page if it is that of the session whose Bearer it sends, and asks the API."""
    principal: Principal | None = getattr(connection.state, "principal", None)
    embedding = principal.embedding if principal else None
    # Safe: a page sends no Bearer that it has not been given, and browsers write its origin. A cookie is not enough,
    # which browsers send by themselves.
    if embedding is None or principal is None or principal.way != HOST or not connection.scope["path"].startswith(API):
        return None
    return embedding.origin if connection.headers.get("origin", "").lower() == embedding.origin.lower() else None


def _check_reading(connection: HTTPConnection) -> None:
    site = connection.headers.get("sec-fetch-site", "none")
    # A link to us may be followed from anywhere: the page it opens cannot be read by the one that has the
    # link. All else (fetch, EventSource, script, image) would let a stranger hold streams open or probe what
    # exists.
    if site not in OURS and not is_shared(connection.scope) and connection.headers.get("sec-fetch-mode") != "navigate":
        raise HTTPException(403, _seen("Sec-Fetch-Site", site, "same-origin"))


def _check_sender(connection: HTTPConnection) -> None:
    site = connection.headers.get("sec-fetch-site")
    origin = connection.headers.get("origin")
    if site is not None:
        # Safe: only the browser itself can write a Sec- header (Fetch, forbidden request-header).
        if site not in OURS:
            raise HTTPException(403, _seen("Sec-Fetch-Site", site, "same-origin"))
    elif origin is not None:
        # Safe: browsers put the origin of the sending page here, and the host was checked before.
        if origin.lower() != _own_origin(connection):
            raise HTTPException(403, _seen("Origin", origin, _own_origin(connection)))
    elif bearer_token(connection) is None and connection.scope["path"] not in OWN_CREDENTIAL:
        # With a Bearer token this is safe: a page cannot add that header without asking us first (CORS), and
        # we never consent. With a cookie alone it might be an old browser that says nothing.
        raise HTTPException(
            403,
            _(
                "The request says neither in Sec-Fetch-Site nor in Origin where it comes from. Browsers do; "
                "scripts send “Authorization: Bearer TOKEN”."
            ),
        )


def _check_body(connection: HTTPConnection) -> None:
    headers = connection.headers
    given = headers.get("content-type")
    has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    if given is None and not has_body:
        return
    expected = JSON if connection.scope["path"].startswith(("/api/", "/mcp")) else BODIES
    if (given or "").partition(";")[0].strip().lower() not in expected:
        raise HTTPException(
            415,
            _("The body is of type {seen}; expected one of {expected}.").format(
                seen=given or "-", expected=listed(sorted(expected))
            ),
        )


def _own_origin(connection: HTTPConnection) -> str:
    return f"{connection.scope['scheme']}://{connection.headers['host']}".lower()


def _seen(header: str, seen: str, expected: str) -> str:
    return _(
        "The request comes from another site: {header} was “{seen}”, expected “{expected}”. Open "
        "mcp-webclient itself and try again there."
    ).format(header=header, seen=seen, expected=expected)
