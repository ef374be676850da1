"""Checks a posted answer and sends it: at once, or when it can no longer be undone."""

from __future__ import annotations

from dataclasses import replace

from webclient.content.forms import Parsed
from webclient.domain.approvals import APPROVAL
from webclient.domain.model import Action, InputRequest, Via
from webclient.inbox import RESPOND, CheckedAnswer, check_answer, check_parsed
from webclient.services import Services
from webclient.support.schema_thread import run_schema_work
from webclient.web.pages.inbox import cards, drafts, typed_cards
from webclient.web.pages.inbox.cards import PendingCard
from webclient.web.pages.inbox.proposals import WITH_MESSAGE, WITH_RESPONSE
from webclient.web.pages.inbox.too_soon import milliseconds_shown
from webclient.web.pages.posted_form import Posted, first
from webclient.web.pages.sampling.cards import check_posted, is_sampling


async def check_posted_answer(
    services: Services, request: InputRequest, action: Action, parsed: Parsed | None, posted: Posted
) -> CheckedAnswer | PendingCard:
    """Return the posted answer, or the card that says why it is not sent. Raises InvalidAnswerError."""
    if action is Action.ACCEPT and is_sampling(request) and request.pending:
        return await check_posted(services, request, posted)
    if first(posted, WITH_RESPONSE):
        return await check_answer(request, action, {RESPOND: first(posted, RESPOND)})
    if parsed is None:
        message = first(posted, cards.DECLINE_MESSAGE) if first(posted, WITH_MESSAGE) else None
        return await check_answer(request, action, message=message)
    checked = await check_parsed(request, parsed)
    return await _stopped(request, parsed, posted) or _looked_at(checked, posted)


async def send_answer(services: Services, answer: CheckedAnswer, posted: Posted, *, can_wait: bool) -> InputRequest:
    """Send an answer; an approval that `can_wait`, or one that leaves typed text, when it can no longer be undone.

    Raises AlreadySettledError.
    """
    if answer.action is Action.ACCEPT:
        if can_wait and _is_mere_yes(answer):
            return await services.decisions.decide(answer, posted)
    else:
        unsent = [(name, text) for name, text in posted if not answer.message or name != cards.DECLINE_MESSAGE]
        if await drafts.save_typed(services, answer.request, unsent) or answer.message:
            return await services.decisions.decide(answer, posted)
    return await services.inbox.answer(answer, via=Via.PAGE)


async def _stopped(request: InputRequest, parsed: Parsed, posted: Posted) -> PendingCard | None:
    """Return the card that asks to confirm credentials; None if the answer may be sent."""
    if first(posted, cards.CONFIRMED):
        return None
    return await run_schema_work(typed_cards.stopped, request, parsed, long=cards.is_long(request))


def _looked_at(answer: CheckedAnswer, posted: Posted) -> CheckedAnswer:
    """Return the answer with how long its card was shown; of a second look alone, that says nothing."""
    is_first = answer.request.kind == APPROVAL and not first(posted, cards.CONFIRMED)
    return replace(answer, looked_ms=milliseconds_shown(posted)) if is_first else answer


def _is_mere_yes(answer: CheckedAnswer) -> bool:
    """Return whether an answer is a mere yes to a question that stands alone; nothing runs at once for it."""
    request = answer.request
    stands_alone = cards.takes_form(request) and not request.parts and request.total == 1
    return stands_alone and request.kind != APPROVAL and not answer.content
