"""Edits of a sampling request by the person, before a model gets it: what may be changed, and what may not.

MCP 2025-11-25 and 2026-07-28, Sampling: users SHOULD be able to view and edit prompts before sending; clients MUST
respect `maxTokens` and may sample fewer; they MAY change or omit the system prompt and all other parameters.
"""

from __future__ import annotations

from typing import Any

from webclient.domain.errors import InvalidAnswerError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json
from webclient.domain.reasons import sentence
from webclient.inbox import fault_in, tool_mode, tools_of
from webclient.support.standard_json import json_equal


def checked_edit(params: Json, edited: Json) -> Json | None:
    """Return the parameters for the model; None if they are as the server sent them. Raises InvalidAnswerError."""
    if fault := fault_in(edited):
        raise _invalid(sentence(fault.reason))
    if edited["maxTokens"] > params["maxTokens"]:
        limit = _("The server allows at most {n} tokens.").format(n=params["maxTokens"])
        raise _invalid(limit, "maxTokens")
    if not edited["messages"] and params["messages"]:
        raise _invalid(_("Leave at least one message."), "messages")
    sent = tools_of(params)
    for name, tool in tools_of(edited).items():
        if not json_equal(tool, sent.get(name)):
            message = _("Tools can be left out, but not changed or added: “{name}”.").format(name=name)
            raise _invalid(message, "tools")
    if tool_mode(edited) == "required" and not tools_of(edited):
        raise _invalid(_("The server requires that the message uses a tool, so leave at least one."), "tools")
    return None if json_equal(edited, params) else edited


def for_model(params: Json, edited: Json | None) -> Json:
    """Return the parameters that a model gets: as edited, without anything that is meant for this program."""
    chosen = edited or params
    # No context of any server is ever added; see `includeContext` in docs/sampling.md.
    return {name: value for name, value in chosen.items() if name not in ("_meta", "task", "includeContext")}


def _invalid(message: str, place: str = "") -> InvalidAnswerError:
    errors: dict[str, Any] = {place: message}
    return InvalidAnswerError(message, errors)
