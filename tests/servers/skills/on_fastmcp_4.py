# mypy: ignore-errors
"""Skills with FastMCP 4: serves those of a folder over stdio, or reads those of a server and prints them.

`on_fastmcp_4.py serve FOLDER`, or `on_fastmcp_4.py read URL SECRET`. It runs with the Python that has FastMCP 4, and
imports nothing of ours.
"""

from __future__ import annotations

import asyncio
import json
import sys

from fastmcp import Client, FastMCP
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.skills.client import SkillsClientExtension
from fastmcp.skills.provider import SkillsDirectoryProvider


def serve(folder: str) -> None:
    """Serve the skills of a folder until stdin ends."""
    server = FastMCP("skills-on-fastmcp-4")
    server.add_provider(SkillsDirectoryProvider(folder))
    server.run(show_banner=False, log_level="warning")


async def read(url: str, secret: str) -> None:
    """Print the text of each `SKILL.md` by the name of its skill; the client verifies it."""
    transport = StreamableHttpTransport(url, headers={"Authorization": f"Bearer {secret}"})
    async with Client(transport, extensions=[SkillsClientExtension()]) as client:
        found = {each.frontmatter.name: await client.read_skill(each.uri) for each in await client.list_skills()}
    sys.stdout.write(json.dumps({name: str(skill) for name, skill in found.items()}))


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "serve":
        serve(*rest)
    else:
        asyncio.run(read(*rest))
