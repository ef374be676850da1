"""A visit to the demo server: a connected client, and a person who answers its requests."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from mcp import Client, StdioServerParameters
from mcp.client.session import ClientRequestContext
from mcp.types import CallToolResult, ElicitRequestFormParams, ElicitRequestParams, ElicitResult, TextContent

from tests.mcp_servers import ROOT
from webclient.domain.model import Action, Era, Json

COMMAND = [sys.executable, "-m", "webclient.demo"]
Target = StdioServerParameters | str


def over_stdio(env: dict[str, str] | None = None, module: str = "webclient.demo") -> StdioServerParameters:
    """Return how to start a demo server over stdio."""
    return StdioServerParameters(command=sys.executable, args=["-m", module], env=env, cwd=ROOT)


@dataclass
class Person:
    """Gives one prepared answer to every form, and remembers the requests."""

    answer: ElicitResult = field(default_factory=lambda: ElicitResult(action="cancel"))
    requests: list[ElicitRequestFormParams] = field(default_factory=list)

    async def __call__(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG002
        """Answer, as an elicitation callback of the SDK."""
        assert isinstance(params, ElicitRequestFormParams)
        self.requests.append(params)
        return self.answer


@dataclass
class Visit:
    """A connected client and its person."""

    client: Client
    person: Person

    async def call(
        self, tool: str, arguments: Json | None = None, *, action: Action = Action.CANCEL, content: Json | None = None
    ) -> CallToolResult:
        """Call a tool with a person who gives this answer; `person.requests` then has those of this call."""
        self.person.requests.clear()
        self.person.answer = ElicitResult(action=action.value, content=content)
        return await self.client.call_tool(tool, arguments or {})


@asynccontextmanager
async def visiting(target: Target, era: Era) -> AsyncIterator[Visit]:
    """Connect to `target` in `era`."""
    person = Person()
    mode = "legacy" if era is Era.PUSH else era.value
    async with Client(target, mode=mode, elicitation_callback=person) as client:
        assert client.session.protocol_version == era
        yield Visit(client, person)


def text_of(result: CallToolResult) -> str:
    """Return the one text of a result."""
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text
