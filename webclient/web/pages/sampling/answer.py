"""The answer to a sampling request that its parts make: a `CreateMessageResult` (MCP 2025-11-25, Sampling).

A part that the person left alone is sent exactly as the model wrote it, with its id and `_meta`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from secrets import token_hex
from typing import Any

from webclient.content.forms import Texts, check_arguments, parse, read_json
from webclient.content.secrets import looks_secret
from webclient.domain.model import Json
from webclient.inbox import answer_errors
from webclient.support.standard_json import json_equal
from webclient.web.pages.sampling.answer_parts import Part, blocks_of_result, read_parts
from webclient.web.pages.sampling.request_edits import normal

PERSON = "written by a person"
"""The model of an answer that a person wrote."""

MODEL_NAME = "a.model"
"""The control for the name of the model that the server gets."""

LONGEST_NAME = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAnswer:
    """The answer that was posted: its `result`, None with errors; the parts with what is wrong in each.

    `errors` are sentences about the whole. `secrets` are sentences on texts that look like a secret, by slot.
    """

    parts: Sequence[Part]
    result: Json | None = None
    errors: Sequence[str] = ()
    secrets: Mapping[int, str] = field(default_factory=dict)


def read_answer(params: Json, texts: Texts, written: Json | None = None) -> WrittenAnswer:
    """Read a posted answer; `written` is the answer of a model that was reviewed."""
    read = [_read(part) for part in read_parts(params, texts, written)]
    parts = [part for part, _block in read]
    blocks = [block for _part, block in read if block is not None]
    result = None if any(part.errors or part.inside for part in parts) else _result(blocks, texts, written)
    errors = [] if result is None else list(answer_errors(params, result).values())
    return WrittenAnswer(
        parts=parts,
        result=None if errors else result,
        errors=errors,
        secrets=_secrets(parts),
    )


def _read(part: Part) -> tuple[Part, Json | None]:
    if part.kind == "kept":
        return part, part.origin
    if part.kind == "text":
        return part, _text_block(part)
    part, given = _input(part)
    return part, None if part.errors or part.inside else _use_block(part, given)


def _text_block(part: Part) -> Json | None:
    if part.origin is not None and normal(str(part.origin.get("text", ""))) == part.text:
        return part.origin
    return {"type": "text", "text": part.text} if part.text.strip() else None


def _use_block(part: Part, given: Any) -> Json:
    if part.origin is None:
        return {"type": "tool_use", "id": f"call_{token_hex(8)}", "name": part.name, "input": given}
    return part.origin if json_equal(part.origin.get("input"), given) else {**part.origin, "input": given}


def _input(part: Part) -> tuple[Part, Any]:
    if part.json is None:
        parsed = parse(part.form, [(name, text) for name, typed in part.texts.items() for text in typed])
        return replace(part, texts=parsed.texts, errors=parsed.errors, inside=parsed.inside), parsed.content
    try:
        given = read_json(part.json)
    except ValueError as wrong:
        return replace(part, errors={"": str(wrong)}), None
    return replace(part, errors=check_arguments(part.form.schema, given)), given


def _result(blocks: Sequence[Json], texts: Texts, written: Json | None) -> Json:
    uses = any(block.get("type") == "tool_use" for block in blocks)
    made: Json = {**(written or {"role": "assistant"})}
    if written is None or not json_equal(blocks_of_result(written), list(blocks)):
        # One text is sent bare: some servers take an array for an error in a request without tools.
        is_text = len(blocks) == 1 and blocks[0].get("type") == "text"
        made["content"] = blocks[0] if is_text else list(blocks)
        made["stopReason"] = _stop_reason(written, uses=uses)
    name = (texts.get(MODEL_NAME) or [""])[-1].strip()[:LONGEST_NAME]
    made["model"] = name or str(made.get("model") or PERSON)
    return made


def _stop_reason(written: Json | None, *, uses: bool) -> str:
    if uses:
        return "toolUse"
    before = (written or {}).get("stopReason")
    return before if isinstance(before, str) and before != "toolUse" else "endTurn"


def _secrets(parts: Sequence[Part]) -> dict[int, str]:
    found = {}
    for part in parts:
        texts = [part.text, part.json or "", *(text for typed in part.texts.values() for text in typed)]
        if sentence := next((said for said in map(looks_secret, texts) if said), None):
            found[part.slot] = sentence
    return found
