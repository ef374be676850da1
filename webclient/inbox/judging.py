"""Judges answers, each once: what a program gave, and what a person posted. A long schema is judged in a thread."""

from __future__ import annotations

from collections.abc import Sequence

from webclient.errors import AlreadySettledError
from webclient.forms import Parsed
from webclient.i18n import gettext as _
from webclient.inbox.answers import CheckedAnswer
from webclient.inbox.kinds import kind_of
from webclient.model import Action, InputRequest, Json
from webclient.schema_thread import run_schema_work


async def check_answer(request: InputRequest, action: Action, content: Json | None = None) -> CheckedAnswer:
    """Judge an answer to a pending request; an accepted form without `content` is sent as prefilled.

    Raises AlreadySettledError, and InvalidAnswerError when the answer does not fit what the server asked.
    """
    if not request.pending:
        raise already_settled(request)
    kind = kind_of(request)
    return await run_schema_work(kind.check, request, action, content, long=kind.is_long(request))


async def read_posted(request: InputRequest, posted: Sequence[tuple[str, str]]) -> Parsed | None:
    """Read and judge what the card of a pending request posted; None if an answer of its kind has no content."""
    kind = kind_of(request)
    return await run_schema_work(kind.read, request, posted, long=kind.is_long(request))


async def check_parsed(request: InputRequest, parsed: Parsed) -> CheckedAnswer:
    """Return the accepting answer that `read_posted` has read and judged. Raises InvalidAnswerError."""
    kind = kind_of(request)
    return await run_schema_work(kind.check_parsed, request, parsed, long=kind.is_long(request))


def already_settled(request: InputRequest) -> AlreadySettledError:
    """Return the error for an answer that came too late."""
    message = _("This was settled before: {what}").format(what=kind_of(request).describe(request))
    return AlreadySettledError(message, request)
