"""An agent of pydantic-ai with a scripted model: `pay` waits for a decision. A line of JSON for each run.

`agent.py INBOX TOKEN FILE [stored]`: the line `run` starts a run. With `stored`, it ends with its requests, which FILE
keeps, and goes on after the decision; `resume` goes on with the one that FILE keeps.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from mcp_webclient_client import Inbox
from mcp_webclient_client.frameworks.pydantic_ai import approvals
from pydantic import TypeAdapter
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

ran: list[float] = []
asking = approvals(Inbox(sys.argv[1], sys.argv[2]))
file = Path(sys.argv[3])
requests_in = TypeAdapter(DeferredToolRequests)


def script(messages: list[Any], _info: Any) -> ModelResponse:
    """Call the tool once, then say what came of it."""
    returned = [part for message in messages for part in message.parts if part.part_kind == "tool-return"]
    if returned:
        return ModelResponse(parts=[TextPart(str(returned[-1].content))])
    return ModelResponse(parts=[ToolCallPart("pay", {"amount": 250})])


agent = Agent(FunctionModel(script), output_type=[str, DeferredToolRequests])


@agent.tool_plain(requires_approval=True)
def pay(amount: float) -> str:
    """Send money."""
    ran.append(amount)
    return f"Paid {amount}"


def store() -> None:
    """Run until the tool waits, and keep the run."""
    result = agent.run_sync("Pay.")
    history, requests = result.all_messages_json(), requests_in.dump_json(result.output)
    file.write_text(json.dumps([history.decode(), requests.decode()]), "utf-8")


def go_on() -> Any:
    """Go on with the run that is kept, once the person has decided."""
    history, requests = json.loads(file.read_text("utf-8"))
    results = asyncio.run(asking.results(requests_in.validate_json(requests)))
    messages = ModelMessagesTypeAdapter.validate_json(history)
    return agent.run_sync(message_history=messages, deferred_tool_results=results, capabilities=[asking])


for line in sys.stdin:
    ran.clear()
    if "stored" not in sys.argv:
        ended = agent.run_sync("Pay.", capabilities=[asking])
    else:
        if "run" in line:
            store()
        ended = go_on()
    print(json.dumps({"ran": ran, "said": ended.output}), flush=True)
