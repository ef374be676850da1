"""The destinations, as a client reads them: a resource, a resource template, and a prompt that takes an argument."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from pydantic import Field

DESTINATIONS = {
    "Lisbon": "Seven hills, yellow trams, and the sea at the end of the street.",
    "Kyoto": "Temples, gardens and quiet lanes; maples in November.",
    "Tromsø": "Northern lights in winter, midnight sun in summer.",
    "Cusco": "The old Inca capital at 3400 metres: go up slowly.",
}
"""Destinations, and a sentence about each."""

Destination = Annotated[str, Field(description=f"For example {next(iter(DESTINATIONS))}")]


def catalogue() -> str:
    """List every destination with a sentence about it."""
    return "\n".join(f"{name}: {words}" for name, words in DESTINATIONS.items())


def destination(name: str) -> str:
    """One destination; a name that is not in the catalogue is an error that the client can show."""
    if name not in DESTINATIONS:
        raise ResourceNotFoundError(f"{name!r} is not in the catalogue. It has {', '.join(DESTINATIONS)}.")
    return f"{name}: {DESTINATIONS[name]}"


def packing_list(destination: Destination) -> str:
    """Return a prompt for a packing list."""
    return f"Write a packing list for a week in {destination}. Keep it to what fits in a cabin bag."
