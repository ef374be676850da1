"""The timeline of a call: one entry for each event, in the order of the questions, with the card of each in its place.

A question and its answer stand together, so that no card moves while the person answers another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from webclient.content.visible_text import visible
from webclient.domain.approvals import Verb, written_digest
from webclient.domain.executions import HistoryEntry, Step, history_of
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import listed, ngettext
from webclient.domain.model import (
    Call,
    Delivery,
    InputRequest,
    ListedRequest,
    Origin,
    RequestState,
    ServerState,
    ServerStatus,
)
from webclient.inbox import link_of
from webclient.web.pages.inbox.cards import Card

NAMED = 5
"""Opened links, or changed arguments, that a sentence names."""

DIGITS = 12
"""Digits of a digest that an entry shows; the API has all."""

_ANSWERED = (
    RequestState.ACCEPTED,
    RequestState.DECLINED,
    RequestState.CANCELLED,
    RequestState.WAITING,
    RequestState.COMPLETED,
)
"""The states of a request whose answer went to the server."""

_TOGETHER = (Origin.ROUND, Origin.REQUIRED)
"""How requests come of which several are answered together; the others stand for themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """One event: the `id` of its element, its `title`, a `note`, and the cards that stand below it."""

    id: str
    at: datetime
    title: str
    note: str = ""
    cards: Sequence[Card] = ()


def timeline(call: Call, cards: Sequence[Card]) -> list[TimelineEntry]:
    """Return the entries of the call; `cards` are those on its page, oldest first."""
    found: list[TimelineEntry] = []
    requests = [card.request for card in cards]
    sent = {entry.id: entry for entry in sent_entries(call, requests)}
    history = approval_entries(call, requests)
    for key, group in groupby(cards, key=lambda card: _key(card.request)):
        together = list(group)
        while history and history[0].at <= together[0].request.created_at:
            found.append(history.pop(0))
        found.append(replace(arrival_entry(together[0].request), cards=together))
        if entry := sent.pop(f"sent-{key}", None):
            found.append(entry)
    return [*found, *history]


def approval_entries(call: Call, requests: Sequence[InputRequest]) -> list[TimelineEntry]:
    """Return the entries after the proposal of a call; that one has its card."""
    return [_of_history(each) for each in history_of(call, requests) if each.step is not Step.PROPOSED]


def _of_history(entry: HistoryEntry) -> TimelineEntry:
    titles = {Step.DECIDED: _("Decided"), Step.EXECUTED: _("Sent to its server"), Step.RETURNED: _("Returned")}
    id_ = f"{entry.step}-{entry.request_id}" if entry.request_id else str(entry.step)
    notes = [_decision(entry), _digest(entry.digest)]
    return TimelineEntry(id=id_, at=entry.at, title=titles[entry.step], note=" · ".join(filter(None, notes)))


def _decision(entry: HistoryEntry) -> str:
    names = listed(f"“{visible(name, 60)}”" for name in entry.edited[:NAMED])
    words = {
        Verb.APPROVE: _("Approved as it was proposed"),
        Verb.EDIT: _("Approved with changes: {names}").format(names=names) if names else _("Approved with changes"),
        Verb.REJECT: _("Declined"),
        Verb.RESPOND: _("Answered in the place of the tool"),
    }
    return words[entry.verb] if entry.verb else ""


def _digest(digest: str) -> str:
    algorithm, _colon, digits = digest.partition(":")
    return f"{algorithm}:{digits[:DIGITS]}…"


def arrival_entry(request: InputRequest) -> TimelineEntry:
    """Return the entry for the arrival of a request, or of its round."""
    if request.origin is Origin.APPROVAL:
        note = _digest(written_digest(request.digest))
        return TimelineEntry(id=f"asked-{request.id}", at=request.created_at, title=_("Proposed"), note=note)
    is_round = request.origin is Origin.ROUND and request.round is not None
    title = _("Asked (round {n})").format(n=request.round) if is_round else _("Asked")
    note = ngettext("{n} question", "{n} questions", request.total).format(n=request.total)
    several = request.total > 1
    return TimelineEntry(id=f"asked-{_key(request)}", at=request.created_at, title=title, note=note if several else "")


