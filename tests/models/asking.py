"""Requests to models, and a provider in this process, for the tests of models."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest

from webclient.domain.model import Json, ReasonCode
from webclient.sampling.llm import Done, ModelFailedError, ModelInfo, Models, Piece, Prices, TextPiece
from webclient.sampling.llm.openai_model import OpenAIModel
from webclient.sampling.llm.provider import ModelProvider

URL = "https://models.example.com/v1"
KEY = "sk-the-key-that-nobody-sees"
INFO = ModelInfo(id="acme", label="Acme", name="acme-1", host="models.example.com", prices=Prices(input=1, output=2))


def user(*blocks: str | Json) -> Json:
    """Return a message of the user; a text becomes a block."""
    return message("user", *blocks)


def assistant(*blocks: str | Json) -> Json:
    """Return a message of the assistant; a text becomes a block."""
    return message("assistant", *blocks)


def message(role: str, *blocks: str | Json) -> Json:
    """Return a message; a single block is bare, as most servers send it."""
    content = [{"type": "text", "text": each} if isinstance(each, str) else each for each in blocks]
    return {"role": role, "content": content[0] if len(content) == 1 else content}


def tool(name: str, **properties: Json) -> Json:
    """Return a tool with these properties in its input schema."""
    return {"name": name, "description": f"About {name}", "inputSchema": {"type": "object", "properties": properties}}


def use(name: str, tool_use_id: str = "call_1", **given: Any) -> Json:
    """Return the block of a tool use."""
    return {"type": "tool_use", "id": tool_use_id, "name": name, "input": given}


def result(tool_use_id: str, *content: Json | str, **values: Any) -> Json:
    """Return the block of a tool result; a text becomes a block."""
    blocks = [{"type": "text", "text": each} if isinstance(each, str) else each for each in content]
    return {"type": "tool_result", "toolUseId": tool_use_id, "content": blocks, **values}


def request(*messages: Json, **params: Any) -> Json:
    """Return the parameters of a sampling request."""
    return {"messages": list(messages), "maxTokens": 100, **params}


WEATHER = request(user("Where is it warm?"), tools=[tool("weather.now", city={"type": "string"}), tool("trains")])
"""A request with two tools; a provider does not allow the name of the first."""


def part(delta: Json | None = None, finish: str | None = None, **values: Any) -> Json:
    """Return a part of a streamed answer."""
    return {"model": "acme-1-2026", "choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}], **values}


def call(index: int | None = 0, name: str | None = None, arguments: Any = None, call_id: str | None = None) -> Json:
    """Return the delta of a tool call."""
    given = {"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}
    return {"tool_calls": [{key: value for key, value in given.items() if value is not None}]}


def events(parts: Iterable[Json], end: str = "data: [DONE]\n\n") -> str:
    """Return parts as a stream of events."""
    return "".join(f"data: {json.dumps(each)}\n\n" for each in parts) + end


def streamed(*parts: Json, end: str = "data: [DONE]\n\n") -> httpx2.Response:
    """Return the response with a streamed answer."""
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, text=events(parts, end))


def refused(status: int, message: str = "", **error: Any) -> httpx2.Response:
    """Return an error of OpenAI's shape."""
    return httpx2.Response(status, json={"error": {"message": message, **error}})


HELLO = (part({"content": "Hel"}), part({"content": "lo"}), part(finish="stop"))


@dataclass
class FakeProvider:
    """A provider in this process: it gives these answers one after the other, and keeps the requests."""

    answers: Sequence[httpx2.Response | Exception]
    requests: list[httpx2.Request] = field(default_factory=list)

    def model(self, info: ModelInfo = INFO, **values: Any) -> OpenAIModel:
        """Return a model of this provider."""
        given: dict[str, Any] = {"url": URL, "key": KEY} | values
        return OpenAIModel(info, ModelProvider(transport=httpx2.MockTransport(self._answer), **given))

    @property
    def bodies(self) -> list[Json]:
        """The bodies of the requests."""
        return [json.loads(each.content) for each in self.requests]

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


class Slow(httpx2.AsyncByteStream):
    """A body that gives its chunks, then an error, or else nothing more until it is closed."""

    def __init__(self, *chunks: str, ends_with: Exception | None = None) -> None:
        self._chunks = chunks
        self._ends_with = ends_with
        self.closed = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk.encode()
        if self._ends_with:
            raise self._ends_with
        await asyncio.Event().wait()

    async def aclose(self) -> None:
        """Note that the client has gone."""
        self.closed.set()


async def run(model: Any, params: Json) -> tuple[list[Piece], Done]:
    """Run a model; return its pieces and the end."""
    models = Models([model])
    try:
        pieces = [piece async for piece in models.generate(model.info.id, params)]
    finally:
        await models.close()
    assert isinstance(pieces[-1], Done)
    return pieces[:-1], pieces[-1]


async def answered(*parts: Json, params: Json | None = None, **values: Any) -> Done:
    """Return the end of a streamed answer of these parts."""
    return (await run(FakeProvider([streamed(*parts)]).model(**values), params or request(user("hi"))))[1]


async def failure(answer: httpx2.Response | Exception, params: Json | None = None, **values: Any) -> ModelFailedError:
    """Return the error that a model raises for this answer."""
    with pytest.raises(ModelFailedError) as raised:
        await run(FakeProvider([answer]).model(**values), params or request(user("hi")))
    return raised.value


async def code(answer: httpx2.Response | Exception, params: Json | None = None, **values: Any) -> ReasonCode:
    """Return the code of the reason for which a model fails."""
    error = await failure(answer, params, **values)
    assert error.reason
    assert KEY not in str(error)
    return error.reason.code


def text_of(pieces: Iterable[Piece]) -> str:
    """Return the text of pieces."""
    return "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))
