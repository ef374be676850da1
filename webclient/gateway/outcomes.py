"""The outcomes of a call as an agent gets them: its result or error as it came, a refusal, or one to fetch later."""

from __future__ import annotations

from webclient.domain.approvals import Verb
from webclient.domain.model import Call, CallKind, CallState, Json, Reason, ReasonCode
from webclient.domain.reasons import message, sentence
from webclient.protocol import INTERNAL_ERROR, ServerError

APPROVAL_KEY = "mcp-webclient/approval"
"""Key of what a person has changed of a call, in the `_meta` of its result."""

CUT = "mcp-webclient/cut"
"""Key of the sentence that says that a list is cut, in the `_meta` of its result."""

CALL_ID = "mcp-webclient/call"
"""Key of the id of a call that waits, in the `_meta` of a result."""


_LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}


def outcome(call: Call) -> Json:
    """Return the result of an ended call as it came. Raises ServerError with the server's error.

    An error of ours is the result of a tool with `isError`: agents show that to their model, and an error of the
    protocol ends the run of some.
    """
    error = call.error
    if call.state is CallState.DONE and call.result is not None:
        return _with_edit(call.result, call.approval)
    if error is not None and error.code is not None and error.message is not None and not error.ran:
        raise ServerError(error.code, error.message, error.data)
    return refused(call.kind, message(error) if error else sentence(Reason(ReasonCode.CLIENT_STOPPED)))


def _with_edit(result: Json, approval: Json | None) -> Json:
    """Return the result with the arguments that ran, if a person has changed those of the agent."""
    if approval is None or approval["verb"] != Verb.EDIT:
        return result
    meta = result.get("_meta") if isinstance(result.get("_meta"), dict) else {}
    edit = {name: approval[name] for name in ("verb", "arguments", "digest")}
    return result | {"_meta": {**(meta or {}), APPROVAL_KEY: edit}}


def refused(kind: CallKind, words: str) -> Json:
    """Return that a tool was not run. Raises ServerError for a prompt or a resource."""
    if kind is not CallKind.TOOL:
        raise ServerError(INTERNAL_ERROR, words)
    return {"content": [{"type": "text", "text": words}], "isError": True}


def without_excess(method: str, result: Json, most: int) -> Json:
    """Return a list with so many entries at most, and a sentence on the rest."""
    name = _LISTS.get(method, "")
    entries = result.get(name)
    if not isinstance(entries, list) or len(entries) <= most:
        return result
    words = f"Only the first {most:,} entries of this list are here, which is the limit (setting max_catalog_entries)."
    meta = result.get("_meta") if isinstance(result.get("_meta"), dict) else {}
    return result | {name: entries[:most], "_meta": {**(meta or {}), CUT: words}}


def unknown_call(call_id: object) -> Json:
    """Return that this agent made no call with the given id."""
    shown = repr(call_id)[:80]
    return refused(CallKind.TOOL, f"No call of this agent has the id {shown}. Make the call itself again.")


MOST_WAITS = 5
"""Results after which an agent has to wait no longer: with some frameworks, a run fails after ten steps."""


def pending(call_id: str, tool: str, *, times: int = 1, is_error: bool) -> Json:
    """Return that a person is asked meanwhile, and with which `tool` the result comes; said so many `times` so far.

    It has no word of the question, which is for the person alone. A result without the structured content that its
    tool declares is refused by many clients, unless it `is_error`.
    """
    arguments = f'{{"call": "{call_id}"}}'
    words = (
        f"A person is being asked, and has not answered yet; nothing has been done so far. Call {tool} with "
        f"{arguments} to get the result, or go on without it. Do not make the same call again."
        if times < MOST_WAITS
        else f"A person is still being asked, and nothing has been done so far. Stop waiting now: go on without the "
        f"result, or end your turn and report that this call waits for a person. Once they have answered, {tool} with "
        f"{arguments} gets the result."
    )
    result: Json = {"content": [{"type": "text", "text": words}], "_meta": {CALL_ID: call_id}}
    return result | ({"isError": True} if is_error else {})
