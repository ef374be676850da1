"""The difference between what a server (or a model) wrote and what the person made of it, in words and values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from webclient.content.forms import write_json
from webclient.content.text_changes import Change, Piece, text_change
from webclient.content.visible_text import counted
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json
from webclient.support.standard_json import json_equal
from webclient.web.pages.sampling.answer_parts import blocks_of_result
from webclient.web.pages.sampling.conversation import Block, Conversation, read_conversation

_LONGEST_VALUE = 4_000
"""Characters that are shown of a value."""


def changes_of_request(sent: Json, edited: Json) -> list[Change]:
    """Return what differs between the parameters that a server sent and the edited ones."""
    before, after = read_conversation(sent), read_conversation(edited)
    found = [
        text_change(_("System prompt"), before.system, after.system),
        *_messages(before, after),
        _value(_("Most tokens of the answer"), sent.get("maxTokens"), edited.get("maxTokens")),
        _value(_("Temperature"), sent.get("temperature"), edited.get("temperature")),
        _value(_("Stop sequences"), sent.get("stopSequences"), edited.get("stopSequences")),
        _value(_("Tools"), [tool.name for tool in before.tools], [tool.name for tool in after.tools]),
        _value(_("Use of tools"), before.choice, after.choice),
    ]
    return [each for each in found if each]


def changes_of_answer(written: Json, edited: Json) -> list[Change]:
    """Return what differs between the answer of a model and the edited one: texts, then tool uses."""
    before, after = _plain(written), _plain(edited)
    uses_before, uses_after = _uses(written), _uses(edited)
    found = [text_change(_("Text"), before, after), _value(_("Tool uses"), uses_before, uses_after)]
    return [each for each in found if each]


def _value(label: str, before: Any, after: Any) -> Change | None:
    if json_equal(before, after):
        return None
    shown = [("removed", before), ("added", after)]
    pieces: list[Piece] = [(kind, _shown(value)) for kind, value in shown if value not in (None, [])]  # type: ignore[misc]
    return Change(label=label, pieces=pieces)


def _shown(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return counted(", ".join(value), _LONGEST_VALUE)
    return counted(value if isinstance(value, str) else write_json(value), _LONGEST_VALUE, newlines=True)


def _messages(before: Conversation, after: Conversation) -> Iterator[Change | None]:
    if _shape(before) != _shape(after):
        # Messages were added or left out, which only a program does.
        both = [write_json([[block.block for block in each.blocks] for each in c.messages]) for c in (before, after)]
        yield text_change(_("Messages"), both[0], both[1])
        return
    for old, new in zip(before.blocks, after.blocks, strict=True):
        if old.kind == "result" or json_equal(old.block, new.block):
            continue
        label = _("Message {n} ({role})").format(n=old.place[0] + 1, role=before.messages[old.place[0]].role)
        yield text_change(label, _words(old), _words(new))


def _shape(conversation: Conversation) -> list[tuple[int, ...]]:
    return [block.place for block in conversation.blocks]


def _words(block: Block) -> str:
    if block.kind == "text":
        return block.text
    if block.is_media:
        return f"[{block.media_type}]"
    return write_json(block.block)


def _plain(result: Json) -> str:
    return "\n\n".join(block["text"] for block in blocks_of_result(result) if isinstance(block.get("text"), str))


def _uses(result: Json) -> list[Json]:
    return [
        {"tool": block.get("name"), "input": block.get("input")}
        for block in blocks_of_result(result)
        if block.get("type") == "tool_use"
    ]
