"""htmx in Python: what its requests say. No other module names an HX- header."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

LEAVE = {"HX-Reswap": "none"}
"""Headers upon which htmx leaves the target as it is, and puts only the parts of an answer in their places."""


@dataclass(frozen=True, slots=True)
class HtmxDetails:
    """What htmx said about a request; false when a plain form or a link sent it."""

    sent: bool

    def __bool__(self) -> bool:
        return self.sent


def details(request: Request) -> HtmxDetails:
    """Return what htmx said about `request`."""
    return HtmxDetails(sent=request.headers.get("HX-Request") == "true")
