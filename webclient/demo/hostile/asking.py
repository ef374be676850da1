"""How an attack asks: it pushes `elicitation/create`, any number at once, and remembers every answer.

For 2025-11-25, in which the server alone decides when it asks, and how often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anyio
from mcp import MCPError
from mcp.server.mcpserver import Context
from mcp.shared.message import ServerMessageMetadata
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult

from webclient.demo.hostile.loot import Answer, Loot

Schema = Mapping[str, Any]

NO_FIELDS: Schema = {"type": "object", "properties": {}}


def form(message: str, schema: Schema = NO_FIELDS) -> ElicitRequest:
    """Return a request for a form, with any schema."""
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=dict(schema)))


def link(message: str, url: str) -> ElicitRequest:
    """Return a request to open a link, with any text as its URL."""
    return ElicitRequest(params=ElicitRequestURLParams(message=message, url=url, elicitation_id="hostile"))


class Asking:
    """Asks in the name of one attack; `loot` gets every answer at once, also if the call is cancelled later."""

    def __init__(self, loot: Loot) -> None:
        self._loot = loot

    async def ask(self, ctx: Context, attack: str, request: ElicitRequest) -> Answer:
        """Return the answer to one request."""
        related = ServerMessageMetadata(related_request_id=ctx.request_id)
        try:
            answer = await ctx.session.send_request(request, ElicitResult, metadata=related)
        except MCPError as error:
            got: Answer = {"error": error.error.code}
        else:
            got = {"action": answer.action} | ({"content": answer.content} if answer.content else {})
        self._loot.add(attack, got)
        return got

    async def ask_all(self, ctx: Context, attack: str, requests: Sequence[ElicitRequest]) -> list[Answer]:
        """Send all requests at once, and return the answers as they come."""
        answers: list[Answer] = []

        async def ask_one(request: ElicitRequest) -> None:
            answers.append(await self.ask(ctx, attack, request))

        async with anyio.create_task_group() as group:
            for request in requests:
                group.start_soon(ask_one, request)
        return answers
