"""A server with what the server scenarios of the official suite look for: `python -m tests.mcp_servers.scenarios`."""

from __future__ import annotations

import base64
import json
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.types import (
    AudioContent,
    Completion,
    CompletionArgument,
    CompletionContext,
    EmbeddedResource,
    EmptyResult,
    ImageContent,
    PromptReference,
    ResourceTemplateReference,
    SetLevelRequestParams,
    TextContent,
    TextResourceContents,
)
from pydantic import BaseModel

from tests.mcp_servers.asker import updates
from tests.mcp_servers.serving import read_options, serve, state_security

PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
SOUND = base64.b64encode(b"RIFF").decode()


class Reply(BaseModel):
    """Answer to the question of `test_elicitation`."""

    response: str


def _embedded(uri: str, text: str, mime_type: str = "text/plain") -> EmbeddedResource:
    return EmbeddedResource(resource=TextResourceContents(uri=uri, mime_type=mime_type, text=text))


def test_simple_text() -> str:
    """Return a text."""
    return "This is a simple text response for testing."


def test_image_content() -> ImageContent:
    """Return a picture."""
    return ImageContent(data=PICTURE, mime_type="image/png")


def test_audio_content() -> AudioContent:
    """Return a sound."""
    return AudioContent(data=SOUND, mime_type="audio/wav")


def test_embedded_resource() -> EmbeddedResource:
    """Return a resource."""
    return _embedded("test://embedded-resource", "This is an embedded resource content.")


def test_multiple_content_types() -> list[TextContent | ImageContent | EmbeddedResource]:
    """Return three kinds of content."""
    return [
        TextContent(text="Multiple content types test:"),
        ImageContent(data=PICTURE, mime_type="image/png"),
        _embedded("test://mixed-content-resource", json.dumps({"test": "data", "value": 123}), "application/json"),
    ]


async def test_tool_with_logging(ctx: Context[Any, Any]) -> str:
    """Log three messages."""
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.info(text)
    return "logged"


async def test_tool_with_progress(ctx: Context[Any, Any]) -> str:
    """Report three steps."""
    for step in (0, 50, 100):
        await ctx.report_progress(step, 100, f"Completed step {step} of 100")
    return "done"


async def test_elicitation(message: str, ctx: Context[Any, Any]) -> str:
    """Ask a person."""
    return str((await ctx.elicit(message, Reply)).action)


async def test_error_handling() -> str:
    """Fail."""
    raise RuntimeError("This tool intentionally returns an error for testing")


async def test_trigger_tool_change(ctx: Context[Any, Any]) -> str:
    """Notify of changed tools."""
    await ctx.notify_tools_changed()
    return "changed"


async def test_trigger_prompt_change(ctx: Context[Any, Any]) -> str:
    """Notify of changed prompts."""
    await ctx.notify_prompts_changed()
    return "changed"


TOOLS = (
    test_simple_text,
    test_image_content,
    test_audio_content,
    test_embedded_resource,
    test_multiple_content_types,
    test_tool_with_logging,
    test_tool_with_progress,
    test_elicitation,
    test_error_handling,
    test_trigger_tool_change,
    test_trigger_prompt_change,
)


def test_simple_prompt() -> str:
    """Return a message."""
    return "This is a simple prompt for testing."


def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """Return a message with both arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803  (named by the suite)
    """Return a resource, and what to do with it."""
    return [UserMessage(_embedded(resourceUri, "Embedded resource content.")), UserMessage("Process the resource.")]


def test_prompt_with_image() -> list[UserMessage]:
    """Return a picture, and what to do with it."""
    return [UserMessage(ImageContent(data=PICTURE, mime_type="image/png")), UserMessage("Analyze the image.")]


PROMPTS = (test_simple_prompt, test_prompt_with_arguments, test_prompt_with_embedded_resource, test_prompt_with_image)


def text() -> str:
    """Return a text."""
    return "This is the content of the static text resource."


def picture() -> bytes:
    """Return a picture."""
    return base64.b64decode(PICTURE)


def data(id: str) -> str:  # noqa: A002  (named by the suite)
    """Return what the template gives for an ID."""
    return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


async def complete(
    _ref: PromptReference | ResourceTemplateReference, _argument: CompletionArgument, _context: CompletionContext | None
) -> Completion:
    """Return no value."""
    return Completion(values=[], total=0, has_more=False)


async def _set_level(_ctx: ServerRequestContext[Any, Any], _params: SetLevelRequestParams) -> EmptyResult:
    return EmptyResult()


def create_server() -> MCPServer[Any]:
    """Return the server."""
    server: MCPServer[Any] = MCPServer(
        name="scenarios", version="1", log_level="CRITICAL", request_state_security=state_security(None)
    )
    for tool in TOOLS:
        server.tool()(tool)
    for prompt in PROMPTS:
        server.prompt()(prompt)
    server.resource("test://static-text", mime_type="text/plain")(text)
    server.resource("test://watched-resource", mime_type="text/plain")(text)
    server.resource("test://static-binary", mime_type="image/png")(picture)
    server.resource("test://template/{id}/data", mime_type="application/json")(data)
    server.completion()(complete)  # type: ignore[no-untyped-call]
    updates.add_to(server)
    server._lowlevel_server.add_request_handler("logging/setLevel", SetLevelRequestParams, _set_level)
    return server


if __name__ == "__main__":
    serve(create_server(), read_options())
