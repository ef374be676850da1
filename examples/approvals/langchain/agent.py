"""An agent of LangChain with a scripted model: `pay` waits for a decision. A line of JSON for each run.

`agent.py INBOX TOKEN FILE [batched]`: the line `run` starts a run, and `resume` goes on with the one that FILE keeps.
"""

import asyncio
import json
import sys
import uuid
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from mcp_webclient_client import Inbox
from mcp_webclient_client.frameworks.langchain import run

ran: list[float] = []


class Script(BaseChatModel):
    """Calls the tool once, then says what came of it."""

    @property
    def _llm_type(self) -> str:
        return "script"

    def bind_tools(self, *_tools: Any, **_options: Any) -> "Script":
        """Return itself: it knows the tool."""
        return self

    def _generate(self, messages: list[Any], *_stop: Any, **_options: Any) -> ChatResult:
        last = messages[-1]
        if last.type == "tool":
            said = AIMessage(str(last.content))
        else:
            call = {"name": "pay", "args": {"amount": 250}, "id": uuid.uuid4().hex}
            said = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=said)])


@tool
def pay(amount: float) -> str:
    """Send money."""
    ran.append(amount)
    return f"Paid {amount}"


async def main() -> None:
    """Run as often as there are lines."""
    inbox = Inbox(sys.argv[1], sys.argv[2])
    mode = "batched" if "batched" in sys.argv else "per_call"
    middleware = HumanInTheLoopMiddleware(interrupt_on={"pay": True}, interrupt_mode=mode)
    async with AsyncSqliteSaver.from_conn_string(sys.argv[3]) as saver:
        agent = create_agent(Script(), [pay], middleware=[middleware], checkpointer=saver)
        for number, line in enumerate(sys.stdin):
            ran.clear()
            config = {"configurable": {"thread_id": f"conversation {number}"}}
            given = None if "resume" in line else {"messages": [("user", "Pay.")]}
            state = await run(inbox, agent, given, config)
            said = state.value["messages"][-1].content
            print(json.dumps({"ran": ran, "said": said}), flush=True)


asyncio.run(main())
