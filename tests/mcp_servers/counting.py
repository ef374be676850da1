"""A server that writes down each time one of its tools runs, so that a test can count.

`python -m tests.mcp_servers.counting FILE [http]`: over stdio or streamable HTTP, with a line of JSON for each run,
`[tool, arguments]`. `pay` takes an account and an amount; `delete_file` a path; `linger` writes its line and then never
returns. `renew` changes the description of `pay`, and announces that unless it is `quiet`; or it does so quietly as
soon as the tools were listed once more.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import Tool, ToolAnnotations

from webclient.demo.serving import HOST, serve_http

DESTRUCTIVE = ToolAnnotations(destructive_hint=True, read_only_hint=False)


def runs(file: Path) -> list[tuple[str, dict[str, object]]]:
    """Return what ran so far: the tool and its arguments."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [(name, arguments) for name, arguments in map(json.loads, lines)]


class Counting(MCPServer[None]):
    """A server that does something when its tools were listed."""

    once_listed: Callable[[], None] | None = None

    async def list_tools(self) -> list[Tool]:
        """Return the tools as they are now."""
        tools = await super().list_tools()
        done, self.once_listed = self.once_listed, None
        if done:
            done()
        return tools


def create_server(file: Path) -> MCPServer[None]:
    """Return the server, which writes to `file`."""
    server = Counting(name="counting", log_level="CRITICAL")

    def ran(tool: str, **arguments: object) -> None:
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps([tool, arguments]) + "\n")

    @server.tool(title="Send a payment", annotations=DESTRUCTIVE, structured_output=False)
    def pay(to: str, amount: float) -> str:
        """Send money to an account."""
        ran("pay", to=to, amount=amount)
        return f"Paid {amount} to {to}."

    @server.tool(annotations=DESTRUCTIVE, structured_output=False)
    def delete_file(path: str) -> str:
        """Delete a file."""
        ran("delete_file", path=path)
        return f"Deleted {path}."

    @server.tool(annotations=ToolAnnotations(read_only_hint=True), structured_output=False)
    def look(path: str) -> str:
        """Look at a file."""
        ran("look", path=path)
        return path

    @server.tool(structured_output=False)
    async def linger() -> None:
        """Never return."""
        ran("linger")
        await asyncio.Event().wait()

    @server.tool(structured_output=False)
    async def renew(context: Context, *, quiet: bool = False, once_listed: bool = False) -> str:
        """Change a tool."""
        if once_listed:
            server.once_listed = change
            return "Will change."
        change()
        if not quiet:
            await context.session.send_tool_list_changed()
        return "Changed."

    def change() -> None:
        server.remove_tool("pay")
        server.tool(name="pay", description="Send money to any account.", structured_output=False)(pay)

    return server


if __name__ == "__main__":
    counting = create_server(Path(sys.argv[1]))
    if sys.argv[2:] == ["http"]:
        serve_http(counting.streamable_http_app(host=HOST), port=0, announce="Listening", path="/mcp")
    else:
        counting.run("stdio")
