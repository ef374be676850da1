"""A page open in a browser: which page it is, with its cards and counts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Literal

from webclient.domain.errors import NotFoundError
from webclient.domain.model import Call, InputRequest, ListedRequest, Origin
from webclient.services import Services
from webclient.store import fitting
from webclient.store.live import SIGNALS, Event
from webclient.web.pages.calls.call_pages import SHOWN, belongs, requests_of
from webclient.web.pages.calls.call_status import CallRow, calls_with_tasks, read_call_rows
from webclient.web.pages.calls.call_timeline import TimelineEntry, arrival_entry
from webclient.web.pages.inbox import drafts
from webclient.web.pages.inbox.alike_calls import AlikeView, read_changes
from webclient.web.pages.inbox.cards import Card, PendingCard
from webclient.web.pages.inbox.history_pages import Search, count_new
from webclient.web.pages.inbox.inbox_entries import (
    ROWS_SHOWN,
    InboxEntry,
    InboxView,
    Recent,
    Row,
    count_recent,
    is_saved,
    list_waiting,
    read_entries,
    read_inbox,
    read_waiting,
    settled_rows,
    suffix_of,
)
from webclient.web.pages.inbox.sign_in_cards import SignInCard, SignInEntry, changed_entries
from webclient.web.pages.reach import reach
from webclient.web.pages.servers.server_tabs import Tab

PageName = Literal["inbox", "call", "calls", "server", "servers", "history", "demo", "embed", "alike", "other"]


@dataclass(frozen=True, slots=True)
class OpenPage:
    """A page that was `opened` at that time; `subject` is the id of its call, server, or shown request.

    `filter` is the id of the server to which the inbox is filtered, or "". A frame says which `requests` it
    shows, as the page of calls that are alike does, whose `subject` is their key. `zone` is the person's time zone.
    """

    services: Services
    user_id: str
    name: PageName
    subject: str
    opened: datetime
    search: Search | None = None
    tab: Tab | None = None
    filter: str = ""
    requests: Sequence[str] = ()
    zone: tzinfo = UTC

    @property
    def suffix(self) -> str:
        """The end of the address of each question in the list."""
        return suffix_of(self.filter)

    def shown(self, events: Sequence[Event]) -> tuple[object, ...]:
        """Return what the page shows of the events, as far as pages differ."""
        search = (self.search.query(), self.opened) if self.search else None
        # Inboxes differ in the question beside the list, which few events are about.
        about = self.name != "inbox" or any(
            event.subject == self.subject or event.kind != "request" for event in events
        )
        calls = tuple(self.requests) if self.name == "alike" else ()
        subject = self.subject if about else ""
        return self.user_id, self.name, subject, search, self.tab, self.filter, str(self.zone), calls

    def may_show(self, events: Sequence[Event]) -> bool:
        """Return whether anything of the events can be on the page: that of a server has no calls but its tasks."""
        return self.name != "server" or self.lists_calls or any(event.kind != "call" for event in events)

    def may_wait(self, event: Event) -> bool:
        """Return whether the event changes only numbers, marks and the like here."""
        if event.kind in SIGNALS or event.subject == self.subject:
            return False
        return event.kind != "request" or not (self.shows_cards or self.name in ("demo", "alike"))

    @property
    def lists_calls(self) -> bool:
        """Whether the page lists calls: all of them, or those that are tasks of a server."""
        return self.name == "calls" or (self.name == "server" and self.tab is Tab.TASKS)

    @property
    def shows_log(self) -> bool:
        """Whether the page shows the log messages of a server."""
        return self.name == "server" and self.tab is Tab.LOG

    @property
    def shows_cards(self) -> bool:
        """Whether cards of questions are on the page."""
        return self.name in ("inbox", "call", "embed")

    async def own_call(self) -> Call | None:
        """Return the call, if the page is a call's."""
        return await self.call(self.subject) if self.name == "call" else None

    async def calls_beside(self, cards: Sequence[Card]) -> list[Call]:
        """Return the calls of these cards, if the page is the inbox."""
        ids = {card.request.call_id for card in cards if card.request.call_id} if self.name == "inbox" else set()
        return list((await self.services.store.of(self.user_id).calls.by_ids(ids)).values()) if ids else []

    async def listed_calls(self) -> list[Call]:
        """Return the newest calls, if the page lists them."""
        if not self.lists_calls:
            return []
        if self.name == "server":
            return await calls_with_tasks(self.services, self.user_id, self.subject)
        return await self.services.store.of(self.user_id).calls.find(limit=SHOWN)

    async def call_rows(self, calls: Sequence[Call]) -> list[CallRow]:
        """Return the rows of those of these calls that the page lists."""
        if self.name == "server":
            calls = [call for call in calls if call.task and call.server_id == self.subject]
        return await read_call_rows(self.services, self.user_id, calls) if self.lists_calls else []

    async def all_cards(self) -> list[Card]:
        """Return the cards of a reloaded page."""
        if self.name == "inbox":
            found = [r for r in [await self.request(self.subject)] if r]
        elif self.name == "embed":
            found = list((await read_waiting(self.services, self.user_id, self.subject, self.filter))[0])
            # What ended while the frame had no stream: the person had it on the screen, perhaps with text in it.
            found += [each for each in await self._whole(self.requests) if not each.open]
        elif call := await self.own_call():
            found = list(await requests_of(self.services, call))
        else:
            return []
        return await self.cards(found)

    async def alike(self, changed: Collection[str]) -> AlikeView | None:
        """Return what these requests change on the page of calls that are alike."""
        if self.name != "alike":
            return None
        return await read_changes(self.services, self.user_id, self.subject, self.requests, changed)

    async def cards_among(self, requests: Sequence[ListedRequest]) -> list[Card]:
        """Return the cards of those `requests` that belong on the page."""
        here = await self._among(sorted(requests, key=_age))
        moved_up = await self._moved_up(here) if self.name == "embed" else []
        return await self.cards(await self._whole(_ids([*here[: fitting(each.size for each in here)], *moved_up])))

    async def _moved_up(self, changed: Sequence[ListedRequest]) -> list[ListedRequest]:
        """Return the questions of a frame that may fit into it now; a card that is there already is left alone."""
        gone = [each for each in changed if not each.open]
        if not gone:
            return []
        listed, _more = await list_waiting(self.services, self.user_id, self.subject, self.filter)
        fits = fitting(each.size for each in listed)
        if fits == fitting(each.size for each in [*gone, *listed]) - len(gone):
            return []
        named = {each.id for each in changed}
        return [each for each in listed[:fits] if each.id not in named]

    async def _whole(self, ids: Sequence[str]) -> list[InputRequest]:
        found = await self.services.store.of(self.user_id).requests.by_ids(ids) if ids else {}
        return [found[id_] for id_ in ids if id_ in found]

    async def inbox(self) -> InboxView | None:
        """Return the whole list, if the page is the inbox."""
        return await read_inbox(self.services, self.user_id, self.filter) if self.name == "inbox" else None

    async def entries(self, requests: Sequence[ListedRequest], open_count: int) -> tuple[list[InboxEntry], int]:
        """Return the changed entries of the list, and the number of questions beyond it.

        `open_count` were open when the requests were read.
        """
        listed = self._listed(requests)
        changed = await read_entries(self.services, self.user_id, listed) if listed else []
        settled = [request.settled_at for request in listed if request.settled_at]
        # As many have moved up as have left, including those whose event comes later: the store is ahead of the events.
        inbox = self.services.store.of(self.user_id).inbox
        left = await inbox.count_settled(min(settled), ROWS_SHOWN) if settled and open_count else 0
        if self.name != "inbox" or open_count + left <= ROWS_SHOWN:
            return changed, 0
        view = await read_inbox(self.services, self.user_id, self.filter)
        shown = {entry.key for entry in view.entries}
        keys = {entry.key for entry in changed}
        moved_up = view.entries[max(0, len(view.entries) - left) :]
        return [
            *(entry if entry.key in shown else InboxEntry(key=entry.key, requests=()) for entry in changed),
            *(entry for entry in moved_up if entry.key not in keys),
        ], view.more

    def sign_ins(self, cards: Iterable[SignInCard | None], changed: Collection[str]) -> list[SignInEntry]:
        """Return the entries for sign-ins of `changed` servers, if the page is the inbox."""
        return changed_entries(cards, changed, self.filter) if self.name == "inbox" else []

    def settled(self, requests: Sequence[ListedRequest]) -> list[Row]:
        """Return the rows of those requests that were settled."""
        ended = [each for each in self._listed(requests) if not each.open and not is_saved(each)]
        return settled_rows(self.services, ended)

    async def recent(self, *, is_empty: bool) -> Recent | None:
        """Count what was settled recently, if the page is the inbox; `is_empty` if no question waits."""
        if self.name != "inbox":
            return None
        return await count_recent(self.services, self.user_id, self.zone, self.filter, is_empty=is_empty)

    def _listed(self, requests: Sequence[ListedRequest]) -> list[ListedRequest]:
        return [r for r in requests if self.name == "inbox" and self.filter in ("", r.server_id)]

    async def that_can_start_over(self, calls: Sequence[Call]) -> list[InputRequest]:
        """Return the settled requests of calls that can now be started over."""
        ended = [call for call in calls if call.can_start_over]
        found = [await requests_of(self.services, call) for call in ended] if self.shows_cards else []
        return [request for requests in found for request in requests if not request.pending]

    async def beside(self, requests: Sequence[ListedRequest]) -> list[Card]:
        """Return the cards of the other pending requests in the rounds of these."""
        if not self.shows_cards:
            return []
        calls = {each.call_id for each in requests if each.call_id and each.origin is Origin.ROUND and each.total > 1}
        pending = await self.services.store.of(self.user_id).rounds.pending(calls) if calls else []
        named = {each.id for each in requests}
        beside = [each for each in pending if each.id not in named]
        return await self.cards(await self._whole(_ids(beside[: fitting(each.size for each in beside)])))

    def reached(self, requests: Sequence[InputRequest]) -> list[PendingCard]:
        """Return cards that say whether the servers of pending requests can be reached."""
        status = self.services.connections.status
        return [PendingCard(request=r, reach=reach(r, status(r.server_key))) for r in requests if r.pending]

    def arrival(self, card: Card) -> TimelineEntry:
        """Return the entry for the arrival of the card's request."""
        return arrival_entry(card.request)

    def ended_here(self, calls: Iterable[Call]) -> Call | None:
        """Return the page's own call if it is one of `calls` that have just ended."""
        own = next((call for call in calls if self.name == "call" and call.id == self.subject), None)
        return own if own and own.state.ended and own.updated_at >= self.opened else None

    async def pending_of(self, server_ids: Collection[str]) -> list[InputRequest]:
        """Return the pending requests of these servers whose cards the page shows."""
        if self.name == "inbox":
            shown = await self.request(self.subject) if self.subject else None
            found = [shown] if shown else []
        elif self.name == "embed" and server_ids:
            found = list((await read_waiting(self.services, self.user_id, self.subject, self.filter))[0])
        elif server_ids and (call := await self.own_call()):
            found = list(await requests_of(self.services, call))
        else:
            found = []
        return [request for request in found if request.pending and request.server_id in server_ids]

    async def cards(self, requests: Sequence[InputRequest]) -> list[Card]:
        """Return the cards of these requests with their drafts."""
        found = await drafts.cards_of(self.services, self.user_id, requests)
        return [card.under_its_call() for card in found] if self.name == "call" else found

    async def _among(self, requests: Sequence[ListedRequest]) -> Sequence[ListedRequest]:
        match self.name:
            case "inbox":
                return [request for request in requests if request.id == self.subject]
            case "call" if call := await self.own_call():
                return [request for request in requests if belongs(request, call)]
            case "embed":
                return self.announced(requests)
        return []

    def announced(self, requests: Sequence[ListedRequest]) -> list[ListedRequest]:
        """Return those requests that concern the page: in a frame, those of its call and server."""
        if self.name != "embed":
            return list(requests)
        return [r for r in requests if self.filter in ("", r.server_id) and self.subject in ("", r.call_id)]

    async def news(self) -> int:
        """Count the new entries that match the history's search."""
        return await count_new(self.services, self.user_id, self.search, self.opened) if self.search else 0

    async def request(self, request_id: str) -> InputRequest | None:
        """Return the request, or None if it was deleted."""
        try:
            return await self.services.store.of(self.user_id).requests.get(request_id)
        except NotFoundError:
            return None

    async def call(self, call_id: str) -> Call | None:
        """Return the call, or None if it was deleted."""
        try:
            return await self.services.store.of(self.user_id).calls.get(call_id)
        except NotFoundError:
            return None


def _age(request: ListedRequest) -> tuple[datetime, int]:
    return request.created_at, request.position


def _ids(requests: Sequence[ListedRequest]) -> list[str]:
    return [each.id for each in requests]
