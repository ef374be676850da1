"""Drafts: text typed into a card is stored until the request is settled, and shown on the next visit."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, Response

from webclient.content.forms import (
    JSON_CONTROL,
    Form,
    Texts,
    as_plain_text,
    as_posted,
    draftable,
    files_to_choose,
    touched,
    typed_texts,
    withheld_fields,
)
from webclient.content.links import Link
from webclient.content.secrets import looks_secret, may_become_secret
from webclient.domain.approvals import APPROVAL
from webclient.domain.executions import effect_of
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import listed, sentences
from webclient.domain.model import Call, InputRequest, ListedRequest
from webclient.inbox import kind_of, links_of
from webclient.services import Services
from webclient.store import CardRows, Draft, StorageError
from webclient.support.schema_thread import run_schema_work
from webclient.web.http import RequestDep, ServicesDep
from webclient.web.pages.calls.call_status import title_for
from webclient.web.pages.inbox import cards, typed_cards
from webclient.web.pages.inbox.cards import Card, OutcomeCard, PendingCard
from webclient.web.pages.inbox.differences import compare
from webclient.web.pages.inbox.permissions import asks_anyway
from webclient.web.pages.inbox.rule_suggestions import with_suggestion
from webclient.web.pages.posted_form import Posted, PostedDep, first
from webclient.web.pages.reach import reach
from webclient.web.pages.sampling import drafts as sampling_drafts
from webclient.web.pages.sampling.cards import drafted_card, is_sampling, with_sampling

router = APIRouter(include_in_schema=False)

_NAMED = 5
"""Withheld fields that a sentence names."""

UNSENT_SHOWN = 10
"""The number of unsent drafts that the inbox lists."""


@router.post("/requests/{request_id}/draft")
async def post_draft(services: ServicesDep, posted: PostedDep, request: RequestDep) -> Response:
    """Save a draft and return the sentence on what was saved; 204 if the request takes none."""
    said = await _save(services, request, posted)
    return PlainTextResponse(said) if said else Response(status_code=204)


async def save(services: Services, request: InputRequest, posted: Posted) -> str:
    """Save the posted text as a draft; return the sentence on what was saved, or "".

    A storage failure is a sentence as well: the page with the typed text must not fail for it.
    """
    try:
        return await _save(services, request, posted)
    except StorageError as error:
        return _("Draft not saved. {reason}").format(reason=error)


async def save_typed(services: Services, request: InputRequest, posted: Posted) -> bool:
    """Save typed text as a draft; return whether there is any.

    Raises StorageError.
    """
    if is_sampling(request):
        remaining, withheld = sampling_drafts.storable(request, posted)
        if remaining:
            await services.store.of(request.user_id).drafts.save(request.id, remaining)
        return bool(remaining) or withheld
    if not _takes_drafts(request):
        return False
    _form, saved_texts, changed = await run_schema_work(_storable, request, posted, long=cards.is_long(request))
    # A message that is sent with a decline was in the draft before.
    if changed or cards.takes_message(request):
        await services.store.of(request.user_id).drafts.save(request.id, saved_texts)
    return bool(changed)


async def _save(services: Services, request: InputRequest, posted: Posted) -> str:
    if not _takes_drafts(request):
        return ""
    if is_sampling(request):
        remaining, withheld = sampling_drafts.storable(request, posted)
        saved = await _replace(services, request, remaining)
        return sampling_drafts.said(remaining, withheld=withheld) if saved else ""
    form, saved_texts, changed = await run_schema_work(_storable, request, posted, long=cards.is_long(request))
    saved = await _replace(services, request, saved_texts)
    if not saved or not changed:
        return ""
    files = {field.control for field in files_to_choose(form, saved_texts)}
    if saved_texts:
        return _said(form, saved_texts)
    return _choose_again(form, {}) if changed <= files else _("Draft not saved because it may contain a secret.")


async def _replace(services: Services, request: InputRequest, texts: Texts) -> bool:
    """Replace the draft of the request; return whether it takes one. Pages hear of a change that they show."""
    rows = services.store.of(request.user_id).drafts
    before = (await rows.find([request.id])).get(request.id)
    saved = await rows.save(request.id, texts)
    had_draft = before is not None and not before.prefilled
    # What was typed before the question ended, and came after, is shown in its outcome; else a row says "Draft".
    if saved and (not request.pending or had_draft != bool(texts)):
        services.hub.publish(request.user_id, "request", request.id)
    return saved


def _storable(request: InputRequest, posted: Posted) -> tuple[Form, Texts, Set[str]]:
    """Return the form, the texts that may be stored if there are any, and the controls that were changed."""
    form = cards.form_of(request)
    texts = typed_texts(form, posted)
    saved_texts = draftable(form, texts, str(request.params.get("message", "")))
    changed = {field.control for field in touched(form, texts)} | (texts.keys() & {JSON_CONTROL})
    message = first(posted, cards.DECLINE_MESSAGE) if cards.takes_message(request) else ""
    is_secret = bool(message) and (looks_secret(message) or may_become_secret(message))
    if message.strip():
        changed.add(cards.DECLINE_MESSAGE)
        saved_texts |= {} if is_secret else {cards.DECLINE_MESSAGE: [message]}
    if not saved_texts.keys() & changed:
        return form, {}, changed
    # Without texts, a message was left out.
    return form, saved_texts | ({cards.DECLINE_MESSAGE: []} if is_secret else {}), changed


async def cards_of(services: Services, user_id: str, requests: Sequence[InputRequest]) -> list[Card]:
    """Return the cards of the user's requests with their drafts."""
    if not requests:
        return []
    rows = await services.store.of(user_id).changes.around_cards(
        [each.id for each in requests if _takes_drafts(each)], [each for each in requests if each.pending]
    )
    saved_texts = rows.drafts
    links = await links_of(services.store, user_id, [each for each in requests if cards.shows_link(each)])
    calls = await _repeatable(services, user_id, {each.call_id for each in requests if not each.pending})
    found: list[Card] = []
    for each in requests:
        draft, link = saved_texts.get(each.id), links.get(each.id)
        long = (each.pending or draft is not None) and cards.is_long(each)
        card = await run_schema_work(_as_left, each, draft, link, long=long)
        if isinstance(card, PendingCard):
            found.append(replace(card, reach=reach(each, services.connections.status(each.server_key))))
        else:
            found.append(replace(card, call=calls.get(each.call_id or "")))
    found = await with_sampling(services, found)
    return await with_rounds(services, user_id, await _with_calls(services, user_id, found, rows))


