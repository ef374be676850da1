"""The difference between what a server (or a model) wrote and what the person made of it, in words and values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from webclient.content.forms import write_json
from webclient.content.visible_text import ELLIPSIS, counted
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json
from webclient.support.standard_json import json_equal
from webclient.web.pages.sampling.answer_parts import blocks_of_result
from webclient.web.pages.sampling.conversation import Block, Conversation, read_conversation

MOST_WORDS = 4_000
"""Words of a text that are compared one by one; of a longer text, its lines."""

MOST_LINES = 4_000
"""Lines that are compared; of a text with more, both versions are shown."""

CONTEXT = 60
"""Characters that are shown of an unchanged part, at each of its ends."""

LONGEST = 4_000
"""Characters that are shown of a changed part."""

_WORD = re.compile(r"\s+|\w+|[^\w\s]")

Piece = tuple[Literal["same", "added", "removed"], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that was changed: what it is, and its pieces in order, made visible."""

    label: str
    pieces: Sequence[Piece]


def changes_of_request(sent: Json, edited: Json) -> list[Change]:
    """Return what differs between the parameters that a server sent and the edited ones."""
    before, after = read_conversation(sent), read_conversation(edited)
    found = [
        _text(_("System prompt"), before.system, after.system),
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
    found = [_text(_("Text"), before, after), _value(_("Tool uses"), uses_before, uses_after)]
    return [each for each in found if each]


def compare(before: str, after: str) -> list[Piece]:
    """Return the pieces of both texts in order; long unchanged parts are shortened."""
    words = _WORD.findall(before), _WORD.findall(after)
    if max(map(len, words)) > MOST_WORDS:
        words = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if max(map(len, words)) > MOST_LINES:
        return [*_piece("removed", before), *_piece("added", after)]
    return list(_pieces(*words))


def _pieces(before: Sequence[str], after: Sequence[str]) -> Iterator[Piece]:
    opcodes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for index, (tag, i1, i2, j1, j2) in enumerate(opcodes):
        if tag == "equal":
            yield "same", _shortened("".join(before[i1:i2]), is_first=index == 0, is_last=index == len(opcodes) - 1)
        else:
            yield from _piece("removed", "".join(before[i1:i2]))
            yield from _piece("added", "".join(after[j1:j2]))


def _piece(kind: Literal["added", "removed"], text: str) -> Iterator[Piece]:
    if text:
        yield kind, counted(text, LONGEST, newlines=True)


def _shortened(text: str, *, is_first: bool, is_last: bool) -> str:
    start, end = "" if is_first else text[:CONTEXT], "" if is_last else text[-CONTEXT:]
    if len(text) <= len(start) + len(end) + CONTEXT:
        return counted(text, LONGEST, newlines=True)
    return counted(f"{start}{ELLIPSIS}{end}", LONGEST, newlines=True)


def _text(label: str, before: str, after: str) -> Change | None:
    return None if before == after else Change(label=label, pieces=compare(before, after))


def _value(label: str, before: Any, after: Any) -> Change | None:
    if json_equal(before, after):
        return None
    shown = [("removed", before), ("added", after)]
    pieces: list[Piece] = [(kind, _shown(value)) for kind, value in shown if value not in (None, [])]  # type: ignore[misc]
    return Change(label=label, pieces=pieces)


def _shown(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return counted(", ".join(value), LONGEST)
    return counted(value if isinstance(value, str) else write_json(value), LONGEST, newlines=True)


def _messages(before: Conversation, after: Conversation) -> Iterator[Change | None]:
    if _shape(before) != _shape(after):
        # Messages were added or left out, which only a program does.
        both = [write_json([[block.block for block in each.blocks] for each in c.messages]) for c in (before, after)]
        yield _text(_("Messages"), both[0], both[1])
        return
    for old, new in zip(before.blocks, after.blocks, strict=True):
        if old.kind == "result" or json_equal(old.block, new.block):
            continue
        label = _("Message {n} ({role})").format(n=old.place[0] + 1, role=before.messages[old.place[0]].role)
        yield _text(label, _words(old), _words(new))


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
