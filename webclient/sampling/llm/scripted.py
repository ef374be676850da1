"""A model that follows a script: for the demo and for tests, without a provider, a key or a network.

It behaves as a model does: it streams, uses only the tools of the request, and stops at `maxTokens`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

from webclient.domain.model import Json, Reason, ReasonCode
from webclient.sampling.llm import estimate
from webclient.sampling.llm.chat_request import allowed_tools
from webclient.sampling.llm.info import ModelInfo
from webclient.sampling.llm.pieces import Done, ModelFailedError, Piece, TextPiece, ToolUsePiece

_RESULTS = "{results}"
"""The placeholder for the texts of the newest tool results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer of the script, given if all of its conditions hold.

    Conditions: `tool` is a tool of the request, `turn` is the number of the answer in the conversation, from 1, and
    `says` is part of the last message. The answer: `text`, in which `{results}` stands for the newest tool results,
    and `uses`, pairs of a tool and its input. With `fails`, there is none. `pause` are seconds between two words.
    """

    text: str = ""
    uses: Sequence[tuple[str, Json]] = ()
    tool: str | None = None
    turn: int | None = None
    says: str | None = None
    fails: Reason | None = None
    pause: float = 0


@dataclass(frozen=True, slots=True)
class ScriptedModel:
    """A model whose answer is the first reply of the script that fits the conversation."""

    info: ModelInfo
    script: Sequence[Reply] = field(default=())

    async def generate(self, params: Json) -> AsyncGenerator[Piece]:
        """Yield the answer word by word, then its tool uses. Raises `ModelFailedError` if the reply says so."""
        reply = self._reply(params)
        if reply.fails:
            raise ModelFailedError(reply.fails)
        text = reply.text.replace(_RESULTS, "\n".join(_results(params)))
        words, is_cut = _cut(text, params.get("maxTokens"))
        for word in words:
            await asyncio.sleep(reply.pause)
            yield TextPiece(word)
        uses = [] if is_cut else reply.uses
        for index, (name, given) in enumerate(uses):
            yield ToolUsePiece(index, name, json.dumps(given))
        yield self._done(params, "".join(words), uses, is_cut=is_cut)

    async def close(self) -> None:
        """There is nothing to close."""

    def _reply(self, params: Json) -> Reply:
        fitting = (reply for reply in self.script if _fits(reply, params))
        if (found := next(fitting, None)) is None:
            raise ModelFailedError(Reason.of(ReasonCode.MODEL_HAS_NO_REPLY, model=self.info.label))
        return found

    def _done(self, params: Json, text: str, uses: Sequence[tuple[str, Json]], *, is_cut: bool) -> Done:
        block: Json = {"type": "text", "text": text}
        blocks = [
            {"type": "tool_use", "id": f"call_{token_hex(8)}", "name": name, "input": given} for name, given in uses
        ]
        result = {
            "role": "assistant",
            # A server without tools may expect one block, so a text alone is bare.
            "content": ([block] if text else []) + blocks if blocks else block,
            "model": self.info.name,
            "stopReason": "toolUse" if blocks else "maxTokens" if is_cut else "endTurn",
        }
        written = estimate.tokens_of(result["content"])
        usage = estimate.usage(self.info, estimate.tokens_of_request(params), written, is_estimate=True)
        return Done(result, usage)


def _fits(reply: Reply, params: Json) -> bool:
    messages = params.get("messages") or []
    tools = allowed_tools(params)
    turn = 1 + sum(message.get("role") == "assistant" for message in messages)
    said = "\n".join(_texts(messages[-1])) if messages else ""
    return (
        (reply.tool is None or reply.tool in tools)
        and (reply.turn is None or reply.turn == turn)
        and (reply.says is None or reply.says in said)
        and all(name in tools for name, _input in reply.uses)
    )


def _cut(text: str, most: Any) -> tuple[list[str], bool]:
    """Return the words of a text, of which there are `most` at most, and whether some were left out."""
    words = [word + " " for word in text.split(" ")]
    words[-1] = words[-1].removesuffix(" ")
    most = most if isinstance(most, int) else len(words)
    return words[:most], len(words) > most


def _results(params: Json) -> Iterator[str]:
    messages = params.get("messages") or []
    for block in _blocks(messages[-1]) if messages else []:
        if block.get("type") == "tool_result":
            yield from _texts(block)


def _texts(holder: Mapping[str, Any]) -> Iterator[str]:
    yield from (str(block.get("text", "")) for block in _blocks(holder) if block.get("type") == "text")


def _blocks(holder: Mapping[str, Any]) -> list[Json]:
    content = holder.get("content")
    return content if isinstance(content, list) else [content] if isinstance(content, dict) else []
