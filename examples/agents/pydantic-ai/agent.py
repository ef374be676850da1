"""An agent of pydantic-ai: each line of its input is a task."""

import asyncio
import os
import sys

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset


async def main() -> None:
    """Do each task with the tools at the gateway."""
    headers = {"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"}
    async with Agent("openai:scripted", toolsets=[MCPToolset(os.environ["MCP_URL"], headers=headers)]) as agent:
        for task in sys.stdin:
            print((await agent.run(task)).output, flush=True)


asyncio.run(main())
