"""Parameters of sampling requests as servers send them."""

from __future__ import annotations

from webclient.domain.model import Json

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
"""A picture of one pixel."""

WEATHER: Json = {
    "name": "get_weather",
    "description": "The weather of a day.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "title": "City"},
            "days": {"type": "integer", "minimum": 1, "maximum": 7},
        },
        "required": ["city"],
    },
}
ANYTHING: Json = {"name": "note", "inputSchema": {"type": "object"}}


def sampling_params(*texts: str, **further: object) -> Json:
    """Return the parameters of a request with these texts of the user."""
    return {"messages": [_message("user", text) for text in texts], "maxTokens": 500, **further}


def with_tools(**further: object) -> Json:
    """Return a request with two tools."""
    return sampling_params("How is the weather in Lisbon?", tools=[WEATHER, ANYTHING], **further)


def second_turn() -> Json:
    """Return the request after the tools were used: with a result, a picture, a failed tool, and a system prompt."""
    uses = [
        {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {"city": "Lisbon"}, "_meta": {"k": 1}},
        {"type": "tool_use", "id": "call_2", "name": "note", "input": {}},
    ]
    results = [
        {
            "type": "tool_result",
            "toolUseId": "call_1",
            "content": [{"type": "text", "text": "Sunny"}, {"type": "image", "mimeType": "image/png", "data": PIXEL}],
        },
        {"type": "tool_result", "toolUseId": "call_2", "isError": True, "content": [{"type": "text", "text": "No"}]},
    ]
    messages = [
        _message("user", "How is the weather in Lisbon?"),
        {"role": "assistant", "content": [{"type": "text", "text": "Let me look."}, *uses]},
        {"role": "user", "content": results},
    ]
    return {"messages": messages, "maxTokens": 500, "tools": [WEATHER, ANYTHING], "systemPrompt": "Be brief."}


def _message(role: str, text: str) -> Json:
    return {"role": role, "content": {"type": "text", "text": text}}
