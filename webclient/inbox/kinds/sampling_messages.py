"""The messages of sampling: their shape, the rules on tool uses and their results, and the check of an answer.

MCP 2025-11-25 and 2026-07-28, Sampling: "Tool Result Messages", "Tool Use and Result Balance", "Error Handling". The
SDK checks the shape where it reads the message, and none of the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from webclient.content.visible_text import shortened
from webclient.domain.model import Json, Reason, ReasonCode

LONGEST_ERROR = 500
"""Characters that are kept of what a parser says."""


class _Text(TypedDict):
    type: Literal["text"]
    text: str


class _Media(TypedDict):
    type: Literal["image", "audio"]
    data: str
    mimeType: str


class _ToolUse(TypedDict):
    type: Literal["tool_use"]
    id: str
    name: str
    input: Json


class _ToolResult(TypedDict):
    type: Literal["tool_result"]
    toolUseId: str
    content: list[Json]
    isError: NotRequired[bool]


_Block = Annotated[_Text | _Media | _ToolUse | _ToolResult, Field(discriminator="type")]


class _Message(TypedDict):
    role: Literal["user", "assistant"]
    content: _Block | list[_Block]


class _Tool(TypedDict):
    name: str
    inputSchema: Json
    description: NotRequired[str]


class _ToolChoice(TypedDict):
    mode: NotRequired[Literal["auto", "required", "none"]]


_Priority = Annotated[float, Field(ge=0, le=1)]


class _Hint(TypedDict):
    name: NotRequired[str]


class _Preferences(TypedDict):
    hints: NotRequired[list[_Hint]]
    costPriority: NotRequired[_Priority]
    speedPriority: NotRequired[_Priority]
    intelligencePriority: NotRequired[_Priority]


class _Request(TypedDict):
    messages: list[_Message]
    maxTokens: int
    modelPreferences: NotRequired[_Preferences]
    systemPrompt: NotRequired[str]
    includeContext: NotRequired[Literal["none", "thisServer", "allServers"]]
    temperature: NotRequired[float]
    stopSequences: NotRequired[list[str]]
    metadata: NotRequired[Json]
    tools: NotRequired[list[_Tool]]
    toolChoice: NotRequired[_ToolChoice]


class _Result(TypedDict):
    role: Literal["assistant"]
    content: _Block | list[_Block]
    model: str
    stopReason: NotRequired[str]


_REQUEST: TypeAdapter[Any] = TypeAdapter(_Request)
_RESULT: TypeAdapter[Any] = TypeAdapter(_Result)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in a request: `reason` for the person, `message` for the server."""

    reason: Reason
    message: str


def blocks(message: Mapping[str, Any]) -> list[Json]:
    """Return the content of a message or result as a list: it may be one block."""
    content = message.get("content")
    return content if isinstance(content, list) else [content] if isinstance(content, dict) else []


def of_type(message: Mapping[str, Any], kind: str) -> list[Json]:
    """Return the blocks of this type in a message or result."""
    return [block for block in blocks(message) if block.get("type") == kind]


def fault_in(params: Json) -> Fault | None:
    """Return what is wrong with the parameters of a sampling request; None if they keep all rules."""
    try:
        _REQUEST.validate_python(params, strict=True)
    except (ValidationError, RecursionError) as error:
        return _malformed(error)
    if params["maxTokens"] < 1:
        return Fault(Reason(ReasonCode.SAMPLING_NO_TOKENS), "maxTokens must be at least 1")
    return next(_faults_of_messages(params["messages"]), None)


def _malformed(error: Exception) -> Fault:
    said = first_error(error) if isinstance(error, ValidationError) else "nested too deep"
    return Fault(Reason.of(ReasonCode.MALFORMED, error=said), f"Invalid request parameters: {said}")


def _faults_of_messages(messages: list[Json]) -> Iterator[Fault]:
    awaited: set[str] = set()
    for message in messages:
        results, uses = of_type(message, "tool_result"), of_type(message, "tool_use")
        if (results and message["role"] != "user") or (uses and message["role"] != "assistant"):
            yield Fault(
                Reason(ReasonCode.SAMPLING_WRONG_ROLE), "Only assistants use tools, and only users give their results"
            )
        if results and len(results) < len(blocks(message)):
            yield Fault(Reason(ReasonCode.SAMPLING_RESULTS_MIXED), "Tool results mixed with other content")
        if awaited - {each["toolUseId"] for each in results}:
            yield _MISSING
        awaited = {each["id"] for each in uses}
    if awaited:
        yield _MISSING


_MISSING = Fault(Reason(ReasonCode.SAMPLING_RESULT_MISSING), "Tool result missing in request")


def misshapen(result: Any) -> str:
    """Return why something is not the result of a sampling request, in a parser's words; "" if it is one."""
    try:
        _RESULT.validate_python(result, strict=True)
    except ValidationError as error:
        return first_error(error)
    except RecursionError:
        return "nested too deep"
    return ""


def first_error(error: ValidationError) -> str:
    """Return the telling error of a parser with its place, shortened."""
    # Where one of several shapes would do, the error that lies deepest is that of the shape that was meant.
    found = max(error.errors(include_url=False, include_input=False), key=lambda each: len(each["loc"]))
    # The steps through such a choice are names of our own.
    where = ".".join(str(step) for step in found["loc"] if not str(step).startswith(("_", "tagged-union", "list[")))
    return shortened(f"{where}: {found['msg']}" if where else found["msg"], LONGEST_ERROR)
