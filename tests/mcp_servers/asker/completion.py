"""Completion of arguments: countries, the cities of the country that is filled in, and values that cause trouble."""

from __future__ import annotations

import asyncio
import json

from mcp.types import Completion, CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference

CITIES = {"France": ["Lyon", "Paris"], "Peru": ["Cusco", "Lima", "<b>Lima\u202e</b>"]}

MANY = 150
"""Values for "many": MCP allows only 100 in one response."""


async def itinerary(country: str, city: str) -> str:
    """Return the text of a trip."""
    return f"A week in {city}, {country}"


async def complete(
    ref: PromptReference | ResourceTemplateReference, argument: CompletionArgument, context: CompletionContext | None
) -> Completion | None:
    """Return values for an argument of `itinerary`, or for the topic of a resource."""
    filled = (context.arguments if context else None) or {}
    match argument.value:
        case "fail":
            raise ValueError("no values today")
        case "slow":
            await asyncio.sleep(600)
        case "many":
            return Completion(values=[f"many {n}" for n in range(100)], total=MANY)
        case "echo":
            return Completion(values=[json.dumps({"ref": ref.model_dump(exclude_none=True), "filled": filled})])
    known = CITIES.get(filled.get("country", ""), []) if argument.name == "city" else list(CITIES)
    found = [each for each in known if each.lower().startswith(argument.value.lower())]
    return Completion(values=found, has_more=False) if found else None
