# mypy: ignore-errors
"""An agent on version 1 of the Python SDK: it calls `ask_form` as a task, polls that, and prints its result.

`tasks_on_mcp_1.py URL SECRET`. It imports nothing of the project, because the Python of that SDK does not have it.
"""

from __future__ import annotations

import asyncio
import json
import sys

from mcp import ClientSession, types
from mcp.client.streamable_http import streamablehttp_client


async def main(url: str, secret: str) -> None:
    async with (
        streamablehttp_client(url, headers={"Authorization": f"Bearer {secret}"}) as (read, write, _session_id),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        task = (await session.experimental.call_tool_as_task("ask_form", {})).task
        async for _status in session.experimental.poll_task(task.taskId):
            pass
        result = await session.experimental.get_task_result(task.taskId, types.CallToolResult)
        sys.stdout.write(json.dumps(result.structuredContent))


asyncio.run(main(*sys.argv[1:]))
