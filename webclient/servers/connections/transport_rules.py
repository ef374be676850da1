"""Which transports a page or the API may give a server: an address, and never a command."""

from __future__ import annotations

from webclient.domain.errors import ForbiddenError, InvalidInputError
from webclient.domain.header_rules import wrong_header
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json
from webclient.domain.urls import is_http_url


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
