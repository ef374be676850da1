"""`python -m tests.mcp_servers.asker`: puts the fixture server together and serves it."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer

from tests.mcp_servers.asker import completion, ordinary, requests, trouble, updates
from tests.mcp_servers.asker.tools import TOOLS
from tests.mcp_servers.serving import read_options, serve, state_security


def create_server(state_key: str | None = None) -> MCPServer[Any]:
    """Return the server with all its tools, its prompt and its resource."""
    server: MCPServer[Any] = MCPServer(
        name="asker",
        title="Asker",
        version="1.0",
        tools=TOOLS,
        log_level="CRITICAL",
        request_state_security=state_security(state_key),
    )
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
