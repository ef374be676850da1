"""An agent of Microsoft's Agent Framework with a scripted model: `pay` waits for a decision. JSON for each run.

`agent.py INBOX TOKEN`: each line starts a run.
"""

import asyncio
import json
import sys
import uuid
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)
from mcp_webclient_client import Inbox
from mcp_webclient_client.frameworks import agent_framework

ran: list[float] = []


class Script(FunctionInvocationLayer, BaseChatClient):
    """Calls the tool once, then says what came of it."""

    async def _inner_get_response(self, *, messages: Any, **_options: Any) -> ChatResponse:
        last = messages[-1].contents[-1]
        if last.type == "function_result":
            said = Content.from_text(str(last.result))
        else:
            said = Content.from_function_call(uuid.uuid4().hex, "pay", arguments={"amount": 250})
        return ChatResponse(messages=[Message(role="assistant", contents=[said])])


@tool
def pay(amount: float) -> str:
    """Send money."""
    ran.append(amount)
    return f"Paid {amount}"


async def main() -> None:
    """Run as often as there are lines."""
    inbox = Inbox(sys.argv[1], sys.argv[2])
    agent = Agent(client=Script(), name="payer", tools=[pay], middleware=[agent_framework.approvals(inbox)])
    for _line in sys.stdin:
        ran.clear()
        response = await agent.run("Pay.")
        print(json.dumps({"ran": ran, "said": response.text}), flush=True)


asyncio.run(main())
