# mypy: ignore-errors
"""A server of 2025-11-25 on version 1 of the Python SDK that asks as tasks; started with the Python of that SDK.

`asking_on_mcp_1.py PORT` listens at /mcp, `asking_on_mcp_1.py` speaks over stdio.
"""

from __future__ import annotations

import asyncio
from typing import Any

from mcp import McpError, types
from mcp.server.lowlevel import Server
from run_on_mcp_1 import run

NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
TOOLS = {
    "ask": "Asks for a name, and waits for it.",
    "ask_later": "Asks for a name, and returns the task.",
    "fetch": "Waits for the name of a task, from any session.",
    "ask_aside": "Asks for a name, and comes back for it in this session, after go_on.",
    "wait_aside": "Asks for a name, and waits for the result in this session.",
    "go_on": "Has it come back for the name, and returns that.",
    "haiku": "Asks for a message, and waits for it.",
    "withdraw": "Asks for a name, and cancels the task.",
    "known": "Lists the ids of its tasks.",
}

server: Server[Any, Any] = Server("asking-on-mcp-1")
server.experimental.enable_tasks()
aside: list[asyncio.Task[str]] = []
released = asyncio.Event()


@server.list_tools()
async def list_tools() -> list[types.Tool]:
    return [
        types.Tool(name=name, description=description, inputSchema={"type": "object"})
        for name, description in TOOLS.items()
    ]


@server.call_tool()
async def call_tool(name: str, arguments: dict[str, Any]) -> list[types.TextContent]:
    try:
        text = await RUN[name](server.request_context.session, arguments)
    except McpError as error:
        text = f"error {error.error.code}"
    return [types.TextContent(type="text", text=text)]


async def ask(session: Any, _arguments: dict[str, Any]) -> str:
    return _said(await session.experimental.elicit_as_task(message="What is your name?", requestedSchema=NAME))


async def ask_later(session: Any, _arguments: dict[str, Any]) -> str:
    params = types.ElicitRequestFormParams(
        message="What is your name?", requestedSchema=NAME, task=types.TaskMetadata(ttl=1000)
    )
    created = await session.send_request(
        types.ServerRequest(types.ElicitRequest(params=params)), types.CreateTaskResult
    )
    return created.task.taskId


async def fetch(session: Any, arguments: dict[str, Any]) -> str:
    async for _status in session.experimental.poll_task(arguments["task"]):
        pass
    return await _result(session, arguments["task"])


async def ask_aside(session: Any, arguments: dict[str, Any]) -> str:
    task = await ask_later(session, arguments)

    async def come_back() -> str:
        await released.wait()
        return await fetch(session, {"task": task})

    aside.append(asyncio.create_task(come_back()))
    return task


async def wait_aside(session: Any, arguments: dict[str, Any]) -> str:
    task = await ask_later(session, arguments)
    aside.append(asyncio.create_task(_result(session, task)))
    return task


async def go_on(_session: Any, _arguments: dict[str, Any]) -> str:
    released.set()
    return await aside[0]


async def haiku(session: Any, _arguments: dict[str, Any]) -> str:
    content = types.TextContent(type="text", text="Write a haiku.")
    message = await session.experimental.create_message_as_task(
        [types.SamplingMessage(role="user", content=content)], max_tokens=50
    )
    return message.content.text


async def withdraw(session: Any, arguments: dict[str, Any]) -> str:
    params = types.CancelTaskRequestParams(taskId=await ask_later(session, arguments))
    cancel = types.ServerRequest(types.CancelTaskRequest(params=params))
    return (await session.send_request(cancel, types.CancelTaskResult)).status


async def known(session: Any, _arguments: dict[str, Any]) -> str:
    listed = await session.send_request(types.ServerRequest(types.ListTasksRequest()), types.ListTasksResult)
    return " ".join(task.taskId for task in listed.tasks)


async def _result(session: Any, task: str) -> str:
    return _said(await session.experimental.get_task_result(task, types.ElicitResult))


def _said(answer: types.ElicitResult) -> str:
    return f"{answer.action}: {(answer.content or {}).get('name')}"


RUN = {
    "ask": ask,
    "ask_later": ask_later,
    "fetch": fetch,
    "ask_aside": ask_aside,
    "wait_aside": wait_aside,
    "go_on": go_on,
    "haiku": haiku,
    "withdraw": withdraw,
    "known": known,
}


if __name__ == "__main__":
    run(server)
