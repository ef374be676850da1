"""A program that runs an agent by AG-UI, here one of pydantic-ai: `pay` waits for a decision. JSON for each run.

`agent.py INBOX TOKEN FILE`: the line `run` starts a run, which is interrupted, and goes on after the decision; `resume`
goes on with the one that FILE keeps. A frontend has the same messages and interrupts.
"""

import asyncio
import json
import sys
import uuid
from pathlib import Path
from typing import Any

from ag_ui.core import AssistantMessage, FunctionCall, Interrupt, Message, RunAgentInput, ToolCall, UserMessage
from mcp_webclient_client import Inbox
from mcp_webclient_client.frameworks import ag_ui
from pydantic import TypeAdapter
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.models.function import DeltaToolCall, FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter

ran: list[float] = []
file = Path(sys.argv[3])
saved = TypeAdapter(tuple[list[Message], list[Interrupt]])


async def script(messages: list[Any], _info: Any) -> Any:
    """Call the tool once, then say what came of it."""
    returned = [part for message in messages for part in message.parts if part.part_kind == "tool-return"]
    if returned:
        yield str(returned[-1].content)
    else:
        yield {0: DeltaToolCall("pay", '{"amount": 250}', tool_call_id=uuid.uuid4().hex)}


agent = Agent(FunctionModel(stream_function=script), output_type=[str, DeferredToolRequests])


@agent.tool_plain(requires_approval=True)
def pay(amount: float) -> str:
    """Send money."""
    ran.append(amount)
    return f"Paid {amount}"


async def run(messages: list[Any], resume: list[Any] | None = None) -> list[Any]:
    """Run the agent, as its address does, and return its events."""
    given = RunAgentInput(
        thread_id="1",
        run_id=uuid.uuid4().hex,
        messages=messages,
        resume=resume,
        state={},
        tools=[],
        context=[],
        forwarded_props={},
    )
    return [event async for event in AGUIAdapter(agent=agent, run_input=given).run_stream()]


async def start() -> None:
    """Run until the agent is interrupted, and keep the messages and the interrupts."""
    messages: list[Any] = [UserMessage(id="1", content="Pay.")]
    events = await run(messages)
    (call,) = [each for each in events if each.type == "TOOL_CALL_START"]
    arguments = "".join(each.delta for each in events if each.type == "TOOL_CALL_ARGS")
    made = ToolCall(id=call.tool_call_id, function=FunctionCall(name=call.tool_call_name, arguments=arguments))
    messages.append(AssistantMessage(id="2", tool_calls=[made]))
    text = saved.dump_json((messages, events[-1].outcome.interrupts)).decode()
    await asyncio.to_thread(file.write_text, text, "utf-8")


async def main() -> None:
    """Run as often as there are lines."""
    inbox = Inbox(sys.argv[1], sys.argv[2])
    for line in sys.stdin:
        ran.clear()
        if "run" in line:
            await start()
        messages, interrupts = saved.validate_json(await asyncio.to_thread(file.read_text, "utf-8"))
        events = await run(messages, await ag_ui.resume(inbox, interrupts, messages))
        said = "".join(each.delta for each in events if each.type == "TEXT_MESSAGE_CONTENT")
        print(json.dumps({"ran": ran, "said": said}), flush=True)


asyncio.run(main())
