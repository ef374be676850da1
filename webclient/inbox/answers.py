"""Answers: checked once, before the inbox takes them; and as the server gets them, once the request is settled.

A program gives content, a person posts the fields of a card. Long schemas are checked in a thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from unicodedata import category

from webclient.content.forms import Parsed
from webclient.domain.errors import AlreadySettledError, InvalidAnswerError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import ngettext, sentences
from webclient.domain.model import Action, InputRequest, Json
from webclient.inbox.kinds import CheckedAnswer, kind_of
from webclient.support.schema_thread import run_schema_work

_UNSENDABLE = frozenset({"Cc", "Cs"})

LONGEST_MESSAGE = 2_000
"""Characters of the message of a decline."""


async def check_answer(
    request: InputRequest, action: Action, content: Json | None = None, *, message: str | None = None
) -> CheckedAnswer:
    """Check an answer to a pending request; an accepted form without `content` is sent as prefilled.

    `message` is what the person declines with. Raises AlreadySettledError, and InvalidAnswerError if the answer does
    not fit the request.
    """
    if not request.pending:
        raise already_settled(request)
    message = _checked_message(action, message)
    kind = kind_of(request)
    checked = await run_schema_work(kind.check, request, action, content, long=kind.is_long(request))
    return replace(checked, message=message) if message else checked


def _checked_message(action: Action, message: str | None) -> str | None:
    text = (message or "").replace("\r\n", "\n").strip()
    wrong = ""
    if text and action is not Action.DECLINE:
        wrong = _("Only a decline has a message.")
    elif len(text) > LONGEST_MESSAGE:
        wrong = ngettext(
            "The message has {n} character, and {most} are allowed.",
            "The message has {n} characters, and {most} are allowed.",
            len(text),
        ).format(n=len(text), most=LONGEST_MESSAGE)
    elif any(category(char) in _UNSENDABLE and char not in "\n\t" for char in text):
        wrong = _("This contains a character that cannot be sent, such as NUL or half of a surrogate pair.")
    if wrong:
        raise InvalidAnswerError(wrong, {"message": wrong})
    return text or None


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
