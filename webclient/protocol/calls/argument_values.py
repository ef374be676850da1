"""Asks a server for values of an argument of a prompt or of a resource template (`completion/complete`)."""

from __future__ import annotations

from collections.abc import Mapping

from mcp import MCPError
from mcp.types import (
    CompleteRequest,
    CompleteRequestParams,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)
from pydantic import ValidationError

from webclient.domain.errors import ConflictError
from webclient.domain.model import ArgumentValues, Reason, ReasonCode, TypedArgument
from webclient.protocol.messages.raw_request import send
from webclient.protocol.session.session import Session

MOST_VALUES = 100
"""The values that a server may send (MCP, Completion: "MUST NOT exceed 100 items"); the first ones are used."""

LONGEST_VALUE = 1000
"""Characters of a value; longer ones are left out, because a cut value would be another."""


async def read_argument_values(session: Session, wanted: TypedArgument) -> ArgumentValues:
    """Return the values that the server suggests for an argument. Raises ConflictError if it suggests none."""
    is_prompt = wanted.kind == "prompt"
    ref = PromptReference(name=wanted.name) if is_prompt else ResourceTemplateReference(uri=wanted.name)
    params = CompleteRequestParams(
        ref=ref,
        argument=CompletionArgument(name=wanted.argument, value=wanted.value),
        # "Include previously-resolved variables" (MCP, Completion, Context).
        context=CompletionContext(arguments=dict(wanted.others)) if wanted.others else None,
    )
    if session.client is None:
        raise ConflictError(Reason(ReasonCode.SERVER_NOT_CONNECTED))
    try:
        result = await send(session.client, CompleteRequest(params=params))
    except (MCPError, ValidationError) as error:
        raise ConflictError(Reason(ReasonCode.SERVER_NOT_CONNECTED)) from error
    return usable_values(result["completion"])


def usable_values(completion: Mapping[str, object]) -> ArgumentValues:
    """Return the values of a result that can be used, and whether there are others."""
    given = completion.get("values")
    values = list(dict.fromkeys(each for each in given if isinstance(each, str))) if isinstance(given, list) else []
    usable = [each for each in values[:MOST_VALUES] if len(each) <= LONGEST_VALUE]
    total = completion.get("total")
    has_more = completion.get("hasMore") is True or (isinstance(total, int) and total > len(usable))
    return ArgumentValues(values=tuple(usable), has_more=has_more or len(values) > len(usable))
