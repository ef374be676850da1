"""HTTP responses in place of a session: what the status means here, and what to try."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

import httpx2

from webclient.domain.model import Reason, ReasonCode
from webclient.domain.reasons import parameters
from webclient.domain.urls import mask_url

OLD_TRANSPORT = frozenset({400, 404, 405})
"""Statuses after which a server may speak HTTP+SSE (MCP 2025-11-25, Transports, Backwards Compatibility)."""

_EXPECTED = ("application/json", "text/event-stream")
_LONGEST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRefusal:
    """A response in place of a session; `content_type` and `location` are the server's text."""

    status: int
    content_type: str = ""
    location: str = ""
    authorized: bool = False
    wants_oauth: bool = False

    @property
    def may_be_other_transport(self) -> bool:
        """Whether the server may use the other one of the two HTTP transports."""
        return self.status in OLD_TRANSPORT


def is_temporary(response: httpx2.Response) -> bool:
    """Return whether the same request may succeed later, because the error seems temporary."""
    status = response.status_code
    return status == HTTPStatus.TOO_MANY_REQUESTS or (response.is_server_error and status != HTTPStatus.NOT_IMPLEMENTED)


def refusal_in(response: httpx2.Response) -> HttpRefusal | None:
    """Return the refusal, or None if the response may be MCP: JSON, an event stream, or empty."""
    content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if response.is_success and (content_type in _EXPECTED or response.status_code in (202, 204)):
        return None
    challenge = response.headers.get("www-authenticate", "").lower()
    return HttpRefusal(
        status=response.status_code,
        content_type=content_type[:_LONGEST],
        location=response.headers.get("location", "")[:_LONGEST] if response.is_redirect else "",
        authorized="authorization" in response.request.headers,
        wants_oauth="resource_metadata" in challenge,
    )


def refusal_reason(refusal: HttpRefusal, where: str) -> Reason:
    """Return the reason for a refusal by the server at the address `where`."""
    code = _code(refusal)
    known = {
        "where": where,
        "status": _named(refusal.status),
        "location": mask_url(refusal.location),
        "kind": refusal.content_type,
    }
    return Reason(code, {name: known[name] for name in parameters(code)})


def _code(refusal: HttpRefusal) -> ReasonCode:
    if refusal.location:
        return ReasonCode.HTTP_REDIRECT
    if refusal.status == HTTPStatus.UNAUTHORIZED:
        return _unauthorized(refusal)
    if refusal.status < HTTPStatus.BAD_REQUEST:
        return _not_mcp(refusal)
    is_server_error = refusal.status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return _CODES.get(refusal.status, ReasonCode.HTTP_SERVER_ERROR if is_server_error else ReasonCode.HTTP_CLIENT_ERROR)


def _named(status: int) -> str:
    """Return the status with its phrase (RFC 9110 section 15)."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _unauthorized(refusal: HttpRefusal) -> ReasonCode:
    if refusal.authorized:
        return ReasonCode.HTTP_TOKEN_REJECTED
    return ReasonCode.HTTP_OAUTH_REQUIRED if refusal.wants_oauth else ReasonCode.HTTP_UNAUTHORIZED


def _not_mcp(refusal: HttpRefusal) -> ReasonCode:
    if refusal.content_type in ("text/html", "application/xhtml+xml"):
        return ReasonCode.HTTP_WEB_PAGE
    return ReasonCode.HTTP_OTHER_CONTENT if refusal.content_type else ReasonCode.HTTP_UNNAMED_CONTENT


_CODES = {
    400: ReasonCode.HTTP_BAD_REQUEST,
    403: ReasonCode.HTTP_FORBIDDEN,
    404: ReasonCode.HTTP_NOT_FOUND,
    405: ReasonCode.HTTP_METHOD_NOT_ALLOWED,
    406: ReasonCode.HTTP_NOT_ACCEPTABLE,
    407: ReasonCode.HTTP_PROXY_SIGN_IN,
    429: ReasonCode.HTTP_TOO_MANY_REQUESTS,
    500: ReasonCode.HTTP_INTERNAL_SERVER_ERROR,
    502: ReasonCode.HTTP_BAD_GATEWAY,
    503: ReasonCode.HTTP_SERVICE_UNAVAILABLE,
    504: ReasonCode.HTTP_GATEWAY_TIMEOUT,
}
"""The statuses that have a reason code of their own."""
