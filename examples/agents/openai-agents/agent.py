"""An agent of the OpenAI Agents SDK: each line of its input is a task."""

import asyncio
import os
import sys

from agents import Agent, Runner
from agents.mcp import MCPServerStreamableHttp


async def main() -> None:
    """Do each task with the tools at the gateway."""
    headers = {"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"}
    async with MCPServerStreamableHttp({"url": os.environ["MCP_URL"], "headers": headers}) as server:
        agent = Agent(name="Travel agent", model="scripted", mcp_servers=[server])
        for task in sys.stdin:
            print((await Runner.run(agent, task)).final_output, flush=True)


asyncio.run(main())
