"""Puts an answer of the OpenAI chat completions API together, part by part, into pieces and a result of MCP.

What a provider sends is data from outside: parts of a wrong shape are ignored, or end the answer with a reason.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any, Never

from webclient.domain.model import Json, Reason, ReasonCode, Usage
from webclient.sampling.llm import estimate
from webclient.sampling.llm.chat_request import ToolNames
from webclient.sampling.llm.info import ModelInfo
from webclient.sampling.llm.pieces import Done, ModelFailedError, Piece, TextPiece, ToolUsePiece
from webclient.support.standard_json import whole

LARGEST = 1_048_576
"""Characters of an answer; `maxTokens` is checked by the provider alone, so this is the bound that holds."""

MOST_TOOL_USES = 128

_LONGEST_NAME = 200
"""Characters of the names of a model and of a reason to stop."""

_STOP_REASONS = {"stop": "endTurn", "length": "maxTokens", "tool_calls": "toolUse", "function_call": "toolUse"}
_CUT, _FILTERED = "length", "content_filter"


@dataclass(slots=True)
class _ToolUse:
    """A tool use as far as it has come."""

    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class ChatAnswer:
    """An answer as far as it has come: `add` takes the next part, `done` gives the whole.

    `tools` are the names of the tools that the request allows, as MCP has them.
    """

    info: ModelInfo
    host: str
    params: Json
    names: ToolNames
    tools: Collection[str]
    _texts: list[str] = field(default_factory=list)
    _uses: list[_ToolUse] = field(default_factory=list)
    _places: dict[int, int] = field(default_factory=dict)
    _size: int = 0
    _finish: str = ""
    _stop_sequence: bool = False
    _model: str = ""
    _usage: Mapping[str, Any] = field(default_factory=dict)

    def add(self, part: Any) -> Iterator[Piece]:
        """Take the next part, or a whole answer, as plain JSON; yield its pieces. Raises `ModelFailedError`."""
        if not isinstance(part, Mapping):
            self._fail(ReasonCode.MODEL_ANSWER_UNUSABLE, host=self.host)
        if isinstance(part.get("model"), str):
            self._model = part["model"][:_LONGEST_NAME]
        if isinstance(part.get("usage"), Mapping):
            self._usage = part["usage"]
        choices = part.get("choices")
        # One alone is possible here; the last part has none, only the usage.
        for choice in choices[:1] if isinstance(choices, list) else []:
            if isinstance(choice, Mapping):
                yield from self._add_choice(choice)

    def done(self) -> Done:
        """Return the whole answer. Raises `ModelFailedError` if it is not whole, or cannot be sent to a server."""
        if not self._finish:
            self._fail(ReasonCode.MODEL_ANSWER_CUT, host=self.host)
        # A surrogate pair may have come in two parts, so halves are known only now.
        text, uses = whole("".join(self._texts)), list(self._tool_uses())
        if not text.strip() and not uses:
            self._fail_empty()
        block = {"type": "text", "text": text}
        result = {
            "role": "assistant",
            # Servers that have no tools may take one block only, so a text alone is bare.
            "content": ([block] if text.strip() else []) + uses if uses else block,
            "model": whole(self._model) or self.info.name,
            "stopReason": self._stop_reason(has_uses=bool(uses)),
        }
        return Done(result, self._counted(result))

    def _add_choice(self, choice: Mapping[str, Any]) -> Iterator[Piece]:
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, Mapping):
            for text in (*_texts(delta.get("content")), *_texts(delta.get("refusal"))):
                self._measure(text)
                self._texts.append(text)
                yield TextPiece(whole(text))
            calls = delta.get("tool_calls")
            for number, call in enumerate(calls if isinstance(calls, list) else []):
                if isinstance(call, Mapping):
                    yield self._add_call(call, number)
        if isinstance(finish := choice.get("finish_reason"), str):
            self._finish = finish[:_LONGEST_NAME]
        # vLLM names the sequence that it stopped at; others say "stop" for it as well.
        self._stop_sequence |= isinstance(choice.get("stop_reason"), str)

    def _add_call(self, call: Mapping[str, Any], number: int) -> ToolUsePiece:
        given = call.get("function")
        function: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        arguments = function.get("arguments")
        # Some servers send an object where the API has JSON text.
        text = arguments if isinstance(arguments, str) else json.dumps(arguments) if arguments else ""
        self._measure(text)
        place = self._place(call.get("index"), call.get("id"), number)
        use = self._uses[place]
        use.id = use.id or _name(call.get("id"))
        use.name = use.name or self.names.inward(_name(function.get("name")))
        use.arguments += text
        return ToolUsePiece(place, whole(use.name), whole(text))

    def _place(self, index: Any, call_id: Any, number: int) -> int:
        """Return the place of a tool use; some servers give each the index 0, or none, and tell them apart by id."""
        key = index if isinstance(index, int) else number
        place = self._places.get(key)
        known = self._uses[place].id if place is not None else ""
        if place is None or (known and isinstance(call_id, str) and call_id not in ("", known)):
            if len(self._uses) >= MOST_TOOL_USES:
                self._fail_too_large()
            self._uses.append(_ToolUse())
            place = self._places[key] = len(self._uses) - 1
        return place

    def _tool_uses(self) -> Iterator[Json]:
        seen: set[str] = set()
        for use in self._uses:
            # The server, which gave no tools, must not get one to run.
            if not self.tools:
                self._fail(ReasonCode.MODEL_TOOL_NOT_ALLOWED, model=self.info.label, tool=use.name)
            # Each result names its tool use, so ids are never empty and never repeated.
            given = whole(use.id)
            own = given if given and given not in seen else f"call_{token_hex(8)}"
            seen.add(own)
            yield {"type": "tool_use", "id": own, "name": whole(use.name), "input": self._input(use)}

    def _input(self, use: _ToolUse) -> Json:
        try:
            given = whole(json.loads(use.arguments or "{}"))
            # Python reads NaN and 1e999, which JSON cannot hold.
            json.dumps(given, allow_nan=False)
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict) or not use.name:
            code = ReasonCode.MODEL_ARGUMENTS_CUT if self._finish == _CUT else ReasonCode.MODEL_ARGUMENTS_INVALID
            self._fail(code, model=self.info.label, tool=use.name)
        return given

    def _stop_reason(self, *, has_uses: bool) -> str:
        if has_uses:
            return "toolUse"
        if _STOP_REASONS.get(self._finish, self._finish) == "toolUse":
            return "endTurn"
        if self._finish == "stop" and self._stop_sequence:
            return "stopSequence"
        return _STOP_REASONS.get(self._finish, whole(self._finish))

    def _counted(self, result: Json) -> Usage:
        read, written = self._usage.get("prompt_tokens"), self._usage.get("completion_tokens")
        if isinstance(read, int) and isinstance(written, int) and read >= 0 and written >= 0:
            return estimate.usage(self.info, read, written)
        read, written = estimate.tokens_of_request(self.params), estimate.tokens_of(result["content"])
        return estimate.usage(self.info, read, written, is_estimate=True)

    def _measure(self, text: str) -> None:
        self._size += len(text)
        if self._size > LARGEST:
            self._fail_too_large()

    def _fail_too_large(self) -> Never:
        self._fail(ReasonCode.MODEL_ANSWER_TOO_LARGE, model=self.info.label, kilobytes=LARGEST // 1024)

    def _fail_empty(self) -> Never:
        if self._finish == _FILTERED:
            self._fail(ReasonCode.MODEL_ANSWER_FILTERED, host=self.host)
        if self._finish == _CUT:
            # A model that thinks first can use up the limit before it says a word.
            self._fail(ReasonCode.MODEL_LIMIT_TOO_LOW, model=self.info.label)
        self._fail(ReasonCode.MODEL_ANSWER_EMPTY, model=self.info.label)

    def _fail(self, code: ReasonCode, **params: str | int) -> Never:
        raise ModelFailedError(Reason.of(code, **params))


def _texts(content: Any) -> list[str]:
    """Return the texts of a content: a text, or a list of parts of which some have one."""
    if isinstance(content, str):
        return [content] if content else []
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping) and part.get("type") == "text"]
    return [text for text in texts if isinstance(text, str) and text]


def _name(given: Any) -> str:
    return given[:_LONGEST_NAME] if isinstance(given, str) else ""
