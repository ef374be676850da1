"""htmx in Python: how its requests are recognised, and what its answers say. No other module names an HX- header."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request

NO_SWAP = {"HX-Reswap": "none"}
"""Response headers that make htmx leave the target alone and only place the partials of the response."""


TARGET = "HX-Retarget"
"""The response header with the selector of what is replaced, in place of the target of the button."""


PUSHED_ADDRESS = "HX-Push-Url"
"""The response header with the address for the address bar."""


def is_htmx(request: Request) -> bool:
    """Return whether htmx sent the request and wants a part of a page; a plain form or link wants a page."""
    return request.headers.get("HX-Request") == "true" and not replaces_page(request)


def replaces_page(request: Request) -> bool:
    """Return whether htmx wants a whole page, to replace the present one in its document."""
    return request.headers.get("HX-Request-Type") == "full"


def shown_path(request: Request) -> str:
    """Return the path in the address bar of the page that sent the request; empty without htmx."""
    return urlsplit(request.headers.get("HX-Current-URL", "")).path


def at_address(address: str) -> dict[str, str]:
    """Return response headers that put an address into the address bar and history."""
    return {PUSHED_ADDRESS: address}
