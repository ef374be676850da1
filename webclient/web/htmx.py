"""htmx in Python: what its requests say and what answers can tell it. No other module names an HX- header."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response


@dataclass(frozen=True, slots=True)
class HtmxDetails:
    """What htmx said about a request; false when a plain form or a link sent it."""

    sent: bool

    def __bool__(self) -> bool:
        return self.sent


def details(request: Request) -> HtmxDetails:
    """Return what htmx said about `request`."""
    return HtmxDetails(sent=request.headers.get("HX-Request") == "true")


def refresh_page(status: int = 200) -> Response:
    """Return an answer upon which htmx loads the whole page again, for example to show the sign-in."""
    return Response(status_code=status, headers={"HX-Refresh": "true"})
