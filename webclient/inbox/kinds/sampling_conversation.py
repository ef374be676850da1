"""Conversations: which sampling requests are turns of one tool loop, and what is new in each.

A server asks again with the whole history (MCP 2025-11-25, Sampling, Multi-turn Tool Loop). So a request continues an
earlier one if it begins with the same messages, or has the results of the tools that the answer to it has used.
"""

from __future__ import annotations

from collections.abc import Sequence

from webclient.domain.model import InputRequest, Json, Sampling
from webclient.inbox.kinds.sampling_messages import blocks, of_type
from webclient.support.standard_json import json_equal


def placed(request: InputRequest, earlier: Sequence[InputRequest]) -> Sampling:
    """Return the place of a new request, given the `earlier` requests of its call."""
    for before in reversed(earlier):
        if before.kind == request.kind and (seen := _seen(request.params, before)):
            return _following(request, before, seen)
    return Sampling(conversation=request.id)


def _following(request: InputRequest, before: InputRequest, seen: int) -> Sampling:
    place = before.sampling or Sampling(conversation=before.id)
    same_tools = all(json_equal(request.params.get(name), before.params.get(name)) for name in ("tools", "toolChoice"))
    approved = place.approved_turns > 0 and same_tools
    return Sampling(
        conversation=place.conversation or before.id,
        turn=place.turn + 1,
        seen=seen,
        model=place.model if approved else "",
        approved=approved,
        approved_turns=place.approved_turns - 1 if approved else 0,
    )


def _seen(params: Json, before: InputRequest) -> int:
    """Return how many messages were there before, the last answer among them; 0 if it is another conversation."""
    messages, known = params["messages"], before.params.get("messages") or []
    if len(messages) > len(known) and json_equal(messages[: len(known)], known):
        return len(known) + int(messages[len(known)]["role"] == "assistant")
    used = {use["id"] for use in of_type(before.content or {}, "tool_use")}
    results = {block.get("toolUseId") for block in blocks(messages[-1])} if messages else set()
    return len(messages) - 1 if used & results else 0
