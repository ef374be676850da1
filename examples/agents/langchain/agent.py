"""An agent of LangChain: each line of its input is a task."""

import asyncio
import os
import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient


async def main() -> None:
    """Do each task with the tools at the gateway."""
    headers = {"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"}
    trips = {"transport": "streamable_http", "url": os.environ["MCP_URL"], "headers": headers}
    agent = create_agent("openai:scripted", await MultiServerMCPClient({"trips": trips}).get_tools())
    for task in sys.stdin:
        done = await agent.ainvoke({"messages": [{"role": "user", "content": task}]})
        print(done["messages"][-1].text, flush=True)


asyncio.run(main())
