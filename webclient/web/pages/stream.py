"""The stream of every open page: the partials that have changed.

Each message is a bundle of `<hx-partial>`s, rendered from the current rows. All partials may come
twice without harm: "once" adds only new elements, and a pending card is never replaced. A page sends its
cursor (`since`, later `Last-Event-ID`); it gets the events after it or, if they are no longer known, a snapshot.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from secrets import token_hex
from typing import Annotated
from weakref import WeakKeyDictionary

from fastapi import APIRouter, Depends, Header, Query, Request
from sse_starlette import ServerSentEvent

from webclient.domain.i18n import language
from webclient.domain.model import Call, ListedRequest
from webclient.store.live import SIGNALS, Event, Gap, Hub, Kind, Subscription
from webclient.support.shared_work import SharedWork
from webclient.web.http import (
    ALIVE,
    Batch,
    EventStream,
    PrincipalDep,
    ServicesDep,
    StreamClient,
    StreamClientDep,
    batches,
    render_text,
    render_text_in_steps,
    time_zone,
)
from webclient.web.pages.calls.call_timeline import timeline
from webclient.web.pages.calls.call_view import CallView, read_call_view
from webclient.web.pages.guide.progress import Guide, GuideProgress
from webclient.web.pages.guide.view import find_part, read_guide_view
from webclient.web.pages.inbox.announcement import Announced
from webclient.web.pages.inbox.history_pages import read_search
from webclient.web.pages.inbox.sign_in_cards import sign_in_entries
from webclient.web.pages.open_page import OpenPage, PageName
from webclient.web.pages.page_context import (
    PageContext,
    ServerRow,
    find_server,
    page_context_of,
    read_page_context,
    server_row,
)
from webclient.web.pages.servers.catalog_view import read_catalog_view
from webclient.web.pages.servers.server_tabs import Tab

router = APIRouter(include_in_schema=False)

MOST_REQUESTS = 200
"""Requests that an open frame may name."""

UNKNOWN = "none"
"""A cursor that no page has: the answer is a snapshot."""


_Changes = tuple[str, Sequence[ListedRequest], Call | None, PageContext]
_shared: WeakKeyDictionary[Hub, SharedWork[_Changes]] = WeakKeyDictionary()
"""The changes that the events of a hub bring to open pages."""


@dataclass
class Viewer:
    """An open page and the announcements already made on it."""

    page: OpenPage
    announced: Announced = field(init=False)
    progress: GuideProgress | None = None
    presented: bool = False

    def __post_init__(self) -> None:
        self.announced = Announced(self.page.opened)

    async def updates(self, batch: Batch) -> AsyncIterator[str]:
        """Yield the bundles that bring the page up to date with `batch`."""
        if not batch:
            return
        if any(isinstance(item, Gap) for item in batch):
            yield await self._snapshot()
        elif (events := _changed(batch)) and self.page.may_show(events):
            yield await self._changes(events)
        if any(isinstance(item, Event) and item.kind == "visibility" for item in batch):
            yield render_text("stream/_visibility.html", probe=token_hex(4))
        page = self.page
        if page.name in ("inbox", "call", "demo") and (writing := _writing(batch)):
            so_far = page.services.sampling.so_far
            answers = [(id_, text) for id_ in writing if (text := so_far(id_))]
            yield render_text("stream/_so_far.html", answers=answers)
        if page.shows_log and self._is_about("log", batch):
            yield await self._messages()
        if page.name == "server" and self._is_about("server", batch):
            # On its own: the server itself is asked, and the rest need not wait for its answer.
            yield await self._catalog()

    def may_wait(self, batch: Batch) -> bool:
        """Return whether the page may get these events together with the next ones."""
        return all(isinstance(item, Event) and self.page.may_wait(item) for item in batch)

    def _is_about(self, kind: Kind, batch: Batch) -> bool:
        """Return whether there is an event of that kind on the subject of the page, or anything is missing."""
        return any(isinstance(item, Gap) or (item.kind, item.subject) == (kind, self.page.subject) for item in batch)

    async def _changes(self, events: Sequence[Event]) -> str:
        """Return what the events change on the page; it is read and rendered once for all pages that show the same."""
        key = (self.page.shown(events), self.presented, language(), tuple(event.id for event in events))
        shared = _shared.setdefault(self.page.services.hub, SharedWork())
        html, requests, ended, page_context = await shared.get(key, partial(self._read_changes, events))
        wanted = [row.sign_in for row in page_context.servers if row.sign_in]
        if announcement := self.announced.news_of(requests, ended, wanted):
            html += render_text("stream/_announcement.html", announcement=announcement, page_context=page_context)
        return html

    async def _read_changes(self, events: Sequence[Event]) -> _Changes:
        page = self.page
        subjects = {(event.kind, event.subject) for event in events}
        changed = {id_ for kind, id_ in subjects if kind == "call"}
        changes = await page.services.store.of(page.user_id).changes.listed_at(
            events[-1].id,
            {id_ for kind, id_ in subjects if kind == "request"},
            changed | ({page.subject} if page.name == "call" else set()),
        )
        page_context = page_context_of(page.services, events[-1].id, changes)
        requests = list(changes.listed.values())
        own = changes.calls.get(page.subject)
        if own and (("server", own.server_id) in subjects or any(each.call_id == own.id for each in requests)):
            # The page's own call changes with its requests and its server.
            changed.add(own.id)
        calls = [call for id_, call in changes.calls.items() if id_ in changed]
        rows = {row.server.id: row for row in page_context.servers}
        named = {id_ for kind, id_ in subjects if kind == "server"}
        if self.progress is not None:
            changed_rows = [row for id_, row in rows.items() if id_ in named | {r.server_id for r in requests}]
            return await self._guide(self.progress, page_context, changed_rows), requests, None, page_context
        entries, more = await page.entries(requests, changes.open_count)
        sign_ins = page.sign_ins((row.sign_in for row in page_context.servers), named)
        settled, is_empty = page.settled(requests), not page_context.waiting
        html = await render_text_in_steps(
            "stream/_changes.html",
            page=page,
            page_context=page_context,
            cards=await page.cards_among(requests),
            alike=await page.alike([each.id for each in requests]),
            entries=[*sign_ins, *entries],
            settled=settled,
            more=more,
            recent=await page.recent(is_empty=is_empty) if settled or is_empty else None,
            search=page.search,
            news=await page.news(),
            beside=await page.beside(requests),
            again=await page.cards(await page.that_can_start_over(calls)),
            reached=page.reached(await page.pending_of(named)),
            call_rows=await page.call_rows(sorted(calls, key=lambda call: call.created_at)),
            call_view=await self._call_view(calls),
            calls=calls,
            rows=[row for id_, row in rows.items() if id_ in named | {r.server_id for r in requests}],
            removed=named - rows.keys(),
        )
        return html, page.announced(requests), page.ended_here(calls), page_context

    async def _snapshot(self) -> str:
        page = self.page
        page_context = await read_page_context(page.services, page.user_id)
        if self.progress is not None:
            return await self._guide(self.progress, page_context, page_context.servers)
        cards = await page.all_cards()
        own = await page.own_call()
        return await render_text_in_steps(
            "stream/_snapshot.html",
            page=page,
            page_context=page_context,
            view=await page.inbox(),
            sign_ins=sign_in_entries((row.sign_in for row in page_context.servers), page.filter),
            recent=await page.recent(is_empty=not page_context.waiting),
            search=page.search,
            news=await page.news(),
            cards=cards,
            alike=await page.alike(page.requests),
            entries=timeline(own, cards) if own else [],
            call_rows=await page.call_rows(await page.listed_calls()),
            # A pending card that is there is left alone, so what it says of its server comes by itself.
            reached=page.reached([card.request for card in cards]),
            rows=page_context.servers,
            call_view=await self._call_view([own] if own else []),
            calls=await page.calls_beside(cards),
        )

    async def _guide(self, progress: GuideProgress, page_context: PageContext, rows: Sequence[ServerRow]) -> str:
        """Return the page of the guide as it is now."""
        page = self.page
        return await render_text_in_steps(
            "guide/_changes.html",
            page_context=page_context,
            rows=rows,
            guide_view=await read_guide_view(page.services, page.user_id, progress, page.subject),
            presented=self.presented,
        )

    async def _catalog(self) -> str:
        services = self.page.services
        server = await find_server(services, self.page.user_id, self.page.subject)
        if server is None:
            return ""
        catalog_view = await read_catalog_view(services, server_row(services, server, 0), self.page.tab)
        return await render_text_in_steps("stream/_catalog.html", catalog_view=catalog_view)

    async def _messages(self) -> str:
        """Return the log messages of the page's server."""
        services = self.page.services
        server = await find_server(services, self.page.user_id, self.page.subject)
        if server is None:
            return ""
        messages = services.connections.messages(server)
        return await render_text_in_steps("stream/_messages.html", server=server, messages=messages)

    async def _call_view(self, calls: Sequence[Call]) -> CallView | None:
        """Return the view of the page's own call if it is among `calls`."""
        own = next((call for call in calls if self.page.name == "call" and call.id == self.page.subject), None)
        # Lists of calls have no results, which this page shows.
        whole = await self.page.own_call() if own else None
        return await read_call_view(self.page.services, whole) if whole else None


