"""An agent of OpenAI Agents with a scripted model: `pay` waits for a decision. A line of JSON for each run.

`agent.py INBOX TOKEN FILE`: the line `run` starts a run, which ends with its interruptions, and goes on after the
decision; `resume` goes on with the one that FILE keeps.
"""

import asyncio
import json
import sys
import uuid
from pathlib import Path
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, RunState, Usage, function_tool, set_tracing_disabled
from mcp_webclient_client import Inbox
from mcp_webclient_client.frameworks import openai_agents
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

ran: list[float] = []
inbox = Inbox(sys.argv[1], sys.argv[2])
file = Path(sys.argv[3])


class Script(Model):
    """Calls the tool once, then says what came of it."""

    async def get_response(self, *_arguments: Any, **options: Any) -> ModelResponse:
        """Return the next step."""
        given = options["input"]
        last = given[-1] if isinstance(given, list) else {}
        if last.get("type") == "function_call_output":
            text = ResponseOutputText(type="output_text", text=str(last["output"]), annotations=[])
            said: Any = ResponseOutputMessage(
                id=uuid.uuid4().hex, type="message", role="assistant", status="completed", content=[text]
            )
        else:
            said = ResponseFunctionToolCall(
                type="function_call", call_id=uuid.uuid4().hex, name="pay", arguments='{"amount": 250}'
            )
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, *_arguments: Any, **_options: Any) -> Any:
        """Refuse: nothing here streams."""
        raise NotImplementedError("The scripted model does not stream.")


@function_tool
def pay(amount: float) -> str:
    """Send money."""
    ran.append(amount)
    return f"Paid {amount}"


agent = Agent(name="Payer", model=Script(), tools=[openai_agents.approved(inbox, pay)])


async def store() -> None:
    """Run until the tool waits, and keep the run."""
    result = await Runner.run(agent, "Pay.")
    state = result.to_state().to_string()
    await asyncio.to_thread(file.write_text, state, "utf-8")


async def main() -> None:
    """Run as often as there are lines."""
    for line in sys.stdin:
        ran.clear()
        if "run" in line:
            await store()
        state = await RunState.from_string(agent, await asyncio.to_thread(file.read_text, "utf-8"))
        result = await openai_agents.run(inbox, agent, state)
        print(json.dumps({"ran": ran, "said": result.final_output}), flush=True)


set_tracing_disabled(disabled=True)
asyncio.run(main())
