"""Reads what an agent sends to an MCP server through a gateway of others: a tool call, or what needs no decision.

The server reads the same bytes afterwards, so what two parsers could understand differently is refused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from webclient.content.forms import read_json
from webclient.domain.model import Json

CALL = "tools/call"

MEMBERS = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})
"""The members of a message of JSON-RPC."""

MOST_BESIDE = 4_000
"""Characters of what is sent along with the arguments: it is shown whole."""

_OF_THE_CALL = frozenset({"name", "arguments", "_meta"})


class UnclearMessageError(Exception):
    """The message cannot be passed on, because another program may read another call in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignCall:
    """A tool call; `beside` are its parameters except name, arguments and `_meta`: answers of a round, or a task."""

    id: str | int | None
    name: str
    arguments: Json
    beside: Json = field(default_factory=dict)

    @property
    def shown_beside(self) -> str:
        """What is sent along with the arguments, as JSON; empty if it says nothing to a person."""
        readable = {key: value for key, value in self.beside.items() if key != "requestState"}
        return json.dumps(readable, ensure_ascii=False) if readable else ""


def read_message(body: bytes) -> ForeignCall | None:
    """Return the tool call in the body of a POST; None for any other message. Raises UnclearMessageError."""
    try:
        message = read_json(body.decode())
    except ValueError as error:
        raise UnclearMessageError(f"The body is not JSON that all programs read in the same way. {error}") from None
    if not isinstance(message, dict) or not message.keys() <= MEMBERS:
        raise UnclearMessageError("The body is not one message of JSON-RPC; several at once are not taken.")
    method = message.get("method", "")
    if not isinstance(method, str):
        raise UnclearMessageError("The method is not a text.")
    return _call_in(message) if method == CALL else None


def _call_in(message: Json) -> ForeignCall:
    id_, params = message.get("id"), message.get("params")
    if not isinstance(params, dict) or not isinstance(id_, str | int | None):
        raise UnclearMessageError("The call has no parameters, or no valid id.")
    if len({key.casefold() for key in params}) < len(params):
        raise UnclearMessageError("Two parameters differ in upper and lower case only.")
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict | None):
        raise UnclearMessageError("The name of the tool must be a text, and its arguments an object.")
    beside = {key: value for key, value in params.items() if key not in _OF_THE_CALL}
    call = ForeignCall(id=id_, name=name, arguments=arguments or {}, beside=beside)
    if len(call.shown_beside) > MOST_BESIDE:
        raise UnclearMessageError("The call has more beside its arguments than a person can be shown.")
    return call
