"""`python -m tests.mcp_servers.asker`: puts the fixture server together and serves it."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer

from tests.mcp_servers.asker import completion, ordinary, requests, sampling, trouble, updates
from tests.mcp_servers.serving import read_options, serve, state_security

TOOLS = (*requests.TOOLS, *sampling.TOOLS, *trouble.TOOLS, *ordinary.TOOLS, updates.update)


def create_server(state_key: str | None = None) -> MCPServer[Any]:
    """Return the server with all its tools, its prompt and its resource."""
    server: MCPServer[Any] = MCPServer(
        name="asker",
        title="Asker",
        version="1.0",
        log_level="CRITICAL",
        request_state_security=state_security(state_key),
    )
    for tool in TOOLS:
        server.add_tool(tool)
    server.prompt()(requests.asking_prompt)
    server.resource("ask://{topic}")(requests.asking_resource)
    server.prompt()(trouble.needing_prompt)
    server.resource("need://{name}")(trouble.needing_resource)
    server.prompt()(completion.itinerary)
    server.completion()(completion.complete)  # type: ignore[no-untyped-call]
    server.resource("asker://text", mime_type="text/plain")(ordinary.text)
    server.resource(updates.CLOSED, mime_type="text/plain")(updates.closed)
    updates.add_to(server)
    return server


if __name__ == "__main__":
    options = read_options()
    serve(create_server(options.state_key), options)
