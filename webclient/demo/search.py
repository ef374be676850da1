"""`slow_search`: takes its time and says how far it is, for a client that shows progress."""

from __future__ import annotations

from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import Context
from pydantic import BaseModel, Field

from webclient.demo.catalogue import DESTINATIONS

PAUSE = 0.3
"""How long one destination takes, in seconds."""


class Found(BaseModel):
    """The names of the destinations that fit."""

    destinations: list[str]


async def slow_search(
    query: Annotated[str, Field(description="A word to look for, such as sea")], ctx: Context[Any, Any]
) -> Found:
    """Look through the catalogue slowly, and report progress."""
    found: list[str] = []
    for done, (name, words) in enumerate(DESTINATIONS.items()):
        await ctx.report_progress(done, len(DESTINATIONS), f"Looking at {name}")
        await anyio.sleep(PAUSE)
        if query.casefold() in f"{name} {words}".casefold():
            found.append(name)
    await ctx.report_progress(len(DESTINATIONS), len(DESTINATIONS), "Done")
    return Found(destinations=found)
