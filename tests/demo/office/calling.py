"""An MCP client of one of the office's people, in either era, whose person does what a test says with the link."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import httpx2
from mcp import Client, MCPError
from mcp.client.session import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp.types import (
    CallToolResult,
    ElicitCompleteNotification,
    ElicitRequestParams,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequiredResult,
)

from tests.loopback import tls
from webclient.domain.model import Action, Era

PUSH, ROUNDS = Era.PUSH, Era.ROUNDS
ERAS = (PUSH, ROUNDS)
ACCEPT = ElicitResult(action="accept")

Visit = Callable[[str], Awaitable[None]]
"""The person's visit to the link."""


@dataclass
class Caller:
    """A connected client. `links` are those that it was sent, `completed` the ids that were notified."""

    client: Client
    era: Era
    links: list[str] = field(default_factory=list)
    completed: list[str] = field(default_factory=list)
    received: list[str] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    answer: Action = Action.ACCEPT
    visit: Visit | None = None
    _visits: list[asyncio.Task[None]] = field(default_factory=list)

    async def call(self, tool: str, visit: Visit | None = None, answer: Action = Action.ACCEPT) -> str:
        """Call a tool and return its text; the person opens the link, if they accept."""
        self.visit, self.answer = visit, answer
        result = await self._finished(await self.begin(tool), tool)
        self.received.append(result.model_dump_json())
        for going_on in self._visits:
            await going_on
        return "\n".join(getattr(content, "text", "") for content in result.content)

    async def begin(self, tool: str, **more: Any) -> CallToolResult | InputRequiredResult:
        """Call a tool once."""
        result: CallToolResult | InputRequiredResult = await self.client.session.call_tool(
            tool, {}, allow_input_required=True, **more
        )
        return result

    async def required(self, tool: str) -> MCPError:
        """Call a tool that must fail, and return its error."""
        try:
            result = await self.begin(tool)
        except MCPError as error:
            self.received.append(str(error.error))
            return error
        raise AssertionError(f"{tool} did not fail: {result}")

    async def link_of(self, tool: str) -> str:
        """Call a tool that asks, and return the link alone; the call of 2025-11-25 goes on."""
        if self.era is ROUNDS:
            result = await self.begin(tool)
            assert isinstance(result, InputRequiredResult)
            return self._take(result)
        sent = asyncio.get_running_loop().create_future()

        async def keep(link: str) -> None:
            sent.set_result(link)

        self.visit, self.answer = keep, Action.ACCEPT
        self._visits.append(asyncio.ensure_future(_ignoring_its_end(self.begin(tool))))
        return str(await sent)

    async def on_elicitation(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG002
        """Answer, as an elicitation callback of the SDK."""
        assert isinstance(params, ElicitRequestURLParams)
        assert params.elicitation_id
        assert params.elicitation_id in params.url
        self._open(params.url)
        return ElicitResult(action=self.answer.value)

    async def on_message(self, message: object) -> None:
        """Note a completion, as a message handler of the SDK."""
        if isinstance(message, ElicitCompleteNotification):
            self.completed.append(message.params.elicitation_id)
            self.news.set()

    def stop(self) -> None:
        """Give up what goes on."""
        for going_on in self._visits:
            going_on.cancel()

    async def _finished(self, result: CallToolResult | InputRequiredResult, tool: str) -> CallToolResult:
        while isinstance(result, InputRequiredResult):
            self.received.append(result.model_dump_json())
            link = self._take(result)
            if self.answer is Action.ACCEPT and self.visit:
                await self.visit(link)
            [key] = result.input_requests or {}
            again = {key: ElicitResult(action=self.answer.value)}
            result = await self.begin(tool, input_responses=again, request_state=result.request_state)
        return result

    def _take(self, result: InputRequiredResult) -> str:
        [request] = (result.input_requests or {}).values()
        assert isinstance(request.params, ElicitRequestURLParams)
        self.links.append(request.params.url)
        return request.params.url

    def _open(self, link: str) -> None:
        self.links.append(link)
        if self.answer is Action.ACCEPT and self.visit:
            self._visits.append(asyncio.ensure_future(self.visit(link)))


async def _ignoring_its_end(call: Awaitable[object]) -> None:
    with suppress(MCPError):
        await call


@asynccontextmanager
async def calling(url: str, token: str, era: Era) -> AsyncIterator[Caller]:
    """Connect to the office as the person with this token."""
    caller: Caller | None = None

    async def on_elicitation(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        assert caller
        return await caller.on_elicitation(context, params)

    async def on_message(message: object) -> None:
        if caller:
            await caller.on_message(message)

    async with httpx2.AsyncClient(
        headers={"Authorization": f"Bearer {token}"},
        timeout=httpx2.Timeout(30, read=None),
        trust_env=False,
        verify=tls(),
    ) as http:
        transport = streamable_http_client(url, http_client=http)
        mode = "legacy" if era is PUSH else era.value
        async with Client(
            transport, mode=mode, elicitation_callback=on_elicitation, message_handler=on_message
        ) as client:
            caller = Caller(client, era)
            try:
                yield caller
            finally:
                caller.stop()


__all__ = ["ACCEPT", "ERAS", "PUSH", "ROUNDS", "Caller", "calling"]
