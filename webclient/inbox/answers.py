"""Answers: checked once, before the inbox takes them; and as the server gets them, once the request is settled.

A program gives content, a person posts the fields of a card. Long schemas are checked in a thread.
"""

from __future__ import annotations

from collections.abc import Sequence

from webclient.errors import AlreadySettledError
from webclient.forms import Parsed
from webclient.i18n import gettext as _
from webclient.i18n import sentences
from webclient.inbox.kinds import CheckedAnswer, kind_of
from webclient.model import Action, InputRequest, Json
from webclient.schema_thread import run_schema_work


async def check_answer(request: InputRequest, action: Action, content: Json | None = None) -> CheckedAnswer:
    """Check an answer to a pending request; an accepted form without `content` is sent as prefilled.

    Raises AlreadySettledError, and InvalidAnswerError if the answer does not fit the request.
    """
    if not request.pending:
        raise already_settled(request)
    kind = kind_of(request)
    return await run_schema_work(kind.check, request, action, content, long=kind.is_long(request))


async def read_posted(request: InputRequest, posted: Sequence[tuple[str, str]]) -> Parsed | None:
    """Read and check the posted fields of a card; None if answers of its kind have no content."""
    kind = kind_of(request)
    return await run_schema_work(kind.read, request, posted, long=kind.is_long(request))


async def check_parsed(request: InputRequest, parsed: Parsed) -> CheckedAnswer:
    """Return the accepting answer from the result of `read_posted`. Raises InvalidAnswerError."""
    kind = kind_of(request)
    return await run_schema_work(kind.check_parsed, request, parsed, long=kind.is_long(request))


def already_settled(request: InputRequest) -> AlreadySettledError:
    """Return the error for an answer to a request that was settled before."""
    message = sentences([_("This question is already settled."), kind_of(request).describe(request)])
    return AlreadySettledError(message, request)


def result_of(request: InputRequest) -> Json | None:
    """Return what the server gets for a settled request, as MCP has it; None if MCP has no form for it."""
    return kind_of(request).result(request)
