"""An agent of the Claude Agent SDK with a scripted model: `pay` waits for a decision. A line of JSON for each run.

`agent.py INBOX TOKEN`: each line starts a run. The tool is allowed by the options, and asks all the same.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, create_sdk_mcp_server, query, tool
from mcp_webclient_client import Inbox
from mcp_webclient_client.frameworks import claude

sys.path.append(str(Path(__file__).parents[2] / "agents"))
import model

ran: list[float] = []


def step(said: Any, tools: Any) -> Any:
    """Call the tool once, then say what came of it."""
    results = [number for number, each in enumerate(said) if each.is_result and model.SEARCH not in each.text]
    if results:
        return model.Step(text="\n".join(each.text for each in said[results[0] :]))
    return model._use("pay", {"amount": 250}, tools)


@tool("pay", "Send money.", {"amount": float})
async def pay(given: dict[str, Any]) -> dict[str, Any]:
    """Send money."""
    ran.append(given["amount"])
    return {"content": [{"type": "text", "text": f"Paid {given['amount']}"}]}


async def task() -> AsyncIterator[dict[str, Any]]:
    """Yield the task as a stream, which the permission of tools needs."""
    yield {"type": "user", "message": {"role": "user", "content": "Pay."}}


async def main(address: str, home: str) -> None:
    """Run as often as there are lines."""
    inbox = Inbox(sys.argv[1], sys.argv[2])
    variables = {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "none", "HOME": home}
    options = ClaudeAgentOptions(
        mcp_servers={"bank": create_sdk_mcp_server("bank", tools=[pay])},
        allowed_tools=["mcp__bank"],
        env=variables | {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
        **claude.approvals(inbox, "mcp__bank__.*"),
    )
    while await asyncio.to_thread(sys.stdin.readline):
        ran.clear()
        async for message in query(prompt=task(), options=options):
            if isinstance(message, ResultMessage):
                print(json.dumps({"ran": ran, "said": message.result}), flush=True)


model.next_step = step
with model.scripted_model() as address, tempfile.TemporaryDirectory() as home:
    os.chdir(home)
    asyncio.run(main(address, home))
