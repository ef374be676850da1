"""The parts of an answer as a person writes or reviews it: texts, and uses of the server's tools with a form for each.

The hidden controls `part` name them in order: `kind.slot.tool.origin`, where `tool` is the place of the tool in the
request, and `origin` the place of the block that a model wrote. The fields of a tool use are numbered from a hundred
times its slot, so that several forms fit into one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from webclient.content.forms import Form, Texts, edit, fill_all, posted_texts, read_arguments, write_json
from webclient.content.visible_text import hides_something
from webclient.domain.model import Json
from webclient.web.pages.sampling.conversation import Tool, read_tools
from webclient.web.pages.sampling.request_edits import is_editable, normal

PART, TEXT, JSON = "part", "a.text.", "a.json."
"""The controls: the parts, and the text or JSON of one by its slot."""

PER_SLOT = 100
"""Fields of a tool use; one with more is written as JSON."""

MOST_PARTS = 20
_MOST_SLOTS = 99

PartKind = Literal["text", "use", "kept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the answer.

    A `text` has its text in `text`. A `use` has its `tool` with the `form`, or `json` if fields cannot express the
    input. A `kept` part is a block of a model that cannot be edited. `origin` is the block of the model, None for
    a part that a person added.
    """

    kind: PartKind
    slot: int
    tool: Tool | None = None
    at: int | None = None
    origin: Json | None = None
    form: Form = field(default_factory=Form)
    texts: Texts = field(default_factory=dict)
    text: str = ""
    json: str | None = None
    errors: Mapping[str, str] = field(default_factory=dict)
    inside: Mapping[str, str] = field(default_factory=dict)

    @property
    def value(self) -> str:
        """The value of its hidden control."""
        return ".".join(
            [
                self.kind,
                str(self.slot),
                "" if self.tool is None else str(self.tool.index),
                "" if self.at is None else str(self.at),
            ]
        )

    @property
    def hides(self) -> bool:
        """Whether its text has invisible characters."""
        return hides_something(self.text)

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self.tool.name if self.tool else ""


def first_parts(params: Json, result: Json | None = None) -> list[Part]:
    """Return the parts of the `result` that a model wrote; without one, an empty text or the required tool."""
    tools = read_tools(params)
    if result is not None:
        return [_written(slot, block, tools) for slot, block in enumerate(blocks_of_result(result))][:MOST_PARTS]
    must_use = isinstance(params.get("toolChoice"), dict) and params["toolChoice"].get("mode") == "required"
    return [_use(0, tools[0])] if must_use and len(tools) == 1 else [Part(kind="text", slot=0)]


def read_parts(params: Json, texts: Texts, result: Json | None = None) -> list[Part]:
    """Return the parts that were posted; those of `first_parts` if none were."""
    if PART not in texts:
        return first_parts(params, result)
    tools = {str(tool.index): tool for tool in read_tools(params)}
    origins = blocks_of_result(result) if result is not None else []
    found = [_posted(value, tools, origins, texts) for value in list(texts[PART])[:MOST_PARTS]]
    return [part for part in found if part]


def texts_of_parts(parts: Sequence[Part]) -> dict[str, list[str]]:
    """Return the texts of the controls of these parts."""
    texts: dict[str, list[str]] = {PART: [part.value for part in parts]}
    for part in parts:
        if part.kind == "text":
            texts[f"{TEXT}{part.slot}"] = [part.text]
        elif part.json is not None:
            texts[f"{JSON}{part.slot}"] = [part.json]
        else:
            texts |= {name: list(typed) for name, typed in part.texts.items()}
    return texts


def add_text(parts: Sequence[Part]) -> list[Part]:
    """Return the parts with an empty text at the end."""
    return [*parts, Part(kind="text", slot=_next_slot(parts))]


def add_use(params: Json, parts: Sequence[Part], index: str) -> list[Part]:
    """Return the parts with a use of the tool at that place of the request."""
    tool = next((each for each in read_tools(params) if str(each.index) == index), None)
    slot = _next_slot(parts)
    if tool is None or len(parts) >= MOST_PARTS or slot > _MOST_SLOTS:
        return list(parts)
    return [*parts, _use(slot, tool)]


