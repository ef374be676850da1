"""An agent of the Claude Agent SDK: each line of its input is a task."""

import asyncio
import os
import sys

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query


async def main() -> None:
    """Do each task with the tools at the gateway."""
    headers = {"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"}
    trips = {"type": "http", "url": os.environ["MCP_URL"], "headers": headers}
    options = ClaudeAgentOptions(mcp_servers={"trips": trips}, allowed_tools=["mcp__trips"])
    for task in sys.stdin:
        async for message in query(prompt=task, options=options):
            if isinstance(message, ResultMessage):
                print(message.result, flush=True)


asyncio.run(main())
