"""A graph of LangGraph with a node that waits for a decision, without a model. A line of JSON for each run.

`graph.py INBOX TOKEN FILE`: the line `run` starts a run, and `resume` goes on with the one that FILE keeps.
"""

import asyncio
import json
import sys
from typing import TypedDict

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from mcp_webclient_client import Inbox
from mcp_webclient_client.frameworks.langchain import run

ran: list[float] = []


class State(TypedDict):
    """The amount to pay, and what came of it."""

    amount: float
    said: str


def pay(state: State) -> dict[str, str]:
    """Send money, if a person approves it."""
    decision = interrupt({"type": "tool_approval", "name": "pay", "args": {"amount": state["amount"]}})
    if decision["type"] in {"reject", "respond"}:
        return {"said": decision["message"]}
    edited = decision["type"] == "edit"
    amount = decision["edited_action"]["args"]["amount"] if edited else state["amount"]
    ran.append(amount)
    return {"said": f"Paid {amount}{', as a person changed it' if edited else ''}"}


async def main() -> None:
    """Run as often as there are lines."""
    inbox = Inbox(sys.argv[1], sys.argv[2])
    async with AsyncSqliteSaver.from_conn_string(sys.argv[3]) as saver:
        graph = StateGraph(State).add_node(pay).add_edge(START, "pay").compile(checkpointer=saver)
        for number, line in enumerate(sys.stdin):
            ran.clear()
            config = {"configurable": {"thread_id": f"conversation {number}"}}
            state = await run(inbox, graph, None if "resume" in line else {"amount": 250, "said": ""}, config)
            print(json.dumps({"ran": ran, "said": state.value["said"]}), flush=True)


asyncio.run(main())