def remove_part(parts: Sequence[Part], slot: str) -> list[Part]:
    """Return the parts without that one; a text comes in its place if none is left."""
    left = [part for part in parts if str(part.slot) != slot]
    return left or [Part(kind="text", slot=0)]


def edit_part(parts: Sequence[Part], wanted: str) -> tuple[list[Part], str]:
    """Apply a button within a tool's form, such as `add f100`; return the parts, and the control to focus."""
    number = wanted.rpartition(" ")[2].removeprefix("f").partition(".")[0]
    slot = int(number) // PER_SLOT if number.isascii() and number.isdigit() and len(number) <= 4 else -1
    changed, focus = [], ""
    for part in parts:
        if part.slot == slot and part.kind == "use" and part.json is None:
            texts, focus, _said, wrong = edit(part.form, part.texts, wanted)
            changed.append(replace(part, texts=texts, inside=wrong))
        else:
            changed.append(part)
    return changed, focus


def blocks_of_result(result: Json) -> list[Json]:
    """Return the blocks of an answer; its content is one block or a list of them."""
    content = result.get("content")
    found = content if isinstance(content, list) else [content]
    return [each for each in found if isinstance(each, dict)]


def _next_slot(parts: Sequence[Part]) -> int:
    return max((part.slot for part in parts), default=-1) + 1


def _written(at: int, block: Json, tools: Sequence[Tool]) -> Part:
    if block.get("type") == "text" and isinstance(block.get("text"), str) and is_editable(block["text"]):
        return Part(kind="text", slot=at, at=at, origin=block, text=normal(block["text"]))
    tool = next((each for each in tools if each.name == block.get("name")), None)
    if block.get("type") == "tool_use" and tool is not None and isinstance(block.get("input"), dict):
        return _use(at, tool, at=at, origin=block)
    return Part(kind="kept", slot=at, at=at, origin=block)


def _use(slot: int, tool: Tool, at: int | None = None, origin: Json | None = None) -> Part:
    form = _form(tool, slot)
    written: dict[str, Any] = origin["input"] if origin is not None else {}
    texts = None if form.as_json else fill_all(form.fields, written) if origin is not None else form.texts
    return Part(
        kind="use",
        slot=slot,
        tool=tool,
        at=at,
        origin=origin,
        form=form,
        texts=texts or {},
        json=write_json(written) if texts is None else None,
    )


def _form(tool: Tool, slot: int) -> Form:
    form = read_arguments(tool.schema, first=slot * PER_SLOT)
    if len(form.fields) > PER_SLOT:
        return Form(schema=form.schema, deep=True, as_json=True)
    # The tool has a title of its own.
    return replace(form, title="")


def _posted(value: str, tools: Mapping[str, Tool], origins: Sequence[Json], texts: Texts) -> Part | None:
    steps = value.split(".")
    if len(steps) != 4 or not _is_small(steps[1]):
        return None
    kind, slot = steps[0], int(steps[1])
    at = int(steps[3]) if _is_small(steps[3]) and int(steps[3]) < len(origins) else None
    origin = origins[at] if at is not None else None
    if kind == "text":
        text = normal((texts.get(f"{TEXT}{slot}") or [""])[-1])
        return Part(kind="text", slot=slot, at=at, origin=origin, text=text)
    if kind == "kept" and origin is not None:
        return Part(kind="kept", slot=slot, at=at, origin=origin)
    tool = tools.get(steps[2])
    if kind != "use" or tool is None:
        return None
    form = _form(tool, slot)
    written = texts.get(f"{JSON}{slot}")
    entered = {} if form.as_json else posted_texts(form, _pairs(texts))
    json = (written[-1] if written else "{}") if written or form.as_json else None
    return Part(kind="use", slot=slot, tool=tool, at=at, origin=origin, form=form, texts=entered, json=json)


def _is_small(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 2


def _pairs(texts: Texts) -> list[tuple[str, str]]:
    return [(name, text) for name, typed in texts.items() for text in typed]
