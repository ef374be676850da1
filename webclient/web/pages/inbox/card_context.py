"""The context beside an opened card: its call, and earlier answers to the same question.

An earlier answer fills in the form on demand. It is never sent by itself, and values that may be secrets are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from webclient.content.forms import as_posted
from webclient.content.visible_text import visible
from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import sentences
from webclient.domain.model import Call, CallKind, InputRequest, Json, RequestState, Via
from webclient.inbox import kind_of, texts_to_change
from webclient.services import Services
from webclient.store import EarlierAnswers
from webclient.support.schema_thread import run_schema_work
from webclient.support.standard_json import json_equal
from webclient.web.pages.calls.call_status import call_title
from webclient.web.pages.inbox import cards, drafts, typed_cards
from webclient.web.pages.inbox.cards import Card, OutcomeCard, PendingCard
from webclient.web.pages.page_context import find_server

MOST_OTHERS = 3
"""The number of answers to other questions of the same form that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardContext:
    """The surroundings of the card of a pending request.

    `count` is how often the person said yes to the same question, `last` the newest of these answers. `others` are
    answers to other questions of the same form and tool. `call` is None if it is not known or not one of ours, `title`
    is that of its tool or "", `arguments` are by label.
    """

    card: PendingCard
    call: Call | None = None
    title: str = ""
    arguments: Mapping[str, Any]
    count: int = 0
    last: OutcomeCard | None = None
    others: Sequence[OutcomeCard] = ()

    @property
    def takes_answers(self) -> bool:
        """Whether an earlier answer can be filled in: into fields that ask for no secret, of which nothing is typed."""
        form = self.card.form
        return form is not None and bool(form.fields) and not (form.unanswerable or self.card.warnings)


async def read_context(services: Services, card: Card | None) -> CardContext | None:
    """Return what stands beside the card; None if there is nothing."""
    if not isinstance(card, PendingCard) or card.request.undoable:
        return None
    request = card.request
    store = services.store.of(request.user_id)
    calls = await store.calls.by_ids({request.call_id}) if request.call_id else {}
    call = calls.get(request.call_id or "")
    server = await find_server(services, request.user_id, request.server_id) if call else None
    tool = services.connections.last_catalog(server.key).tool(call.name) if server and call else None
    earlier = EarlierAnswers() if cards.is_long(request) else await store.earlier_requests.answers(request)
    others = [OutcomeCard(request=each) for each in earlier.alike if fits(request, each)]
    context = CardContext(
        card=card,
        call=call,
        title=call_title(services, call, server) if call else "",
        arguments=labelled(card.arguments, tool if call and call.kind is CallKind.TOOL else None),
        count=earlier.count,
        last=OutcomeCard(request=earlier.last) if earlier.last else None,
        others=others[:MOST_OTHERS] if not earlier.count else [],
    )
    return context if context.call or context.count or context.others else None


def labelled(arguments: Mapping[str, Any], tool: Json | None) -> Mapping[str, Any]:
    """Return the arguments by the titles that the tool's schema has for them; names stay if two were the same."""
    schema = (tool or {}).get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    known = properties if isinstance(properties, dict) else {}
    titles = {name: _title(known.get(name)) or name for name in arguments}
    if len(set(titles.values())) < len(titles):
        return arguments
    return {titles[name]: value for name, value in arguments.items()}


def _title(schema: Any) -> str:
    title = schema.get("title") if isinstance(schema, dict) else None
    return visible(title, 120) if isinstance(title, str) else ""


def fits(request: InputRequest, earlier: InputRequest) -> bool:
    """Return whether an earlier answer can fill in the form: of the same server, call name and schema."""
    return (
        earlier.state is RequestState.ACCEPTED
        and earlier.via is Via.PAGE
        and (earlier.server_id, earlier.kind) == (request.server_id, request.kind)
        and earlier.call_name == request.call_name
        and kind_of(request).has_form
        and json_equal(earlier.params.get("requestedSchema"), request.params.get("requestedSchema"))
    )


async def filled_in(services: Services, request: InputRequest, earlier_id: str) -> PendingCard:
    """Return the card of a pending request, filled in with an earlier answer.

    Raises NotFoundError if there is none of this id that fits.
    """
    store = services.store.of(request.user_id)
    earlier = await store.requests.get(earlier_id)
    if not request.pending or not fits(request, earlier):
        raise NotFoundError(_("This answer doesn't fit the question."))
    card = await run_schema_work(_filled_in, request, earlier, long=cards.is_long(request))
    has_draft = request.id in await store.drafts.find([request.id])
    return replace(card, draft=sentences([card.draft, _("Your draft is kept until you type.")])) if has_draft else card


def _filled_in(request: InputRequest, earlier: InputRequest) -> PendingCard:
    texts = texts_to_change(earlier)
    form = cards.form_of(request)
    parsed = kind_of(request).read(request, as_posted(form, texts))
    card = typed_cards.filled(request, parsed) if parsed and texts else cards.pending_card(request)
    return replace(card, draft=drafts.carried(form, texts))
