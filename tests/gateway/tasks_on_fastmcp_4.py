# mypy: ignore-errors
"""An agent on FastMCP 4 with `fastmcp-tasks`: it calls `ask_form`, which becomes a task, and prints its result.

`tasks_on_fastmcp_4.py URL SECRET`. It imports nothing of the project, because the Python of FastMCP does not have it.
"""

from __future__ import annotations

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp_tasks import call_tool_task


async def main(url: str, secret: str) -> None:
    transport = StreamableHttpTransport(url, headers={"Authorization": f"Bearer {secret}"})
    async with Client(transport) as client:
        task = await call_tool_task(client, "ask_form", {})
        assert task.task_id
        result = await task.result()
        sys.stdout.write(json.dumps(result.structured_content))


asyncio.run(main(*sys.argv[1:]))
