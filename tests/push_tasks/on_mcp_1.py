# mypy: ignore-errors
"""A server of 2025-11-25 on version 1 of the Python SDK, whose tools run as tasks; started with the Python of that SDK.

`on_mcp_1.py PORT` listens at /mcp, `on_mcp_1.py` speaks over stdio.
"""

from __future__ import annotations

from typing import Any

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from run_on_mcp_1 import run

NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
TOOLS = {
    "greet": ("required", "Asks for a name, and greets."),
    "slow": ("optional", "Works until it is cancelled."),
    "quick": ("optional", "Is done at once."),
    "broken": ("required", "Raises an error."),
    "wrong": ("required", "Has a result that is an error."),
    "steps": ("required", "Reports three steps."),
    "twice": ("required", "Asks for a name, and for another one after go_on."),
    "go_on": (None, "Has twice go on."),
    "plain": (None, "Runs without a task."),
}

server: Server[Any, Any] = Server("tasks-on-mcp-1")
server.experimental.enable_tasks()
going_on = anyio.Event()


@server.list_tools()
async def list_tools() -> list[types.Tool]:
    return [
        types.Tool(
            name=name,
            description=description,
            inputSchema={"type": "object"},
            execution=types.ToolExecution(taskSupport=support) if support else None,
        )
        for name, (support, description) in TOOLS.items()
    ]


@server.call_tool()
async def call_tool(name: str, _arguments: dict[str, Any]) -> Any:
    context = server.request_context
    token = context.meta.progressToken if context.meta else None
    if name == "go_on":
        going_on.set()
    if not context.experimental.is_task:
        return _said(f"{name} without a task")

    async def work(task: Any) -> types.CallToolResult:
        match name:
            case "greet":
                answer = await task.elicit(message="What is your name?", requestedSchema=NAME)
                return _said(f"{answer.action}: {(answer.content or {}).get('name')}")
            case "twice":
                first = await task.elicit(message="What is your name?", requestedSchema=NAME)
                await task.update_status("Brewing tea")
                await going_on.wait()
                second = await task.elicit(message="And for whom is the other cup?", requestedSchema=NAME)
                return _said(" and ".join((each.content or {}).get("name", "") for each in (first, second)))
            case "slow":
                await task.update_status("Brewing tea")
                await anyio.sleep_forever()
            case "broken":
                raise ValueError("the kettle is broken")
            case "wrong":
                return types.CallToolResult(content=_said("no tea").content, isError=True)
            case "steps":
                for step in range(1, 4):
                    await context.session.send_progress_notification(token, step, 3, f"step {step}")
                answer = await task.elicit(message="Go on?", requestedSchema=NAME)
                await context.session.send_progress_notification(token, 4, 4, "the last step")
        return _said(f"{name} as a task")

    return await context.experimental.run_task(work)


def _said(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


if __name__ == "__main__":
    run(server)
