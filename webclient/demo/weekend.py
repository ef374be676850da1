"""`plan_weekend`: borrows the language model of the client, which may use a tool of this server.

Each turn of the conversation is a resolver that depends on the one before. This server runs the tool that the model
uses, and asks again with the whole conversation. The same functions serve clients of both eras: for 2026-07-28 each
turn is a round of the call, and for 2025-11-25 a request during it.
"""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver import Resolve, Sample
from mcp.types import (
    CreateMessageResultWithTools,
    ModelPreferences,
    SamplingMessage,
    TextContent,
    Tool,
    ToolChoice,
    ToolResultContent,
    ToolUseContent,
)
from pydantic import Field

FORECAST = {
    "Lisbon": "sunny, 19 °C",
    "Kyoto": "light rain, 11 °C",
    "Tromsø": "snow, −6 °C",
    "Cusco": "clouds, 16 °C",
}
"""The weather of the weekend, which is the same in every week."""

WEATHER = Tool(
    name="weather",
    description="The weather of this weekend at one destination.",
    input_schema={
        "type": "object",
        "properties": {"destination": {"type": "string", "title": "Destination", "enum": list(FORECAST)}},
        "required": ["destination"],
    },
)

PROMPT = "You plan trips for a travel desk. Compare the weather of two destinations, then recommend one."
PREFERENCES = ModelPreferences(speed_priority=0.8, intelligence_priority=0.3)

Wish = Annotated[str, Field(description="What the weekend should be like")]
Answer = CreateMessageResultWithTools


def ask(messages: list[SamplingMessage], mode: str = "auto") -> Sample:
    """Return the request for the next turn; with the mode "none", the model cannot use the tool again."""
    return Sample(
        messages,
        max_tokens=300,
        system_prompt=PROMPT,
        model_preferences=PREFERENCES,
        tools=[WEATHER],
        tool_choice=ToolChoice.model_validate({"mode": mode}),
    )


def opening(wish: str) -> list[SamplingMessage]:
    """Return the first message."""
    return [SamplingMessage(role="user", content=TextContent(text=f"Where should I go this weekend? I want {wish}."))]


def continued(messages: list[SamplingMessage], answer: Answer) -> list[SamplingMessage]:
    """Return the conversation with an answer and the results of its tools."""
    results = [run_tool(use) for use in uses_of(answer)]
    return [
        *messages,
        SamplingMessage(role="assistant", content=answer.content),
        SamplingMessage(role="user", content=[*results]),
    ]


def uses_of(answer: Answer) -> list[ToolUseContent]:
    """Return the tools that an answer uses."""
    return [block for block in answer.content_as_list if isinstance(block, ToolUseContent)]


def run_tool(use: ToolUseContent) -> ToolResultContent:
    """Return the result of a tool; a model can use any name and any input, so a wrong one is an error for it."""
    destination = use.input.get("destination")
    if use.name != WEATHER.name or not isinstance(destination, str) or destination not in FORECAST:
        text = TextContent(text=f"There is only the tool “weather”, and it knows {', '.join(FORECAST)}.")
        return ToolResultContent(tool_use_id=use.id, content=[text], is_error=True)
    text = TextContent(text=f"{destination}: {FORECAST[destination]}")
    return ToolResultContent(tool_use_id=use.id, content=[text])


def first_turn(wish: str) -> Sample:
    """Ask which weather the model wants to know."""
    return ask(opening(wish))


def second_turn(wish: str, first: Annotated[Answer, Resolve(first_turn)]) -> Sample | Answer:
    """Ask again with the weather; an answer that uses no tool is the last one."""
    return ask(continued(opening(wish), first)) if uses_of(first) else first


def last_turn(
    wish: str,
    first: Annotated[Answer, Resolve(first_turn)],
    second: Annotated[Answer, Resolve(second_turn)],
) -> Sample | Answer:
    """Ask for the recommendation, without another use of the tool."""
    return ask(continued(continued(opening(wish), first), second), "none") if uses_of(second) else second


def plan_weekend(
    answer: Annotated[Answer, Resolve(last_turn)],
    wish: Wish = "somewhere warm",  # noqa: ARG001  (the turns take it)
) -> str:
    """Recommend a destination for the weekend. Borrows the language model of your client, and lets it use a tool."""
    return "\n".join(block.text for block in answer.content_as_list if isinstance(block, TextContent))