def _writing(batch: Batch) -> set[str]:
    """Return the ids of the requests for which a model has written something."""
    return {item.subject for item in batch if isinstance(item, Event) and item.kind == "sampling"}


async def _subscribed(
    services: ServicesDep,
    principal: PrincipalDep,
    since: str = UNKNOWN,
    last_event_id: Annotated[str | None, Header()] = None,
) -> AsyncIterator[Subscription]:
    # A dependency, so that one is subscribed before the first byte goes out and until the last: nothing is missed
    # between, and a refusal still has a status.
    with services.hub.subscribe(principal.user_id, last_event_id or since) as subscription:
        yield subscription


async def _viewer(
    http_request: Request,
    services: ServicesDep,
    principal: PrincipalDep,
    *,
    page: PageName = "other",
    id: str = "",  # noqa: A002  the name of the parameter in the address
    tab: Tab | None = None,
    server: str = "",
    opened: Annotated[float, Query(ge=0, le=1e11)] = 0,
    request: Annotated[Sequence[str], Query(max_length=MOST_REQUESTS)] = (),
) -> Viewer:
    # The address of the history's stream says what is looked for as that of the page does.
    search = read_search(http_request.query_params, time_zone(http_request)) if page == "history" else None
    guide: Guide | None = http_request.app.state.guide
    progress = guide.of(principal.user_id) if guide and page == "demo" else None
    if progress is not None:
        find_part(id)  # an unknown one is refused while there is still a status
    moment = datetime.fromtimestamp(opened, UTC)
    chosen = server if page in ("inbox", "embed") else ""
    open_page = OpenPage(
        services,
        principal.user_id,
        page,
        id,
        moment,
        search=search,
        tab=tab,
        filter=chosen,
        requests=request,
        zone=time_zone(http_request),
    )
    return Viewer(open_page, progress=progress, presented="present" in http_request.query_params)


