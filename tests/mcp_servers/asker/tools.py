"""All tools of the asking server: the SDK makes their schemas here, once for all processes of a fork server.

Their schemas take most of the processor time that a start of the server does.
"""

from __future__ import annotations

from mcp.server.mcpserver.tools import Tool

from tests.mcp_servers.asker import ordinary, requests, sampling, trouble, updates

TOOLS = [
    Tool.from_function(function)
    for function in (*requests.TOOLS, *sampling.TOOLS, *trouble.TOOLS, *ordinary.TOOLS, updates.update)
]
