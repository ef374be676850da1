"""htmx in Python: how its requests are recognised. No other module names an HX- header."""

from __future__ import annotations

from starlette.requests import Request

NO_SWAP = {"HX-Reswap": "none"}
"""Response headers that make htmx leave the target alone and only place the partials of the response."""


def is_htmx(request: Request) -> bool:
    """Whether htmx sent the request, rather than a plain form or link."""
    return request.headers.get("HX-Request") == "true"
