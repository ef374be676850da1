"""The conversation of a sampling request as a person reads it: messages with their blocks, tools, and limits.

Everything is read as it came: a block of an unknown or broken form is shown as JSON, and nothing raises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from webclient.content.visible_text import hides_something
from webclient.domain.model import Json
from webclient.web.pages.calls.contents import PICTURES, SOUNDS, decoded

BlockKind = Literal["text", "picture", "sound", "data", "use", "result", "link", "unknown"]

Place = tuple[int, ...]
"""Where a block is: the message, the block in it and, in the result of a tool, the block in that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block of a message.

    `block` is verbatim. `text` is set for texts, `media_type` and `size` (bytes) for media, `name` and `input` for the
    use of a tool; a result has the `name` of the tool, as far as the conversation tells it, and `inner` blocks.
    """

    place: Place
    kind: BlockKind
    block: Json
    text: str = ""
    media_type: str = ""
    size: int = 0
    name: str = ""
    input: Any = None
    is_error: bool = False
    structured: Any = None
    inner: tuple[Block, ...] = ()

    @property
    def control(self) -> str:
        """The end of the name of the control that edits it."""
        return ".".join(map(str, self.place))

    @property
    def data(self) -> bytes:
        """The bytes of a picture or sound."""
        return decoded(self.block) or b""

    @property
    def hides(self) -> bool:
        """Whether its text has invisible characters."""
        return hides_something(self.text)

    @property
    def is_media(self) -> bool:
        """Whether it is a picture, a sound or other data."""
        return self.kind in ("picture", "sound", "data")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message; `number` counts from 1."""

    number: int
    role: str
    blocks: tuple[Block, ...]

    @property
    def results_only(self) -> bool:
        """Whether it has the results of tools, and nothing else."""
        return bool(self.blocks) and all(block.kind == "result" for block in self.blocks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool for the model; `index` is its place in the list."""

    index: int
    name: str
    title: str
    description: str
    schema: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The parameters of a `sampling/createMessage` request, read.

    The first `seen` messages were before the person in an earlier turn; they can be folded.
    """

    messages: tuple[Message, ...]
    seen: int = 0
    system: str = ""
    tools: tuple[Tool, ...] = ()
    choice: str = "auto"
    most_tokens: int | None = None
    temperature: Any = None
    stops: tuple[str, ...] = ()
    context: str = ""
    hints: tuple[str, ...] = ()
    priorities: Mapping[str, Any] = field(default_factory=dict)
    metadata: Any = None

    @property
    def earlier(self) -> tuple[Message, ...]:
        """The messages that the person has seen in earlier turns."""
        return self.messages[: self.seen]

    @property
    def new(self) -> tuple[Message, ...]:
        """The messages that the person has not seen."""
        return self.messages[self.seen :]

    @property
    def blocks(self) -> Iterator[Block]:
        """All blocks, also those in the results of tools."""
        for message in self.messages:
            for block in message.blocks:
                yield block
                yield from block.inner

    @property
    def media(self) -> list[Block]:
        """The pictures, sounds and other data, which are shown by their size first."""
        return [block for block in self.blocks if block.is_media]

    @property
    def hides(self) -> bool:
        """Whether any of its texts has invisible characters."""
        return hides_something(self.system) or any(block.hides for block in self.blocks)

    def block(self, place: Place) -> Block | None:
        """Return the block at that place, or None."""
        return next((each for each in self.blocks if each.place == place), None)


def read_conversation(params: Json, seen: int = 0) -> Conversation:
    """Read the parameters of a request."""
    messages = _messages(params.get("messages"))
    preferences = _object(params.get("modelPreferences"))
    hints = [_object(each).get("name") for each in _list(preferences.get("hints"))]
    return Conversation(
        messages=messages,
        # The last message is always in sight, also one that was seen.
        seen=max(0, min(seen, len(messages) - 1)),
        system=_text(params.get("systemPrompt")),
        tools=read_tools(params),
        choice=_text(_object(params.get("toolChoice")).get("mode")) or "auto",
        most_tokens=params["maxTokens"] if isinstance(params.get("maxTokens"), int) else None,
        temperature=params.get("temperature"),
        stops=tuple(each for each in _list(params.get("stopSequences")) if isinstance(each, str)),
        context=_text(params.get("includeContext")),
        hints=tuple(each for each in hints if isinstance(each, str)),
        priorities={name: preferences[name] for name in PRIORITIES if name in preferences},
        metadata=params.get("metadata"),
    )


PRIORITIES = ("intelligencePriority", "speedPriority", "costPriority")


def read_tools(params: Json) -> tuple[Tool, ...]:
    """Return the tools of a request, in order."""
    found = [(index, each) for index, each in enumerate(_list(params.get("tools"))) if isinstance(each, dict)]
    return tuple(
        Tool(
            index=index,
            name=_text(each.get("name")),
            title=_text(each.get("title")),
            description=_text(each.get("description")),
            schema=each.get("inputSchema"),
        )
        for index, each in found
    )


def blocks_of(content: Any, at: Place = (), names: Mapping[str, str] | None = None) -> tuple[Block, ...]:
    """Return the blocks of `content`, which is one block or a list of them.

    `names` are the names of tools by the id of their use.
    """
    found = content if isinstance(content, list) else [content]
    return tuple(_block(each, (*at, index), names or {}) for index, each in enumerate(found))


def _messages(given: Any) -> tuple[Message, ...]:
    names: dict[str, str] = {}
    messages = []
    for index, each in enumerate(_list(given)):
        message = _object(each)
        blocks = blocks_of(message.get("content"), (index,), names)
        names |= {_text(block.block.get("id")): block.name for block in blocks if block.kind == "use"}
        messages.append(Message(number=index + 1, role=_text(message.get("role")), blocks=blocks))
    return tuple(messages)


def _block(given: Any, place: Place, names: Mapping[str, str]) -> Block:
    block = given if isinstance(given, dict) else {"value": given}
    match block.get("type"):
        case "text":
            return Block(place=place, kind="text", block=block, text=_text(block.get("text")))
        case "image" | "audio":
            return _media(block, place)
        case "tool_use":
            return Block(place=place, kind="use", block=block, name=_text(block.get("name")), input=block.get("input"))
        case "tool_result":
            return Block(
                place=place,
                kind="result",
                block=block,
                name=names.get(_text(block.get("toolUseId")), ""),
                is_error=block.get("isError") is True,
                structured=block.get("structuredContent"),
                inner=blocks_of(_list(block.get("content")), place),
            )
        case "resource_link":
            return Block(place=place, kind="link", block=block, text=_text(block.get("uri")))
    is_resource = block.get("type") == "resource"
    return _resource(block, place) if is_resource else Block(place=place, kind="unknown", block=block)


def _media(block: Json, place: Place) -> Block:
    media_type = _text(block.get("mimeType")).partition(";")[0].strip().lower()
    data = decoded(block)
    if data is None:
        return Block(place=place, kind="unknown", block=block, media_type=media_type)
    kind: BlockKind = "picture" if media_type in PICTURES else "sound" if media_type in SOUNDS else "data"
    return Block(place=place, kind=kind, block=block, media_type=media_type, size=len(data))


def _resource(block: Json, place: Place) -> Block:
    resource = _object(block.get("resource"))
    if isinstance(resource.get("text"), str):
        return Block(place=place, kind="text", block=block, text=resource["text"], name=_text(resource.get("uri")))
    return _media(resource, place)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}