async def with_rounds(services: Services, user_id: str, found: Sequence[Card]) -> list[Card]:
    """Add to the cards whether another request of their round is pending."""
    in_rounds = [card for card in found if isinstance(card, PendingCard) and card.request.total > 1]
    calls = {card.request.call_id for card in in_rounds if card.request.call_id}
    pending = await services.store.of(user_id).rounds.pending(calls) if calls else []
    return [
        replace(card, others_pending=any(_is_beside(each, card.request) for each in pending))
        if isinstance(card, PendingCard) and card.request.total > 1
        else card
        for card in found
    ]


def _is_beside(other: ListedRequest, request: InputRequest) -> bool:
    return (other.call_id, other.round) == (request.call_id, request.round) and other.id != request.id


async def _repeatable(services: Services, user_id: str, call_ids: Set[str | None]) -> dict[str, Call]:
    """Return the calls by id whose servers still exist."""
    calls = await services.store.of(user_id).calls.by_ids(call_ids)
    servers = {server.id for server in await services.store.of(user_id).servers.all()} if calls else set()
    return {call_id: call for call_id, call in calls.items() if call.server_id in servers}


async def unsent(services: Services, user_id: str) -> list[ListedRequest]:
    """Return the newest requests that ended while the user had an unsent draft."""
    ids = await services.store.of(user_id).drafts.unsent(UNSENT_SHOWN)
    found = await services.store.of(user_id).request_lists.by_ids(ids) if ids else {}
    return [found[request_id] for request_id in ids if request_id in found]


async def add_history(services: Services, user_id: str, found: Sequence[Card]) -> list[Card]:
    """Add earlier declines, known requesters, possible calls and titles of calls to the cards."""
    pending = [card.request for card in found if card.request.pending]
    rows = await services.store.of(user_id).changes.around_cards([], pending) if pending else CardRows()
    found = await with_sampling(services, found)
    return await with_rounds(services, user_id, await _with_calls(services, user_id, found, rows))