@router.get("/stream")
async def stream(
    viewer: Annotated[Viewer, Depends(_viewer)],
    client: StreamClientDep,
    subscription: Annotated[Subscription, Depends(_subscribed)],
    once: bool = False,
) -> EventStream:
    """Stream updates to an open page; with `once`, send only the missed ones and end.

    `page` is its kind, `id` its call, server or shown question, `tab` the tab of the server, `server` the filter of the
    inbox, each `request` one that a frame or the page of alike calls shows, and `opened` the time. Of all tabs of a
    browser, one holds the stream; the others use `once`.
    """
    return EventStream(_missed(viewer, subscription) if once else _messages(viewer, client, subscription))


async def _messages(viewer: Viewer, client: StreamClient, subscription: Subscription) -> AsyncIterator[ServerSentEvent]:
    async for batch in batches(subscription, client, viewer.may_wait):
        async for message in messages_for(viewer, batch):
            yield message
        if not batch:
            yield ALIVE


async def _missed(viewer: Viewer, subscription: Subscription) -> AsyncIterator[ServerSentEvent]:
    if batch := subscription.drain():
        async for message in messages_for(viewer, batch):
            yield message


async def messages_for(viewer: Viewer, batch: Batch) -> AsyncIterator[ServerSentEvent]:
    """Yield the messages that bring a page up to date with `batch`; the last one is the new cursor."""
    seen = batch[-1].id if batch else None
    sent = False
    async for html in viewer.updates(batch):
        sent = True
        yield ServerSentEvent(id=seen, data=html)
    if seen and not sent:
        # The tab tells the others that there is something new, and resumes after it.
        yield ServerSentEvent(id=seen)


def _changed(batch: Batch) -> list[Event]:
    """Return the events on rows that have changed."""
    return [item for item in batch if isinstance(item, Event) and item.kind not in SIGNALS]