def sent_entries(call: Call, requests: Sequence[InputRequest | ListedRequest]) -> list[TimelineEntry]:
    """Return the entries for answers sent together, and for calls sent again."""
    own = [each for each in requests if each.call_id == call.id and each.origin in _TOGETHER]
    groups = [list(group) for _key_, group in groupby(own, key=_key)]
    return [entry for group in groups for entry in _sent(call, group)]


def _key(request: InputRequest | ListedRequest) -> str:
    """Return the name of what came together: a round, the links of one error, or a single request."""
    return f"{request.origin}-{request.round}" if request.origin in _TOGETHER else request.id


def _sent(call: Call, group: Sequence[InputRequest | ListedRequest]) -> Iterator[TimelineEntry]:
    first = group[0]
    if first.origin is Origin.REQUIRED:
        required = [each for each in group if each.state is not RequestState.REFUSED]
        waits = (call.checkpoint or {}).get("round") == first.round
        finished = [each.settled_at for each in required if each.state is RequestState.COMPLETED and each.settled_at]
        if finished and len(finished) == len(required) and not waits:
            yield TimelineEntry(id=f"sent-{_key(first)}", at=max(finished), title=_("Call sent again"))
    elif len(group) == first.total > 1 and all(each.state in _ANSWERED and each.delivery for each in group):
        answered = [each.opened_at or each.settled_at or each.created_at for each in group]
        given = ngettext("{n} answer given", "{n} answers given", len(group))
        sent = ngettext("{n} answer sent", "{n} answers sent", len(group))
        title = (given if _may_be_lost(group) else sent).format(n=len(group))
        yield TimelineEntry(id=f"sent-{_key(first)}", at=max(answered), title=title, note=_delivery(group))


def _may_be_lost(group: Sequence[InputRequest | ListedRequest]) -> bool:
    return any(each.delivery in (Delivery.FAILED, Delivery.UNKNOWN) for each in group)


def _delivery(group: Sequence[InputRequest | ListedRequest]) -> str:
    label = visible(group[0].asked_by.label, 60)
    deliveries = {each.delivery for each in group}
    if Delivery.FAILED in deliveries:
        return _("Not delivered to {label}.").format(label=label)
    if Delivery.UNKNOWN in deliveries:
        return _("It is not known whether {label} received them.").format(label=label)
    if Delivery.SENDING in deliveries:
        return _("Sending…")
    return _("Delivered to {label}.").format(label=label)


def away(call: Call, requests: Sequence[InputRequest | ListedRequest], status: ServerStatus) -> str:
    """Return the sentence for a call that waits only for its server's connection, or ""."""
    waits = any(request.pending for request in requests)
    if call.state.ended or waits or status.state is ServerState.CONNECTED:
        return ""
    label = visible(call.server_label, 60)
    if call.task is not None:
        return _("{label} is offline. The call goes on when it is back and still knows the task.").format(label=label)
    if call.checkpoint is not None:
        return _("{label} is offline. The call continues when it reconnects.").format(label=label)
    if requests:
        # A call that has asked was sent, and ends with its session.
        return ""
    return _("Connecting to {label}. The call is sent when it is connected.").format(label=label)


def waits_for(call: Call, requests: Sequence[ListedRequest], links: Sequence[InputRequest]) -> str:
    """Return the sentence on what the call waits for: an answer, or one of the opened `links` to be finished."""
    if any(request.pending for request in requests):
        return _("Waiting for you.")
    if call.may_wait:
        return _("May be waiting for your answer: {label} does not say which of its calls is asking.").format(
            label=visible(call.server_label, 60)
        )
    if not links:
        return _("All questions are answered. The call continues.")
    hosts = listed(dict.fromkeys(map(_host, links[:NAMED])))
    if any(link.origin is Origin.REQUIRED for link in links):
        return _("You opened {hosts}. The call is sent again when you have finished there.").format(hosts=hosts)
    return _("You opened {hosts}. The server waits until you have finished there.").format(hosts=hosts)


def _host(request: InputRequest) -> str:
    return visible(link_of(request).host or _("an address that cannot be opened"), 100)
