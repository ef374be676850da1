"""The cards of sampling requests, with what services know around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from webclient.content.forms import Texts
from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Action, InputRequest, SamplingRule, Stage
from webclient.inbox import CheckedAnswer, check_answer
from webclient.services import Services
from webclient.support.schema_thread import run_schema_work
from webclient.web.pages.inbox.cards import Card, PendingCard
from webclient.web.pages.posted_form import Posted
from webclient.web.pages.sampling.view import SamplingView, Surroundings, is_stale, typed_texts

KIND = "sampling"


def is_sampling(request: InputRequest) -> bool:
    """Return whether the request is for an answer of a language model."""
    return request.kind == KIND


async def with_sampling(services: Services, found: Sequence[Card]) -> list[Card]:
    """Return the cards, those of pending sampling requests with what they show; others as they are."""
    return [await _with_view(services, card) if isinstance(card, PendingCard) else card for card in found]


async def read_surroundings(services: Services, request: InputRequest) -> Surroundings:
    """Read the models, the rule of the server and what it has used today."""
    try:
        rule = (await services.store.of(request.user_id).servers.get(request.server_id)).sampling
    except NotFoundError:
        rule = SamplingRule()
    return Surroundings(
        models=tuple(services.models.all),
        choice=services.models.choose(request.params.get("modelPreferences")),
        rule=rule,
        spent=await services.sampling.spent(request.user_id, request.server_id),
        so_far=services.sampling.so_far(request.id),
    )


def typed_card(request: InputRequest, posted: Sequence[tuple[str, str]]) -> PendingCard:
    """Return the card with what was posted to it."""
    return PendingCard(request=request, texts=typed_texts(request, posted))


def drafted_card(request: InputRequest, texts: Texts) -> PendingCard:
    """Return the card with a stored draft."""
    return typed_card(request, [(name, text) for name in texts for text in texts[name]])


async def _with_view(services: Services, card: PendingCard) -> PendingCard:
    if not is_sampling(card.request) or card.request.undoable or card.sampling is not None:
        return card
    around = await read_surroundings(services, card.request)
    return replace(card, sampling=SamplingView(request=card.request, around=around, typed=card.texts or None))


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
