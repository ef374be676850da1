"""Drafts: text typed into a card is stored until the request is settled, and shown on the next visit."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse, Response

from webclient.forms import (
    JSON_CONTROL,
    Form,
    Parsed,
    Texts,
    as_plain_text,
    as_posted,
    draftable,
    touched,
    withheld_fields,
)
from webclient.http import PrincipalDep, ServicesDep
from webclient.i18n import gettext as _
from webclient.i18n import ngettext
from webclient.inbox import kind_of, links_of
from webclient.model import Call, InputRequest
from webclient.pages import cards
from webclient.pages.cards import Card
from webclient.pages.posted_form import Posted, read_posted_form
from webclient.pages.reach import reach
from webclient.schema_thread import run_schema_work
from webclient.services import Services
from webclient.store import Draft, StorageError

router = APIRouter(include_in_schema=False)

UNSENT_SHOWN = 10
"""The number of unsent drafts that the inbox lists."""


@router.post("/requests/{request_id}/draft")
async def post_draft(
    http_request: Request, request_id: str, services: ServicesDep, principal: PrincipalDep
) -> Response:
    """Save a draft and return the sentence on what was saved; 204 if the request takes none."""
    posted = await read_posted_form(http_request, services)
    request = await services.store.of(principal.user_id).requests.get(request_id)
    said = await _save(services, request, posted)
    return PlainTextResponse(said) if said else Response(status_code=204)


async def save(services: Services, request: InputRequest, posted: Posted) -> str:
    """Save the posted text as a draft; return the sentence on what was saved, or "".

    A storage failure is a sentence as well: the page with the typed text must not fail for it.
    """
    try:
        return await _save(services, request, posted)
    except StorageError as error:
        return _("Draft not saved: {why}.").format(why=error.why)


async def _save(services: Services, request: InputRequest, posted: Posted) -> str:
    if not _takes_drafts(request):
        return ""
    form, saved_texts, changed = await run_schema_work(_storable, request, posted, long=cards.is_long(request))
    if not saved_texts.keys() & changed:
        saved_texts = {}
    saved = await services.store.of(request.user_id).drafts.save(request.id, saved_texts)
    if saved and not request.pending:
        # It was typed before the question ended, and came after: the outcome shows it.
        services.hub.publish(request.user_id, "request", request.id)
    if not saved or not changed:
        return ""
    return _said(form, saved_texts) if saved_texts else _("Draft not saved because it may contain a secret.")


def _storable(request: InputRequest, posted: Posted) -> tuple[Form, Texts, Set[str]]:
    """Return the form, the texts that may be stored, and the controls that were changed."""
    form = cards.form_of(request)
    texts = cards.texts_of(form, posted)
    saved_texts = draftable(form, texts, str(request.params.get("message", "")))
    return form, saved_texts, {field.control for field in touched(form, texts)} | (texts.keys() & {JSON_CONTROL})


async def cards_of(services: Services, user_id: str, requests: Sequence[InputRequest]) -> list[Card]:
    """Return the cards of the user's requests with their drafts."""
    saved_texts = await services.store.of(user_id).drafts.find([each.id for each in requests if _takes_drafts(each)])
    links = await links_of(services.store, user_id, [each for each in requests if cards.shows_link(each)])
    calls = await _repeatable(services, user_id, {each.call_id for each in requests if not each.pending})
    found = [
        replace(
            await run_schema_work(_as_left, each, saved_texts[each.id], long=cards.is_long(each))
            if each.id in saved_texts
            else await run_schema_work(
                cards.untouched, each, links.get(each.id), long=each.pending and cards.is_long(each)
            ),
            call=calls.get(each.call_id or ""),
            reach=reach(each, services.connections.status(each.server_id)),
        )
        for each in requests
    ]
    return await asked_before(services, user_id, found)


async def _repeatable(services: Services, user_id: str, call_ids: Set[str | None]) -> dict[str, Call]:
    """Return the calls by id whose servers still exist."""
    calls = await services.store.of(user_id).calls.by_ids(call_ids)
    servers = {server.id for server in await services.store.of(user_id).servers.all()} if calls else set()
    return {call_id: call for call_id, call in calls.items() if call.server_id in servers}


async def unsent(services: Services, user_id: str) -> list[InputRequest]:
    """Return the newest requests that ended while the user had an unsent draft."""
    ids = await services.store.of(user_id).drafts.unsent(UNSENT_SHOWN)
    return [await services.store.of(user_id).requests.get(request_id) for request_id in ids]


async def asked_before(services: Services, user_id: str, found: Sequence[Card]) -> list[Card]:
    """Add to the cards how often the same was declined, and the calls that may have asked."""
    pending = [card.request for card in found if card.request.pending]
    declines = await services.store.of(user_id).requests.declines(pending) if pending else {}
    calls = await services.store.of(user_id).calls.by_ids({id_ for each in pending for id_ in each.possible_calls})
    return [
        replace(
            card,
            declined=declines.get(card.request.id, 0),
            possible=[calls[id_] for id_ in card.request.possible_calls if id_ in calls],
        )
        for card in found
    ]


def _takes_drafts(request: InputRequest) -> bool:
    """Whether the request takes drafts: while pending, and for text that arrives just after its end."""
    unanswered = request.pending or request.ended_unanswered
    return unanswered and kind_of(request).has_form


def _as_left(request: InputRequest, draft: Draft) -> Card:
    form = cards.form_of(request)
    parsed = kind_of(request).read(request, as_posted(form, draft.texts)) or Parsed()
    if not request.pending:
        return replace(cards.untouched(request), typed=as_plain_text(form, parsed))
    said = _carried(form, draft.texts) if draft.prefilled else _said(form, draft.texts)
    return replace(cards.filled(request, parsed), draft=said)


def _carried(form: Form, saved_texts: Texts) -> str:
    said = _("Filled in with your previous answer. Check it before sending.")
    withheld = withheld_fields(form, saved_texts)
    return f"{said} {_('Values that may be secret were not stored. Fill them in again.')}" if withheld else said


def _said(form: Form, saved_texts: Texts) -> str:
    withheld = withheld_fields(form, saved_texts)
    if not withheld:
        return _("Draft saved.")
    return ngettext(
        "Draft saved without “{name}”, which may be a secret.",
        "Draft saved without {n} fields that may be secrets.",
        len(withheld),
    ).format(name=withheld[0].label, n=len(withheld))
