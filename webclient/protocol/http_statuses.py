"""What an HTTP server answers in place of a session: its status, what that means here, and what to try."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

import httpx2

from webclient.i18n import gettext as _
from webclient.urls import mask_url

OLD_TRANSPORT = frozenset({400, 404, 405})
"""Statuses after which a server may speak HTTP+SSE (MCP 2025-11-25, Transports, Backwards Compatibility)."""

_EXPECTED = ("application/json", "text/event-stream")
_LONGEST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The answer in place of a session; `content_type` and `location` are the server's words."""

    status: int
    content_type: str = ""
    location: str = ""
    authorized: bool = False
    wants_oauth: bool = False

    @property
    def may_be_other_transport(self) -> bool:
        """Whether the server may speak the other one of the two HTTP transports."""
        return self.status in OLD_TRANSPORT


def refusal_in(response: httpx2.Response) -> Refusal | None:
    """Return what `response` refuses, or None if MCP can follow: a JSON body, an event stream, or none."""
    content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if response.is_success and (content_type in _EXPECTED or response.status_code in (202, 204)):
        return None
    challenge = response.headers.get("www-authenticate", "").lower()
    return Refusal(
        status=response.status_code,
        content_type=content_type[:_LONGEST],
        location=response.headers.get("location", "")[:_LONGEST] if response.is_redirect else "",
        authorized="authorization" in response.request.headers,
        wants_oauth="resource_metadata" in challenge,
    )


def sentences(refusal: Refusal, where: str) -> str:
    """Return what happened at the address `where`, what it means here, and what to try."""
    if refusal.location:
        pattern = _("{where} answered {status} and redirects to {location}. Use that address if you trust it.")
    elif refusal.status == HTTPStatus.UNAUTHORIZED:
        pattern = _unauthorized(refusal)
    elif refusal.status < HTTPStatus.BAD_REQUEST:
        pattern = _not_mcp(refusal)
    else:
        fallback = _failed() if refusal.status >= HTTPStatus.INTERNAL_SERVER_ERROR else _refused()
        pattern = _meanings().get(refusal.status, fallback)
    return pattern.format(
        where=where,
        status=_named(refusal.status),
        location=mask_url(refusal.location),
        kind=refusal.content_type or _("unnamed content"),
    )


def _named(status: int) -> str:
    """Return the status with its phrase (RFC 9110 section 15)."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _unauthorized(refusal: Refusal) -> str:
    if refusal.authorized:
        return _(
            "{where} answered {status}: it did not accept the Authorization header. The token may be wrong or expired; "
            "replace it, then connect again."
        )
    if refusal.wants_oauth:
        return _(
            "{where} answered {status}: it wants you to sign in with OAuth, which is not possible here yet. If the "
            "server also takes a token, add it as an Authorization header."
        )
    return _(
        "{where} answered {status}: it wants to know who you are. Add an Authorization header with a token of this "
        "server."
    )


def _not_mcp(refusal: Refusal) -> str:
    if refusal.content_type in ("text/html", "application/xhtml+xml"):
        return _(
            "{where} answered {status} with a web page, not with MCP. Check the address: it may be that of a website "
            "or a sign-in page. The path of an MCP server often ends with /mcp or /sse."
        )
    return _("{where} answered {status} with {kind}, not with MCP. Check the address.")


def _meanings() -> Mapping[int, str]:
    return {
        400: _(
            "{where} answered {status}: it did not understand the request. Check the address, the transport and the "
            "headers."
        ),
        403: _(
            "{where} answered {status}: it does not allow this access. Check that your token may use this server. A "
            "server on this machine may also refuse the host name of the address."
        ),
        404: _(
            "{where} answered {status}: no MCP server takes messages at this path. Check the address, which often ends "
            "with /mcp, or with /sse for the type sse."
        ),
        405: _(
            "{where} answered {status}: no MCP server takes messages at this path. Check the address and the "
            "transport; an older server may need the type sse."
        ),
        406: _("{where} answered {status}: it does not speak MCP in the way that was asked for. Check the transport."),
        407: _("{where} answered {status}: a proxy on the way wants you to sign in there."),
        429: _("{where} answered {status}: it was asked too often. Wait a while, then connect again."),
        500: _("{where} answered {status}: the server itself failed. Its log may say why; connect again later."),
        502: _("{where} answered {status}: a proxy did not reach the server. Check that it runs; connect again later."),
        503: _("{where} answered {status}: the server is not available now. Check that it runs; connect again later."),
        504: _("{where} answered {status}: a proxy got no answer from the server. Connect again later."),
    }


def _refused() -> str:
    return _("{where} answered {status}: it refused the request. Check the address and the headers.")


def _failed() -> str:
    return _("{where} answered {status}: the server failed. Connect again later.")
