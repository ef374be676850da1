"""A page open in a browser: which page it is, with its cards and counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from webclient.errors import NotFoundError
from webclient.model import Call, InputRequest, RequestState, now
from webclient.pages import drafts
from webclient.pages.call_pages import belongs, requests_of
from webclient.pages.cards import Card
from webclient.pages.history_pages import Search, count_new
from webclient.pages.inbox_pages import CARDS_SHOWN, count_more
from webclient.pages.reach import reach
from webclient.services import Services

PageName = Literal["inbox", "call", "request", "server", "history", "other"]


@dataclass(frozen=True, slots=True)
class OpenPage:
    """A page that was `opened` at that time; `subject` is the id of its call, request or server."""

    services: Services
    user_id: str
    name: PageName
    subject: str
    opened: datetime
    search: Search | None = None

    async def own_call(self) -> Call | None:
        """Return the call, if the page is a call's."""
        return await self.call(self.subject) if self.name == "call" else None

    async def all_cards(self) -> list[Card]:
        """Return the cards of a reloaded page, and those settled while it was open."""
        if self.name == "request":
            found = [r for r in [await self.request(self.subject)] if r]
        elif call := await self.own_call():
            found = list(await requests_of(self.services, call))
        elif self.name == "inbox":
            store = self.services.store.of(self.user_id).requests
            settled = await store.settled_since(self.opened, CARDS_SHOWN)
            found = sorted([*settled, *await store.oldest_open(CARDS_SHOWN)], key=_age)
        else:
            return []
        return await self.cards(found)

    async def cards_among(self, requests: Sequence[InputRequest]) -> list[Card]:
        """Return the cards of those `requests` that belong on the page."""
        return await self.cards(await self._among(sorted(requests, key=_age)))

    async def that_can_start_over(self, calls: Sequence[Call]) -> list[InputRequest]:
        """Return the settled requests of calls that can now be started over."""
        ended = [call for call in calls if call.can_start_over]
        found = [await self.services.store.of(self.user_id).requests.find(call_id=call.id) for call in ended]
        return [request for requests in found for request in requests if not request.pending]

    def reached(self, requests: Sequence[InputRequest]) -> list[Card]:
        """Return cards that say whether the servers of pending requests can be reached."""
        status = self.services.connections.status
        return [Card(request=r, reach=reach(r, status(r.server_id))) for r in requests if r.pending]

    async def pending_of(self, server_ids: Iterable[str]) -> list[InputRequest]:
        """Return the pending requests of these servers."""
        store = self.services.store.of(self.user_id).requests
        found = [await store.find(state=RequestState.PENDING, server_id=id_) for id_ in server_ids]
        return [request for requests in found for request in requests]

    async def cards(self, requests: Sequence[InputRequest]) -> list[Card]:
        """Return the cards of these requests with their drafts."""
        found = await drafts.cards_of(self.services, self.user_id, requests)
        return [card.under_its_call() for card in found] if self.name == "call" else found

    async def _among(self, requests: Sequence[InputRequest]) -> Sequence[InputRequest]:
        match self.name:
            case "inbox":
                return await self._in_the_inbox(requests)
            case "call" if call := await self.own_call():
                return [request for request in requests if belongs(request, call)]
            case "request":
                return [request for request in requests if request.id == self.subject]
        return []

    async def _in_the_inbox(self, requests: Sequence[InputRequest]) -> Sequence[InputRequest]:
        store = self.services.store.of(self.user_id).requests
        settled = [request for request in requests if not request.open]
        # As many as have left moved up: also those whose leaving is told later, since the store is ahead of the events.
        first_to_leave = min((each.settled_at for each in settled if each.settled_at), default=now())
        left = len(await store.settled_since(first_to_leave, CARDS_SHOWN))
        if await store.count_open() + left <= CARDS_SHOWN:
            return requests
        first = await store.oldest_open(CARDS_SHOWN)
        moved_up = first[max(0, len(first) - left) :]
        touched = {request.id for request in (*requests, *moved_up)}
        return [*settled, *(request for request in first if request.id in touched)]

    async def more(self) -> int:
        """Count the open requests that the inbox does not show."""
        return await count_more(self.services, self.user_id) if self.name == "inbox" else 0

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


def _age(request: InputRequest) -> tuple[datetime, int]:
    return request.created_at, request.position
