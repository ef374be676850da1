"""An agent of Google ADK with a scripted model: `pay` waits for a decision. A line of JSON for each run.

`agent.py INBOX TOKEN`: each line starts a run.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

from google.adk.agents import Agent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from mcp_webclient_client import Inbox
from mcp_webclient_client.frameworks import google_adk

ran: list[float] = []


class Script(BaseLlm):
    """Calls the tool once, then says what came of it."""

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:
        """Yield the next step."""
        del stream
        last = llm_request.contents[-1].parts[-1]
        if last.function_response:
            part = types.Part(text=json.dumps(last.function_response.response))
        else:
            part = types.Part(function_call=types.FunctionCall(name="pay", args={"amount": 250}))
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def pay(amount: float) -> str:
    """Send money."""
    ran.append(amount)
    return f"Paid {amount}"


async def main() -> None:
    """Run as often as there are lines."""
    inbox = Inbox(sys.argv[1], sys.argv[2])
    agent = Agent(name="payer", model=Script(model="script"), tools=[pay], **google_adk.approvals(inbox))
    runner = InMemoryRunner(agent=agent)
    for _line in sys.stdin:
        ran.clear()
        events = await runner.run_debug("Pay.", quiet=True)
        print(json.dumps({"ran": ran, "said": events[-1].content.parts[-1].text}), flush=True)


asyncio.run(main())
