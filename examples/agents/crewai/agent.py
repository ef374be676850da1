"""An agent of CrewAI: each line of its input is a task."""

import os
import sys

from crewai import Agent
from crewai.mcp import MCPServerHTTP

headers = {"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"}
trips = MCPServerHTTP(url=os.environ["MCP_URL"], headers=headers)
agent = Agent(role="Travel agent", goal="Book trips", backstory="You book trips.", llm="openai/gpt-5", mcps=[trips])
for task in sys.stdin:
    print(agent.kickoff(task).raw, flush=True)
