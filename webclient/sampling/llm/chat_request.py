"""Turns the parameters of MCP's `sampling/createMessage` into a request of the OpenAI chat completions API.

Pure functions. What that API cannot say is said in text (a tool's error), sent in the next message (a picture among
the results of a tool), or refused before anything is sent (`UnsupportedContentError`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from webclient.domain.model import Json
from webclient.support import standard_json
from webclient.support.standard_json import whole

MOST_STOP_SEQUENCES = 4
"""More are refused by OpenAI; the client MAY change `stopSequences` (MCP 2025-11-25, Sampling)."""

_AUDIO_FORMATS = {
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/vnd.wave": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
}

_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_NOT_IN_TOOL_NAME = re.compile(r"[^A-Za-z0-9_-]", re.ASCII)
_DIGEST = 8


class UnsupportedContentError(Exception):
    """A message has content that the model cannot be sent; `kind` is its type."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepts:
    """The content, besides text, that a model can be sent."""

    images: bool = True
    audio: bool = False


class ToolNames:
    """Names of tools as the API allows them (64 of A–Z, a–z, 0–9, “_” and “-”), and back.

    MCP's names may have dots and 128 characters, and real ones have more. A changed name ends in a digest, so that two
    tools never share one.
    """

    def __init__(self) -> None:
        self._originals: dict[str, str] = {}

    def outward(self, name: str) -> str:
        """Return the name that the model gets."""
        if _TOOL_NAME.fullmatch(name):
            return name
        digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
        changed = f"{_NOT_IN_TOOL_NAME.sub('_', name)[: 63 - _DIGEST]}_{digest}"
        self._originals[changed] = name
        return changed

    def inward(self, name: str) -> str:
        """Return MCP's name for a name that the model gave."""
        return self._originals.get(name, name)


def messages(params: Json, accepts: Accepts, names: ToolNames) -> list[Json]:
    """Return the system prompt and the messages. Raises `UnsupportedContentError`."""
    prompt = params.get("systemPrompt")
    system = [{"role": "system", "content": prompt}] if prompt else []
    return system + [each for message in params["messages"] for each in _converted(message, accepts, names)]


def tools(params: Json, names: ToolNames) -> Json:
    """Return `tools` and `tool_choice`, as far as the request has them."""
    given = params.get("tools") or []
    if not given:
        return {}
    mode = (params.get("toolChoice") or {}).get("mode")
    return {"tools": [_tool(tool, names) for tool in given]} | ({"tool_choice": mode} if mode else {})


def limits(params: Json) -> Json:
    """Return `max_tokens`, `temperature` and `stop`, as far as the request has them."""
    given = {
        "max_tokens": params.get("maxTokens"),
        "temperature": params.get("temperature"),
        "stop": (params.get("stopSequences") or [])[:MOST_STOP_SEQUENCES] or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def encoded(body: Json) -> bytes:
    """Return a request as JSON that every parser takes: no half of a surrogate pair, no NaN.

    Raises `UnsupportedContentError` for nesting that is too deep.
    """
    try:
        return standard_json.dumps(whole(body)).encode()
    except RecursionError:
        raise UnsupportedContentError("application/json") from None


def _tool(tool: Json, names: ToolNames) -> Json:
    function = {"name": names.outward(tool["name"]), "parameters": tool.get("inputSchema") or {"type": "object"}}
    described = tool.get("description") or tool.get("title")
    return {"type": "function", "function": function | ({"description": described} if described else {})}


def _converted(message: Json, accepts: Accepts, names: ToolNames) -> Iterator[Json]:
    content = message["content"]
    blocks = content if isinstance(content, list) else [content]
    if message["role"] == "assistant":
        yield _of_assistant(blocks, names)
        return
    results = [block for block in blocks if block["type"] == "tool_result"]
    said = [block for block in blocks if block["type"] != "tool_result"]
    yield from (_tool_message(result) for result in results)
    # A tool's message has text only, so its pictures come in a message of the user, which must follow all results.
    shown = [part for result in results for part in _pictures_of(result, accepts)]
    if parts := shown + [_part(block, accepts) for block in said]:
        yield {"role": "user", "content": _as_text(parts)}


def _of_assistant(blocks: Sequence[Json], names: ToolNames) -> Json:
    texts, calls = [], []
    for block in blocks:
        if block["type"] == "text":
            texts.append(block["text"])
        elif block["type"] == "tool_use":
            function = {"name": names.outward(block["name"]), "arguments": json.dumps(block["input"])}
            calls.append({"id": block["id"], "type": "function", "function": function})
        else:
            raise UnsupportedContentError(block["type"])
    message: Json = {"role": "assistant", "content": "\n\n".join(texts) if texts or not calls else None}
    return message | ({"tool_calls": calls} if calls else {})


def _part(block: Json, accepts: Accepts) -> Json:
    kind = block["type"]
    if kind == "text":
        return {"type": "text", "text": block["text"]}
    if kind == "image" and accepts.images:
        return _picture(block)
    if kind == "audio" and accepts.audio and (found := _AUDIO_FORMATS.get(_media_type(block))):
        return {"type": "input_audio", "input_audio": {"data": block["data"], "format": found}}
    raise UnsupportedContentError(_media_type(block) or kind)


def _picture(block: Json) -> Json:
    return {"type": "image_url", "image_url": {"url": f"data:{_media_type(block)};base64,{block['data']}"}}


def _as_text(parts: list[Json]) -> str | list[Json]:
    # Several compatible servers take nothing but a text.
    return "\n\n".join(part["text"] for part in parts) if all(part["type"] == "text" for part in parts) else parts


def _tool_message(result: Json) -> Json:
    texts = [_text_of(block) for block in result.get("content") or []]
    if not texts and "structuredContent" in result:
        texts = [json.dumps(result["structuredContent"])]
    # The API has no field for it.
    failed = ["The tool reports an error."] if result.get("isError") else []
    return {"role": "tool", "tool_call_id": result["toolUseId"], "content": "\n\n".join(failed + texts)}


def _text_of(block: Mapping[str, Any]) -> str:
    if block["type"] == "text":
        return str(block["text"])
    if block["type"] in ("image", "audio"):
        where = "in the next message" if block["type"] == "image" else "left out"
        return f"[{block['type']}, {_media_type(block)}: {where}]"
    return json.dumps(block)


def _pictures_of(result: Json, accepts: Accepts) -> list[Json]:
    pictures = [block for block in result.get("content") or [] if block["type"] == "image"]
    if pictures and not accepts.images:
        raise UnsupportedContentError(_media_type(pictures[0]))
    if not pictures:
        return []
    words = f"The pictures among the results of the tool call {result['toolUseId']}:"
    return [{"type": "text", "text": words}, *map(_picture, pictures)]


def _media_type(block: Mapping[str, Any]) -> str:
    return str(block.get("mimeType", "")).partition(";")[0].strip().lower()


def allowed_tools(params: Json) -> set[str]:
    """Return the names of the tools that the answer may use: those of the request, unless its choice is `none`."""
    if (params.get("toolChoice") or {}).get("mode") == "none":
        return set()
    return {tool["name"] for tool in params.get("tools") or []}
