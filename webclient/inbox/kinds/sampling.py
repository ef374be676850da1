"""Sampling: the server asks for a message of a language model, which a person may write themselves.

MCP 2025-11-25 and 2026-07-28, Sampling. A person sees the request before a model does, and the message before the
server does; `webclient/sampling` has what happens in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from webclient.content.forms import violations
from webclient.domain.errors import InvalidAnswerError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import ngettext
from webclient.domain.model import Action, InputRequest, Json, ListedRequest, Mode, ReasonCode, RequestState
from webclient.inbox.kinds.kind import EXCERPT, CheckedAnswer, Kind, Symbol
from webclient.inbox.kinds.sampling_conversation import placed
from webclient.inbox.kinds.sampling_messages import Fault, blocks, fault_in, misshapen, of_type

MOST_ERRORS = 20
"""Errors that are reported of one answer."""


class SamplingKind(Kind):
    """Accepted with a message of the assistant: text, an image, audio, or uses of its tools."""

    name = "sampling"
    mode = Mode.SAMPLING
    mode_off = ReasonCode.SAMPLING_OFF
    carries_media = True
    looks_back = True

    def takes(self, method: str, params: Json) -> bool:
        """Return whether it is a request for sampling."""
        del params
        return method == "sampling/createMessage"

    def fault(self, params: Json) -> Fault | None:
        """Return what is wrong with the parameters."""
        return fault_in(params)

    def placed(self, request: InputRequest, earlier: Sequence[InputRequest]) -> InputRequest:
        """Return the request with its place in its conversation."""
        return replace(request, sampling=placed(request, earlier))

    def is_long(self, request: InputRequest) -> bool:
        """Return whether checking an answer may take long: it checks the arguments of tools."""
        return bool(tools_of(request.params))

    def result(self, request: InputRequest) -> Json | None:
        """Return the message; None if there is none: an error goes to the server, or nothing."""
        return request.content if request.state is RequestState.ACCEPTED else None

    def check_accepted(self, request: InputRequest, content: Json | None) -> CheckedAnswer:
        """Check a message; without `content` it is the one under review. Raises InvalidAnswerError."""
        given = content if content is not None else request.sampling and request.sampling.result
        if not given:
            message = _("Give the message as “content”, with role, content and model.")
            raise InvalidAnswerError(message, {"": message})
        if errors := answer_errors(request.params, given):
            raise InvalidAnswerError(_("The message does not fit the request."), errors)
        return CheckedAnswer(request=request, action=Action.ACCEPT, content=as_sent(request.params, given))

    def excerpt(self, params: Json) -> Json:
        """Return the parameters that are stored from a request too large to show."""
        prompt = params.get("systemPrompt")
        return {"message": _beginning(params), "systemPrompt": prompt[:EXCERPT] if isinstance(prompt, str) else ""}

    def parts(self, params: Json) -> int:
        """Return the number of tools."""
        return len(tools_of(params))

    def asks(self, listed: ListedRequest) -> str:
        """Return what the person is asked for."""
        n = listed.parts
        if not n:
            return _("A message from a model")
        text = ngettext("A message from a model, with {n} tool", "A message from a model, with {n} tools", n)
        return text.format(n=n)

    def symbol(self, listed: ListedRequest) -> Symbol:
        """Return what a list shows the question as."""
        del listed
        return "sampling"

    def describe(self, request: InputRequest) -> str:
        """Return a sentence on the state of the request, for an error message."""
        if request.state is RequestState.ACCEPTED:
            return _("It was answered and the message was sent.")
        return super().describe(request)


def tools_of(params: Json) -> dict[str, Json]:
    """Return the tools of a request by name."""
    tools = params.get("tools")
    return {tool["name"]: tool for tool in tools} if isinstance(tools, list) else {}


def tool_mode(params: Json) -> str:
    """Return how tools may be used: `auto`, `required` or `none`."""
    choice = params.get("toolChoice") or {}
    return str(choice.get("mode") or "auto")


def as_sent(params: Json, result: Json) -> Json:
    """Return the message as it is sent: a single block without tools stands alone.

    Both forms mean the same, and servers that offer no tools often cannot read a list.
    """
    content = blocks(result)
    if len(content) == 1 and isinstance(result["content"], list) and not tools_of(params):
        return result | {"content": content[0]}
    return result


def answer_errors(params: Json, result: Any) -> dict[str, str]:
    """Return what is wrong with a message for these parameters: sentences by place."""
    if shape := misshapen(result):
        return {"": _("This is not a message as MCP has it: {error}").format(error=shape)}
    errors: dict[str, str] = {}
    for place, sentence in _errors(params, result):
        errors.setdefault(place, sentence)
        if len(errors) == MOST_ERRORS:
            break
    return errors


def _errors(params: Json, result: Json) -> Iterator[tuple[str, str]]:
    tools, mode, uses = tools_of(params), tool_mode(params), of_type(result, "tool_use")
    if not blocks(result):
        yield "content", _("The message is empty.")
    if of_type(result, "tool_result"):
        yield "content", _("A message cannot contain results of tools; only the server gives those.")
    if uses and (not tools or mode == "none"):
        yield "content", _("This message cannot use tools.")
        return
    if mode == "required" and tools and not uses:
        yield "content", _("The server requires that the message uses a tool.")
    ids = [use["id"] for use in uses]
    if len(set(ids)) < len(ids) or not all(ids):
        yield "content", _("Each use of a tool needs an id of its own.")
    for position, block in enumerate(blocks(result)):
        if block.get("type") == "tool_use":
            yield from _errors_of_use(f"content.{position}", block, tools)


def _errors_of_use(place: str, use: Json, tools: dict[str, Json]) -> Iterator[tuple[str, str]]:
    if (tool := tools.get(use["name"])) is None:
        yield f"{place}.name", _("The request has no tool named “{name}”.").format(name=use["name"])
        return
    for each in violations(tool["inputSchema"], use["input"]):
        # A schema that cannot be checked is not a fault of the message.
        if each.rule or each.path:
            yield ".".join([f"{place}.input", *map(str, each.path)]), each.sentence


def _beginning(params: Json) -> str:
    """Return the beginning of the last message, of which nothing may be as it should."""
    messages = params.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    texts = [block.get("text") for block in blocks(last) if isinstance(block, dict)] if isinstance(last, dict) else []
    return next((text[:EXCERPT] for text in texts if isinstance(text, str)), "")
