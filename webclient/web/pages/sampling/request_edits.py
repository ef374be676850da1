"""Edits of a request before a model gets it: the texts of its controls, and the parameters that a posted form makes.

A person may change texts and the system prompt, lower the most tokens, and leave out tools, pictures and sounds. What
they did not touch stays verbatim.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from webclient.content.forms import Texts
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json
from webclient.web.pages.sampling.conversation import Block, Conversation, Place, read_conversation

SYSTEM, MOST, TOOLS, TOOL, LEFT_OUT, TEXT = "p.system", "p.most", "p.tools", "p.tool", "p.leave", "p.text."
"""The controls; a text has one by its place. `TOOLS` says that the tools could be chosen."""

MOST_EDITED = 300
"""Texts of a conversation that have a control; the others stay as they are."""

LONGEST_EDITED = 50_000
"""Characters of a text that has a control."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """The edited parameters, or sentences on what is wrong by control."""

    params: Json
    errors: Mapping[str, str] = field(default_factory=dict)


def texts_of_request(params: Json) -> dict[str, list[str]]:
    """Return the first texts of the controls that edit a request."""
    conversation = read_conversation(params)
    texts = {TEXT + block.control: [normal(block.text)] for block in editable(conversation)}
    if is_editable(conversation.system):
        texts[SYSTEM] = [normal(conversation.system)]
    if conversation.most_tokens is not None:
        texts[MOST] = [str(conversation.most_tokens)]
    if conversation.tools:
        texts |= {TOOLS: ["1"], TOOL: [str(tool.index) for tool in conversation.tools]}
    return texts


def edit_request(params: Json, texts: Texts) -> Edits:
    """Apply the texts of the controls to the parameters that a server sent; absent controls change nothing."""
    conversation = read_conversation(params)
    edited: Json = deepcopy(dict(params))
    if SYSTEM in texts and normal(_last(texts, SYSTEM)) != normal(conversation.system):
        edited["systemPrompt"] = normal(_last(texts, SYSTEM))
        if not edited["systemPrompt"].strip():
            del edited["systemPrompt"]
    left_out = set(texts.get(LEFT_OUT, ()))
    for block in conversation.blocks:
        control = TEXT + block.control
        if block.is_media and block.control in left_out:
            _put(edited, block.place, {"type": "text", "text": f"({block.media_type or 'data'}: left out by a person)"})
        elif block.kind == "text" and control in texts and normal(_last(texts, control)) != normal(block.text):
            _put(edited, block.place, _with_text(block, normal(_last(texts, control))))
    if TOOLS in texts:
        _keep_tools(edited, conversation, set(texts.get(TOOL, ())))
    errors = _limit(edited, conversation, texts)
    return Edits(params=edited, errors=errors)


def editable(conversation: Conversation) -> list[Block]:
    """Return the texts that have a control."""
    found = [block for block in conversation.blocks if block.kind == "text" and is_editable(block.text)]
    return found[:MOST_EDITED]


def is_editable(text: str) -> bool:
    """Return whether a control can have the text without changing it."""
    # HTML replaces NUL, and half of a surrogate pair cannot be encoded.
    return len(text) <= LONGEST_EDITED and "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)


def normal(text: str) -> str:
    """Return the text with the line breaks of a text box as Unix has them."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _limit(edited: Json, conversation: Conversation, texts: Texts) -> dict[str, str]:
    if MOST not in texts or conversation.most_tokens is None:
        return {}
    text = _last(texts, MOST).strip()
    most = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if not 1 <= most <= conversation.most_tokens:
        return {MOST: _("Enter a whole number from 1 to {most}.").format(most=conversation.most_tokens)}
    edited["maxTokens"] = most
    return {}


def _keep_tools(edited: Json, conversation: Conversation, chosen: set[str]) -> None:
    tools = [edited["tools"][tool.index] for tool in conversation.tools if str(tool.index) in chosen]
    if len(tools) == len(conversation.tools):
        return
    edited["tools"] = tools
    if not tools:
        # A choice among no tools is an error at most providers.
        del edited["tools"]
        edited.pop("toolChoice", None)


def _put(edited: Json, place: Place, block: Json) -> None:
    message = edited["messages"][place[0]]
    if len(place) == 2:
        if isinstance(message["content"], list):
            message["content"][place[1]] = block
        else:
            message["content"] = block
        return
    results = message["content"] if isinstance(message["content"], list) else [message["content"]]
    results[place[1]]["content"][place[2]] = block


def _with_text(block: Block, text: str) -> Json:
    if block.block.get("type") == "resource":
        return {**block.block, "resource": {**block.block["resource"], "text": text}}
    return {**block.block, "text": text}


def _last(texts: Texts, control: str) -> Any:
    return (texts[control] or [""])[-1]
