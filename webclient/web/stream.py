"""The stream of every open page: what happened, as the parts of the page that look different now.

Each message is a bundle of `<hx-partial>`s, rendered from the rows as they are at that moment. All parts may come
twice and do no harm: "once" adds only what is not there, and a pending card is never touched again. A page says what
it has seen (`since`, later `Last-Event-ID`); it gets what it missed, or, when that is no longer known, a snapshot.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Header, Query, Request
from sse_starlette import EventSourceResponse, ServerSentEvent

from webclient.api.context import CoreOf, UserId
from webclient.api.streaming import ALIVE, Batch, Opener, SignIn, batches, respond
from webclient.core import Core
from webclient.errors import NotFoundError
from webclient.inbox.deadlines import soon
from webclient.live import Event, Gap, Subscription
from webclient.model import Call, InputRequest, RequestState, now
from webclient.web import drafts
from webclient.web.call_pages import belongs, requests_of
from webclient.web.cards import Card
from webclient.web.frame import find_server, read_frame, server_row
from webclient.web.history_pages import Search, count_new, read_search
from webclient.web.inbox_pages import CALLS_SHOWN, CARDS_SHOWN, count_more
from webclient.web.offered import read_offered
from webclient.web.reach import reach
from webclient.web.templating import render_text, render_text_in_steps
from webclient.web.timeline import Timeline, read_timeline

router = APIRouter(include_in_schema=False)

UNKNOWN = "none"
"""A cursor that no page was given: it is answered with a snapshot."""

Page = Literal["inbox", "call", "request", "server", "history", "other"]


@dataclass
class Viewer:
    """One open page: which things it shows, and what it has been told of already."""

    core: Core
    user_id: str
    page: Page
    subject: str
    opened: datetime
    search: Search | None = None
    announced: set[str] = field(default_factory=set)

    async def told(self, batch: Batch) -> AsyncIterator[str]:
        """Give the bundles that bring the page up to date with what happened."""
        if not batch:
            return
        if any(isinstance(item, Gap) for item in batch):
            yield await self._snapshot()
        else:
            yield await self._changes([item for item in batch if isinstance(item, Event)])
        if self.page == "server" and any(isinstance(item, Gap) or item.subject == self.subject for item in batch):
            # On its own: the server itself is asked, and the rest need not wait for its answer.
            yield await self._catalog()

    async def _changes(self, events: Sequence[Event]) -> str:
        frame = await read_frame(self.core, self.user_id)
        subjects = {(event.kind, event.subject) for event in events}
        requests = [r for kind, id_ in subjects if kind == "request" and (r := await self._request(id_))]
        calls = [c for id_ in await self._calls_of(subjects, requests) if (c := await self._call(id_))]
        rows = {row.server.id: row for row in frame.servers}
        named = {id_ for kind, id_ in subjects if kind == "server"}
        touched = [row for id_, row in rows.items() if id_ in named | {r.server_id for r in requests}]
        return await render_text_in_steps(
            "stream/changes.html",
            frame=frame,
            cards=await self._cards(await self._shown(sorted(requests, key=_age))),
            more=await self._more(),
            search=self.search,
            news=await self._news(),
            again=await self._cards(await self._that_can_start_over(calls)),
            reached=self._reached(await self._pending_of(named)),
            calls=sorted(calls, key=lambda call: call.created_at),
            timeline=await self._timeline(calls),
            rows=touched,
            removed=named - rows.keys(),
            page=self.page,
            subject=self.subject,
            new=self._new(requests),
            nearing=[r for r in requests if soon(r) and self._is_news(r, str(r.expires_at))],
            ended=[r for r in requests if r.state in _NOT_BY_THE_PERSON and self._is_news(r)],
        )

    async def _calls_of(self, subjects: Collection[tuple[str, str]], requests: Sequence[InputRequest]) -> set[str]:
        """The ids of the calls that look different now; one on its own page also tells of its questions and server."""
        changed = {id_ for kind, id_ in subjects if kind == "call"}
        own = await self._call(self.subject) if self.page == "call" else None
        if own and (("server", own.server_id) in subjects or any(each.call_id == own.id for each in requests)):
            changed.add(own.id)
        return changed

    async def _snapshot(self) -> str:
        frame = await read_frame(self.core, self.user_id)
        call = await self._call(self.subject) if self.page == "call" else None
        cards = await self._all_cards(call)
        return await render_text_in_steps(
            "stream/snapshot.html",
            frame=frame,
            more=await self._more(),
            search=self.search,
            news=await self._news(),
            page=self.page,
            subject=self.subject,
            cards=cards,
            calls=await self.core.store.calls.find(self.user_id, limit=CALLS_SHOWN),
            # A pending card that is there is left alone, so what it says of its server comes by itself.
            reached=self._reached([card.input_request for card in cards]),
            rows=frame.servers,
            timeline=await self._timeline([call] if call else []),
        )

    async def _catalog(self) -> str:
        server = await find_server(self.core, self.user_id, self.subject)
        if server is None:
            return ""
        offered = await read_offered(self.core, server_row(self.core, server, 0))
        return render_text("stream/catalog.html", offered=offered)

    async def _all_cards(self, call: Call | None) -> list[Card]:
        """What the page would show if it were loaded again, and what was settled while it was open."""
        if self.page == "request":
            found = [r for r in [await self._request(self.subject)] if r]
        elif call is not None:
            found = list(await requests_of(self.core, call))
        elif self.page == "inbox":
            store = self.core.store.requests
            settled = await store.settled_since(self.user_id, self.opened, CARDS_SHOWN)
            found = sorted([*settled, *await store.oldest_open(self.user_id, CARDS_SHOWN)], key=_age)
        else:
            return []
        return await self._cards(found)

    async def _that_can_start_over(self, calls: Sequence[Call]) -> list[InputRequest]:
        """The settled questions of calls that ended by a fault: their cards now offer the way on."""
        ended = [call for call in calls if call.can_start_over]
        found = [await self.core.store.requests.find(self.user_id, call_id=call.id) for call in ended]
        return [request for requests in found for request in requests if not request.pending]

    def _reached(self, requests: Sequence[InputRequest]) -> list[Card]:
        status = self.core.connections.status
        return [Card(input_request=r, reach=reach(r, status(r.server_id))) for r in requests if r.pending]

    async def _pending_of(self, server_ids: Iterable[str]) -> list[InputRequest]:
        store = self.core.store.requests
        found = [await store.find(self.user_id, state=RequestState.PENDING, server_id=id_) for id_ in server_ids]
        return [request for requests in found for request in requests]

    async def _cards(self, requests: Sequence[InputRequest]) -> list[Card]:
        return await drafts.cards_of(self.core, self.user_id, requests)

    async def _shown(self, requests: Sequence[InputRequest]) -> Sequence[InputRequest]:
        match self.page:
            case "inbox":
                return await self._in_the_inbox(requests)
            case "call" if call := await self._call(self.subject):
                return [request for request in requests if belongs(request, call)]
            case "request":
                return [request for request in requests if request.id == self.subject]
        return []

    async def _in_the_inbox(self, requests: Sequence[InputRequest]) -> Sequence[InputRequest]:
        store = self.core.store.requests
        settled = [request for request in requests if not request.open]
        # As many as have left moved up: also those whose leaving is told later, since the store is ahead of the events.
        first_to_leave = min((each.settled_at for each in settled if each.settled_at), default=now())
        left = len(await store.settled_since(self.user_id, first_to_leave, CARDS_SHOWN))
        if await store.count_open(self.user_id) + left <= CARDS_SHOWN:
            return requests
        first = await store.oldest_open(self.user_id, CARDS_SHOWN)
        moved_up = first[max(0, len(first) - left) :]
        touched = {request.id for request in (*requests, *moved_up)}
        return [*settled, *(request for request in first if request.id in touched)]

    async def _more(self) -> int:
        return await count_more(self.core, self.user_id) if self.page == "inbox" else 0

    async def _news(self) -> int:
        return await count_new(self.core, self.user_id, self.search, self.opened) if self.search else 0

    async def _timeline(self, calls: Sequence[Call]) -> Timeline | None:
        """What the page of a call tells anew, if its call is among these."""
        own = next((call for call in calls if self.page == "call" and call.id == self.subject), None)
        return await read_timeline(self.core, own) if own else None

    def _new(self, requests: Sequence[InputRequest]) -> list[InputRequest]:
        return [request for request in requests if request.pending and self._is_news(request)]

    def _is_news(self, request: InputRequest, what: str = "") -> bool:
        key = f"{request.id} {what or request.state}"
        is_news = key not in self.announced
        self.announced.add(key)
        return is_news

    async def _request(self, request_id: str) -> InputRequest | None:
        try:
            return await self.core.store.requests.get(self.user_id, request_id)
        except NotFoundError:
            return None

    async def _call(self, call_id: str) -> Call | None:
        try:
            return await self.core.store.calls.get(self.user_id, call_id)
        except NotFoundError:
            return None


_NOT_BY_THE_PERSON = (
    RequestState.WITHDRAWN,
    RequestState.EXPIRED,
    RequestState.INTERRUPTED,
    RequestState.REFUSED,
)


def _age(request: InputRequest) -> tuple[datetime, int]:
    return request.created_at, request.position


async def _subscribed(
    core: CoreOf,
    user_id: UserId,
    since: str = UNKNOWN,
    last_event_id: Annotated[str | None, Header()] = None,
) -> AsyncIterator[Subscription]:
    # A dependency, so that one is subscribed before the first byte goes out and until the last: nothing is missed
    # between, and a refusal still has a status.
    with core.hub.subscribe(user_id, last_event_id or since) as subscription:
        yield subscription


def _viewer(
    request: Request,
    core: CoreOf,
    user_id: UserId,
    *,
    page: Page = "other",
    id: str = "",  # noqa: A002  the name of the parameter in the address
    opened: Annotated[float, Query(ge=0, le=1e11)] = 0,
) -> Viewer:
    # The address of the history's stream says what is looked for as that of the page does.
    search = read_search(request.query_params) if page == "history" else None
    return Viewer(core, user_id, page, id, datetime.fromtimestamp(opened, UTC), search)


@router.get("/stream")
async def stream(
    viewer: Annotated[Viewer, Depends(_viewer)],
    opener: Opener,
    subscription: Annotated[Subscription, Depends(_subscribed)],
    once: bool = False,
) -> EventSourceResponse:
    """Stream to the page `page`, which shows the call, request or server `id` and was `opened` at that time.

    With `once` it gets what it missed and no more: of all tabs of a browser only one holds a stream.
    """
    return respond(_missed(viewer, subscription) if once else _messages(viewer, opener, subscription))


async def _messages(viewer: Viewer, opener: SignIn, subscription: Subscription) -> AsyncIterator[ServerSentEvent]:
    async for batch in batches(subscription, opener):
        async for message in _told(viewer, batch):
            yield message
        if not batch:
            yield ALIVE


async def _missed(viewer: Viewer, subscription: Subscription) -> AsyncIterator[ServerSentEvent]:
    if batch := subscription.drain():
        async for message in _told(viewer, batch):
            yield message


async def _told(viewer: Viewer, batch: Batch) -> AsyncIterator[ServerSentEvent]:
    async for html in viewer.told(batch):
        yield ServerSentEvent(id=batch[-1].id, data=html)
