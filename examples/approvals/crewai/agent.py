"""An agent of CrewAI with a scripted model: `pay` waits for a decision. A line of JSON for each run.

`agent.py INBOX TOKEN`: each line starts a run.
"""

import json
import sys
import uuid
from typing import Any

from crewai import Agent, BaseLLM
from crewai.tools import tool
from mcp_webclient_client import Inbox
from mcp_webclient_client.frameworks import crewai

ran: list[float] = []


class Script(BaseLLM):
    """Calls the tool once, then says what came of it."""

    def call(self, messages: Any, *_more: Any, **_options: Any) -> Any:
        """Return the next step."""
        results = [each["content"] for each in messages if each["role"] == "tool"]
        if results:
            return str(results[-1])
        function = {"name": "pay", "arguments": '{"amount": 250}'}
        return [{"id": uuid.uuid4().hex, "type": "function", "function": function}]

    def supports_function_calling(self) -> bool:
        """Return that it calls tools by itself, and not in its text."""
        return True


@tool("pay")
def pay(amount: float) -> str:
    """Send money."""
    ran.append(amount)
    return f"Paid {amount}"


crewai.approvals(Inbox(sys.argv[1], sys.argv[2]))
for _line in sys.stdin:
    ran.clear()
    # One for each run: it remembers what a tool returned for the same arguments.
    agent = Agent(role="Payer", goal="Pay", backstory="You pay.", llm=Script(model="script"), tools=[pay])
    print(json.dumps({"ran": ran, "said": agent.kickoff("Pay.").raw}), flush=True)
