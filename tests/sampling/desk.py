"""A desk for tests of sampling: an inbox, models that a test holds in its hand, and requests of one server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

from webclient.domain.model import (
    Call,
    CallKind,
    InputRequest,
    Json,
    Reason,
    Requester,
    Sampling,
    SamplingRule,
    Server,
    Stage,
    Usage,
)
from webclient.inbox import Inbox
from webclient.sampling import Samplings
from webclient.sampling.llm import Done, ModelFailedError, ModelInfo, Models, Piece, Prices, TextPiece
from webclient.store import Store
from webclient.store.live import Hub

USER = "ada"
TOOL: Json = {
    "name": "weather",
    "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
HELLO: Json = {"role": "user", "content": {"type": "text", "text": "Hello"}}
PARAMS: Json = {"messages": [HELLO], "maxTokens": 100, "systemPrompt": "Be brief."}
PATIENCE = 60.0
"""Seconds after which something that should have happened is taken not to happen."""


def says(text: str = "Hi", **values: Any) -> Json:
    return {"role": "assistant", "content": {"type": "text", "text": text}, "model": "toy"} | values


def uses(city: str = "Bern", **values: Any) -> Json:
    use = {"type": "tool_use", "id": "u1", "name": "weather", "input": {"city": city}} | values
    return {"role": "assistant", "content": [use], "model": "toy", "stopReason": "toolUse"}


@dataclass
class Toy:
    """A model that writes one word, and gives its `answer` when `go` is set, or fails."""

    name: str = "toy"
    answer: Json = field(default_factory=says)
    fails: Reason | None = None
    go: asyncio.Event = field(default_factory=asyncio.Event)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    given: list[Json] = field(default_factory=list)
    stopped: int = 0

    @property
    def info(self) -> ModelInfo:
        return ModelInfo(id=self.name, label=self.name, name=self.name, prices=Prices(input=1e6, output=1e6))

    async def generate(self, params: Json) -> AsyncGenerator[Piece]:
        self.given.append(params)
        done = False
        try:
            yield TextPiece("Well")
            self.started.set()
            await self.go.wait()
            if self.fails:
                raise ModelFailedError(self.fails)
            done = True
            yield Done(self.answer, Usage(input_tokens=3, output_tokens=2, cost=5.0, currency="USD"))
        finally:
            self.stopped += not done

    async def close(self) -> None:
        pass


class Desk:
    """Requests of one server, which its user answers."""

    def __init__(self, store: Store, *models: Toy) -> None:
        self.store = store
        self.hub = Hub()
        self.inbox = Inbox(store, self.hub)
        self.models = Models(models)
        self.samplings = Samplings(store, self.hub, self.inbox, self.models)
        self.server = Server(user_id=USER, label="it", transport={"type": "http", "url": "http://127.0.0.1:9/"})
        self.call = Call(user_id=USER, server_id=self.server.id, server_label="it", kind=CallKind.TOOL, name="work")

    async def open(self, rule: SamplingRule | None = None) -> None:
        """Add the server, with this rule."""
        self.server = replace(self.server, sampling=rule or SamplingRule())
        await self.store.of(USER).servers.add(self.server)

    async def ruled(self, rule: SamplingRule) -> None:
        """Change the rule of the server."""
        self.server = replace(self.server, sampling=rule)
        await self.store.of(USER).servers.change(self.server)

    async def close(self) -> None:
        """Stop everything, as the end of the program does."""
        await self.samplings.close()
        await self.inbox.close()

    async def idle(self) -> None:
        """Wait until no model works any more."""
        await self.samplings.idle()

    async def put(self, params: Json = PARAMS, kind: str = "sampling", **values: Any) -> InputRequest:
        """Put a request as if the server had pushed it."""
        request = InputRequest(
            user_id=USER,
            server_id=self.server.id,
            kind=kind,
            params=params,
            asked_by=Requester(label="it", address="http://127.0.0.1:9/"),
            **values,
        )
        if kind == "sampling" and request.sampling is None:
            request = replace(request, sampling=Sampling(conversation=request.id))
        await self.inbox.put([request])
        return request

    async def newest(self, request: InputRequest) -> InputRequest:
        """Return the request as it is stored now."""
        return await self.store.of(USER).requests.get(request.id)

    async def until(self, request: InputRequest, done: Callable[[InputRequest], bool]) -> InputRequest:
        """Wait until the request is as it should be."""
        async with asyncio.timeout(PATIENCE):
            [newest] = await self.inbox.until([request], lambda rows: done(rows[0]))
        return newest

    async def at(self, request: InputRequest, stage: Stage) -> Sampling:
        """Wait until the request is at a stage, and return where it stands."""
        newest = await self.until(request, lambda row: row.sampling is not None and row.sampling.stage is stage)
        assert newest.sampling
        return newest.sampling

    async def settled(self, request: InputRequest) -> InputRequest:
        """Wait until the request is settled."""
        return await self.until(request, lambda row: not row.pending)


async def soon(waited: Awaitable[Any]) -> Any:
    """Wait for something that should happen soon."""
    return await asyncio.wait_for(waited, PATIENCE)
