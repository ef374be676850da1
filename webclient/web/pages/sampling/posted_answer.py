"""Reads the answer that was posted from the card of a sampling request, and checks that it may be sent."""

from __future__ import annotations

from dataclasses import replace

from webclient.domain.i18n import gettext as _
from webclient.domain.model import Action, InputRequest, Stage
from webclient.inbox import CheckedAnswer, check_answer
from webclient.services import Services
from webclient.support.schema_thread import run_schema_work
from webclient.web.pages.inbox.cards import PendingCard
from webclient.web.pages.posted_form import Posted
from webclient.web.pages.sampling.cards import read_surroundings
from webclient.web.pages.sampling.view import SamplingView, is_stale, typed_texts


async def check_posted(services: Services, request: InputRequest, posted: Posted) -> CheckedAnswer | PendingCard:
    """Return the posted answer, checked; or the card that says what is wrong with it, with everything typed.

    Raises AlreadySettledError, and InvalidAnswerError if the answer breaks a rule of MCP.
    """
    around = await read_surroundings(services, request)
    view = SamplingView(request=request, around=around, typed=typed_texts(request, posted), checked=True)
    if view.stage is Stage.GENERATING or is_stale(request, posted):
        changed = _("Not sent: this question has changed since it was shown. Look at it again.")
        return PendingCard(request=request, sampling=view, errors={"": changed})
    # The arguments of tools are checked against schemas that a server wrote.
    answer = await run_schema_work(lambda: view.answer, long=True)
    if answer.result is None:
        return PendingCard(request=request, sampling=view)
    if answer.secrets and not view.confirmed:
        return PendingCard(request=request, sampling=replace(view, confirms=True))
    return await check_answer(request, Action.ACCEPT, answer.result)
