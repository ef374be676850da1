"""`postcard`: returns several kinds of content at once, as a result may: text, an image, a link and structured data."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, ImageContent, ResourceLink, TextContent
from pydantic import BaseModel

from webclient.demo.catalogue import DESTINATIONS, Destination
from webclient.demo.pictures import BEACH_PNG


class Postcard(BaseModel):
    """The text of the postcard."""

    destination: str
    greeting: str


def postcard(destination: Destination) -> Annotated[CallToolResult, Postcard]:
    """Return a postcard: text, an image, a link to the destination, and the same as structured data."""
    if destination not in DESTINATIONS:
        raise ToolError(f"{destination!r} is not in the catalogue. It has {', '.join(DESTINATIONS)}.")
    card = Postcard(destination=destination, greeting=f"Greetings from {destination}!")
    link = ResourceLink(
        type="resource_link",
        uri=f"trip://destinations/{quote(destination)}",
        name=destination,
        description=DESTINATIONS[destination],
        mime_type="text/plain",
    )
    picture = ImageContent(type="image", data=BEACH_PNG, mime_type="image/png")
    words = TextContent(type="text", text=card.greeting)
    return CallToolResult(content=[words, picture, link], structured_content=card.model_dump())
