"""An agent around FastMCP's client, which has no loop of its own: each line of its input is a task."""

import asyncio
import json
import os
import sys

from fastmcp import Client
from openai import AsyncOpenAI


async def main() -> None:
    """Do each task with the tools at the gateway."""
    async with Client(os.environ["MCP_URL"], auth=os.environ["MCP_TOKEN"]) as trips:
        listed = [(tool.name, tool.description, tool.input_schema) for tool in await trips.list_tools()]
        keys = ("name", "description", "parameters")
        tools = [{"type": "function", "function": dict(zip(keys, each, strict=True))} for each in listed]
        for task in sys.stdin:
            messages: list = [{"role": "user", "content": task}]
            while True:
                answer = await AsyncOpenAI().chat.completions.create(model="scripted", messages=messages, tools=tools)
                messages.append(message := answer.choices[0].message)
                for call in message.tool_calls or []:
                    arguments = json.loads(call.function.arguments)
                    result = await trips.call_tool(call.function.name, arguments, raise_on_error=False)
                    text = "\n".join(block.text for block in result.content if block.type == "text")
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
                if not message.tool_calls:
                    break
            print(message.content, flush=True)


asyncio.run(main())
