"""An agent of pydantic-ai with a scripted model: `pay` waits for a decision. A line of JSON for each run."""

import asyncio
import json
import sys
from typing import Any

from mcp_webclient_client import Inbox
from mcp_webclient_client.frameworks import pydantic_ai
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

ran: list[float] = []


def script(messages: list[Any], _info: Any) -> ModelResponse:
    """Call the tool once, then say what came of it."""
    returned = [part for message in messages for part in message.parts if part.part_kind == "tool-return"]
    if returned:
        return ModelResponse(parts=[TextPart(str(returned[-1].content))])
    return ModelResponse(parts=[ToolCallPart("pay", {"amount": 250})])


async def main() -> None:
    """Run as often as there are lines."""
    agent = Agent(FunctionModel(script), capabilities=[pydantic_ai(Inbox(sys.argv[1], sys.argv[2]))])

    @agent.tool_plain(requires_approval=True)
    def pay(amount: float) -> str:
        """Send money."""
        ran.append(amount)
        return f"Paid {amount}"

    for _line in sys.stdin:
        ran.clear()
        said = (await agent.run("Pay.")).output
        print(json.dumps({"ran": ran, "said": said}), flush=True)


asyncio.run(main())
