"""The plan of the long trip: three steps of work, with a question after the first and after the second.

Nothing runs meanwhile. Where the work stands follows from when it began, when its questions were answered, and the
clock; so it goes on without any client, and a server that was restarted knows as much as before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mcp.server.mcpserver.exceptions import ToolError

from webclient.demo.catalogue import DESTINATIONS, Destination

Json = dict[str, Any]

FLIGHTS = {"morning": "07:40, 240 EUR", "noon": "12:15, 310 EUR", "night": "23:55, 150 EUR"}
"""The departures, by the value that an answer has."""

NIGHTS = 14
"""The longest stay."""


FIELDS: Mapping[str, tuple[str, Json]] = {
    "flight": (
        "flight",
        {
            "type": "string",
            "title": "Departure",
            "oneOf": [{"const": value, "title": title} for value, title in FLIGHTS.items()],
        },
    ),
    "stay": ("nights", {"type": "integer", "title": "Nights", "minimum": 1, "maximum": NIGHTS, "default": 3}),
}
"""The field of each question: its name and its schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer and its time, in seconds since 1970; `response` is an `ElicitResult` as it came."""

    at: float
    response: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where the work stands since `since`: `asks` is the open question by its key, `result` that of the tool."""

    status: Literal["working", "input_required", "completed"]
    since: float
    message: str
    asks: Mapping[str, Json] = field(default_factory=dict)
    result: Json | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of work: how long it takes in seconds, its message, and the question that it ends with, if any."""

    seconds: float
    message: str
    key: str = ""
    asks: str = ""


STEPS = (
    Step(seconds=15, message="Comparing flights to {place}", key="flight", asks="Which flight to {place}?"),
    Step(seconds=20, message="Holding your seat, looking at hotels in {place}", key="stay", asks="How long a stay?"),
    Step(seconds=15, message="Writing your itinerary for {place}"),
)


def plan_trip(destination: Destination) -> str:
    """Plan a whole trip. Takes about a minute, asks you twice on the way, and goes on while you are away."""
    if destination not in DESTINATIONS:
        raise ToolError(f"{destination!r} is not in the catalogue. It has {', '.join(DESTINATIONS)}.")
    return f"Planning a trip to {destination}"


def stands(destination: str, begun: float, answers: Mapping[str, Answer], now: float, pace: float = 1) -> Standing:
    """Return where the trip stands `now`; `pace` is by how much its steps are longer than planned."""
    at = begun
    for step in STEPS:
        since, at = at, at + step.seconds * pace
        if now < at:
            share = int(100 * (now - since) / (at - since))
            return Standing(status="working", since=since, message=f"{_about(step.message, destination)}: {share} %")
        if not step.key:
            continue
        answer = answers.get(step.key)
        if answer is None:
            asks = {step.key: _request(step, destination)}
            return Standing(status="input_required", since=at, message=_about(step.asks, destination), asks=asks)
        if answer.response.get("action") != "accept":
            return _completed(answer.at, "No trip planned, because you did not answer.")
        at = max(at, answer.at)
    chosen = {key: answer.response.get("content") or {} for key, answer in answers.items()}
    flight, nights = FLIGHTS[chosen["flight"]["flight"]], chosen["stay"]["nights"]
    return _completed(at, f"{destination}: flight at {flight}; {nights} nights in a hotel near the station.")


def fits(key: str, response: Json) -> bool:
    """Return whether a response answers the question `key`: a refusal, or content that fits the form."""
    if response.get("action") in ("decline", "cancel"):
        return True
    content = response.get("content")
    if response.get("action") != "accept" or not isinstance(content, dict):
        return False
    if key == "flight":
        return content.get("flight") in FLIGHTS
    nights = content.get("nights")
    return isinstance(nights, int) and not isinstance(nights, bool) and 1 <= nights <= NIGHTS


def _request(step: Step, destination: str) -> Json:
    name, field_ = FIELDS[step.key]
    schema = {"type": "object", "properties": {name: field_}, "required": [name]}
    message = _about(step.asks, destination)
    return {"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema}}


def _completed(at: float, text: str) -> Standing:
    result = {"content": [{"type": "text", "text": text}], "isError": False}
    return Standing(status="completed", since=at, message="", result=result)


def _about(text: str, destination: str) -> str:
    return text.format(place=destination)
