"""Checks the transport that a page or the API gives a server: an address with HTTP headers, and never a command.

A header that cannot be sent is refused early, in a sentence without its value: it would fail later, inside a library
whose error repeats the value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from webclient.domain.errors import ForbiddenError, InvalidInputError
from webclient.domain.i18n import N_, Deferred
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json
from webclient.domain.urls import is_http_url

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""RFC 9110 section 5.6.2, token."""

_VALUE = re.compile(r"[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?|")
"""RFC 9110 section 5.5: visible characters, spaces and tabs between them; the HTTP client sends ASCII alone."""

_FRAMING = frozenset({"connection", "content-length", "transfer-encoding"})
"""Headers that frame a message; the HTTP client sets them."""

LONGEST_VALUE = 8192
"""Characters; servers refuse more (nginx takes 8 kB by default)."""


def wrong_header(headers: Mapping[str, str]) -> Deferred | None:
    """Return a sentence about the first invalid header, or None; values are never repeated."""
    for name, value in headers.items():
        if not _NAME.fullmatch(name):
            return Deferred("A header name is not valid: use letters, digits and hyphens only, such as Authorization.")
        if wrong := _wrong_value(name, value):
            return Deferred(wrong, name=name)
    return None


def _wrong_value(name: str, value: str) -> str | None:
    if name.lower() in _FRAMING:
        return N_("The header {name} cannot be set: it is written for each message.")
    if value.rstrip("\r\n") != value and "\n" not in value.strip() and "\r" not in value.strip():
        return N_("The value of the header {name} ends with a line break. Remove it where the value comes from.")
    if len(value) > LONGEST_VALUE:
        return N_("The value of the header {name} is too long.")
    if not _VALUE.fullmatch(value):
        return N_(
            "The value of the header {name} contains a character that cannot be sent: use visible ASCII characters, "
            "with no line break, and no space at either end."
        )
    return None


def has_credentials(transport: Json) -> bool:
    """Return whether the user's own configuration says who they are; then nothing signs in besides."""
    names = {name.lower() for name in transport.get("headers") or {}}
    return "authorization" in names or "@" in urlsplit(transport.get("url", "")).netloc


def check_transport(transport: Json) -> None:
    """Check a transport; raises ForbiddenError for stdio, InvalidInputError for a wrong field."""
    if transport.get("type") not in ("http", "sse"):
        # A client of the page or the API must not be able to start a program on this machine.
        raise ForbiddenError(
            _("Only http and sse servers can be added here. A stdio server runs a command; put it in the config file.")
        )
    if not is_http_url(str(transport.get("url", ""))):
        message = _("The address must start with http:// or https:// and name a host.")
        raise InvalidInputError(message, {"url": message})
    if wrong := wrong_header(transport.get("headers") or {}):
        raise InvalidInputError(wrong, {"headers": str(wrong)})
