# mypy: ignore-errors
"""A server whose own authorization server keeps its clients in memory alone; `forgetful.py PORT`.

It runs with the Python that has FastMCP 3 (asks by pushing) or 4 (asks in rounds), and imports nothing of ours.
"""

from __future__ import annotations

import sys

from fastmcp import Context, FastMCP
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions

try:
    from mcp.types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult
except ImportError:
    InputRequiredResult = None

port = int(sys.argv[1])
server = FastMCP(
    "forgetful",
    auth=InMemoryOAuthProvider(
        base_url=f"http://127.0.0.1:{port}",
        client_registration_options=ClientRegistrationOptions(enabled=True),
        revocation_options=RevocationOptions(enabled=True),
    ),
)
DRINK = {"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}

if InputRequiredResult:

    @server.tool
    async def order(context: Context) -> str | InputRequiredResult:
        """Asks for a drink in a round."""
        if context.request_state is None:
            form = ElicitRequest(params=ElicitRequestFormParams(message="Which drink?", requested_schema=DRINK))
            return InputRequiredResult(input_requests={"drink": form}, request_state="asked")
        return f"ordered {context.input_responses['drink'].content['value']}"

else:

    @server.tool
    async def order(context: Context) -> str:
        """Asks for a drink by pushing."""
        return f"ordered {(await context.elicit('Which drink?', response_type=str)).data}"


server.run("http", host="127.0.0.1", port=port, path="/mcp", show_banner=False, log_level="warning")