async def _with_calls(services: Services, user_id: str, found: Sequence[Card], rows: CardRows) -> list[Card]:
    possible = {id_ for card in found if card.request.pending for id_ in card.request.possible_calls}
    calls = await services.store.of(user_id).calls.by_ids(possible)
    found = await _executed(services, user_id, [await _compared(services, card) for card in found])
    titled = [replace(card, title=title_for(services, card.request)) for card in found]
    return [
        replace(
            card,
            declined=rows.declines.get(card.request.id, 0),
            known=rows.known.get(card.request.server_id),
            possible=[calls[id_] for id_ in card.request.possible_calls if id_ in calls],
        )
        if isinstance(card, PendingCard)
        else card
        for card in titled
    ]


async def _executed(services: Services, user_id: str, found: Sequence[Card]) -> list[Card]:
    """Return the cards, those of approvals with their effect and the rule that they suggest."""
    approved = {card.request.call_id for card in found if card.request.kind == APPROVAL and not card.request.pending}
    calls = await services.store.of(user_id).calls.by_ids(approved) if approved else {}
    return [
        await with_suggestion(services, replace(card, effect=effect_of(call, card.request) if call else None))
        if isinstance(card, OutcomeCard) and card.request.kind == APPROVAL
        else card
        for card, call in ((card, calls.get(card.request.call_id or "")) for card in found)
    ]


async def _compared(services: Services, card: Card) -> Card:
    """Return the card of a proposed call with what differs from the last approved one, and whether rules can help."""
    request = card.request
    if not isinstance(card, PendingCard) or request.kind != APPROVAL or request.undoable:
        return card
    earlier = await services.store.of(request.user_id).earlier_requests.answers(request)
    approved = [each for each in (earlier.last, *earlier.alike) if each is not None and each.content is not None]
    last = max(approved, key=lambda each: each.created_at, default=None)
    compared = compare(last, request) if last else None
    return replace(card, compared=compared, asks_anyway=await asks_anyway(services, request))


def _takes_drafts(request: InputRequest) -> bool:
    """Whether the request takes drafts: while pending, and for text that arrives just after its end."""
    is_typed_into = kind_of(request).has_form or is_sampling(request) or cards.takes_message(request)
    return (request.pending or request.ended_unsent) and is_typed_into


def _as_left(request: InputRequest, draft: Draft | None, link: Link | None) -> PendingCard | OutcomeCard:
    """Return the card as its draft left it."""
    if draft is None:
        return cards.untouched(request, link)
    if is_sampling(request):
        return _sampling_as_left(request, draft)
    form = cards.form_of(request)
    parsed = kind_of(request).read(request, as_posted(form, draft.texts))
    message = "".join(draft.texts.get(cards.DECLINE_MESSAGE, ()))
    if not request.pending:
        lines = [as_plain_text(form, parsed)] if parsed else []
        lines += [_("Your message: {message}").format(message=message)] if message else []
        return OutcomeCard(request=request, typed="\n".join(filter(None, lines)))
    said = carried(form, draft.texts) if draft.prefilled else _said(form, draft.texts)
    card = typed_cards.filled(request, parsed) if parsed else cards.pending_card(request, link)
    return replace(card, draft=said, decline_message=message)


def _sampling_as_left(request: InputRequest, draft: Draft) -> PendingCard | OutcomeCard:
    if not request.pending:
        return OutcomeCard(request=request, typed=sampling_drafts.as_plain_text(draft.texts))
    return replace(drafted_card(request, draft.texts), draft=sampling_drafts.said(draft.texts, withheld=False))


def carried(form: Form, saved_texts: Texts) -> str:
    """Return the sentence on a form that is filled in with an earlier answer."""
    said = _("Filled in with your previous answer. Check it before sending.")
    withheld = withheld_fields(form, saved_texts)
    return sentences([said, _("Values that may be secret were not stored. Fill them in again.")]) if withheld else said


def _choose_again(form: Form, saved_texts: Texts) -> str:
    """Return the sentence on files, which are not saved; "" if the form takes none."""
    names = listed(f"“{field.label}”" for field in files_to_choose(form, saved_texts)[:_NAMED])
    return _("Files are not saved. After a reload, choose again: {names}.").format(names=names) if names else ""


def _said(form: Form, saved_texts: Texts) -> str:
    withheld = [field.label for field in withheld_fields(form, saved_texts)]
    withheld += [_("Your message")] if saved_texts.get(cards.DECLINE_MESSAGE) == [] else []
    if not withheld:
        return sentences(filter(None, [_("Draft saved."), _choose_again(form, saved_texts)]))
    names = listed(f"“{label}”" for label in withheld[:_NAMED])
    return _("Draft saved without {names}, which may be secret.").format(names=names)
