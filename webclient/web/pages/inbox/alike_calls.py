"""Proposed calls that are alike, as their page shows them, and what has become of them while it is open."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webclient.domain.approvals import Verb, proposed
from webclient.domain.model import InputRequest, ListedRequest
from webclient.services import Services
from webclient.support.standard_json import json_equal
from webclient.web.http import shows_whole
from webclient.web.pages.inbox import cards, drafts
from webclient.web.pages.inbox.differences import Difference, What
from webclient.web.pages.inbox.inbox_entries import alike_of
from webclient.web.pages.inbox.proposals import Proposal, proposal_of
from webclient.web.pages.inbox.together import fence_of

MOST = 100
"""Calls on one page; the others come when these are decided."""

_HARMFUL = {What.HOST, What.AMOUNT, What.PATH, What.ENTRIES, What.NEW, What.LEFT_OUT}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlikeCall:
    """One of the calls: what is its `own` among the arguments, and what differs from the last approved one.

    `number` is its place on the page. `waits`: it can be decided on together with the others.
    """

    request: InputRequest
    number: int
    own: Mapping[str, Any] = field(default_factory=dict)
    differences: Sequence[Difference] = ()
    waits: bool = True

    @property
    def fence(self) -> str:
        """What a decision names: the call, and the digest of what was shown of it."""
        return fence_of(self.request)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlikeView:
    """The similar calls with this `key`: all of them, or only those that have changed.

    `waiting` of the shown ones can be decided on; `more` wait besides. `common` are the arguments that all have.
    """

    key: str
    proposal: Proposal
    calls: Sequence[AlikeCall]
    waiting: int
    more: int
    common: Mapping[str, Any] = field(default_factory=dict)

    @property
    def first(self) -> InputRequest:
        """The oldest call."""
        return self.calls[0].request

    @property
    def may_approve(self) -> bool:
        """Whether its asker takes an approval."""
        return Verb.APPROVE in self.proposal.verbs

    @property
    def may_decline(self) -> bool:
        """Whether its asker takes a rejection."""
        return Verb.REJECT in self.proposal.verbs


async def read_rows(services: Services, user_id: str, key: str) -> list[ListedRequest]:
    """Return the calls that wait under this key, oldest first."""
    return [each for each in await services.store.of(user_id).inbox.alike([key]) if key and alike_of(each) == key]


async def read_whole(services: Services, user_id: str, rows: Sequence[ListedRequest]) -> list[InputRequest]:
    """Return the calls of these rows whose arguments fit on the page.

    Pass only a few rows: each call is read with the description of its tool, which may be large.
    """
    found = await services.store.of(user_id).requests.by_ids([each.id for each in rows]) if rows else {}
    return shown_whole([found[each.id] for each in rows if each.id in found])


def shown_whole(requests: Sequence[InputRequest]) -> list[InputRequest]:
    """Return the calls of which the page shows every argument at once."""
    return [each for each in requests if shows_whole(proposed(each)[1]) and not each.withheld]


async def read_alike(services: Services, user_id: str, key: str) -> AlikeView | None:
    """Return the calls that wait under this key; None if they are fewer than two."""
    rows = await read_rows(services, user_id, key)
    listed = await read_whole(services, user_id, rows[:MOST])
    proposal = proposal_of(listed[0]) if len(listed) > 1 else None
    if proposal is None:
        return None
    common = _common([proposed(each)[1] for each in listed])
    found = await drafts.cards_of(services, user_id, listed)
    calls = [
        AlikeCall(request=card.request, number=number, own=_own(card, common), differences=_differences(card))
        for number, card in enumerate(found, 1)
    ]
    more = max(0, len(rows) - MOST)
    return AlikeView(key=key, proposal=proposal, common=common, calls=calls, waiting=len(calls), more=more)


async def read_changes(
    services: Services, user_id: str, key: str, shown: Sequence[str], changed: Collection[str]
) -> AlikeView | None:
    """Return those of the page's calls that have `changed`; None if the page stays as it is.

    `shown` are the IDs of the calls on the page, in their order.
    """
    rows = {each.id: each for each in await read_rows(services, user_id, key)}
    own = [id_ for id_ in shown if id_ in changed]
    if not own and rows.keys().isdisjoint(changed):
        return None
    # One that did not change says what the askers take, if all that is new is another call.
    ids = own or list(shown[:1])
    found = await services.store.of(user_id).requests.by_ids(ids) if ids else {}
    numbers = {id_: number for number, id_ in enumerate(shown, 1) if id_ in found}
    calls = [AlikeCall(request=found[id_], number=numbers[id_], waits=id_ in rows) for id_ in ids if id_ in numbers]
    proposal = proposal_of(calls[0].request) if calls else None
    if proposal is None:
        return None
    waiting = len(rows.keys() & set(shown))
    return AlikeView(key=key, proposal=proposal, calls=calls, waiting=waiting, more=len(rows) - waiting)


def _common(arguments: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the arguments that are the same in all calls."""
    return {
        name: value
        for name, value in arguments[0].items()
        if all(name in each and json_equal(each[name], value) for each in arguments)
    }


def _own(card: cards.Card, common: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in proposed(card.request)[1].items() if name not in common}


def _differences(card: cards.Card) -> list[Difference]:
    compared = card.compared if isinstance(card, cards.PendingCard) else None
    return [each for each in compared.arguments if each.what in _HARMFUL] if compared else []
