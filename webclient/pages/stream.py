"""The stream of every open page: the partials that have changed.

Each message is a bundle of `<hx-partial>`s, rendered from the current rows. All partials may come
twice without harm: "once" adds only new elements, and a pending card is never replaced. A page sends its
cursor (`since`, later `Last-Event-ID`); it gets the events after it or, if they are no longer known, a snapshot.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request
from sse_starlette import EventSourceResponse, ServerSentEvent

from webclient.http import (
    ALIVE,
    Batch,
    PrincipalDep,
    ServicesDep,
    StreamClient,
    StreamClientDep,
    batches,
    event_stream,
    render_text_in_steps,
)
from webclient.live import Event, Gap, Subscription
from webclient.model import Call, InputRequest
from webclient.pages.announcement import Announced
from webclient.pages.call_view import CallView, read_call_view
from webclient.pages.catalog_view import read_catalog_view
from webclient.pages.history_pages import read_search
from webclient.pages.inbox_pages import CALLS_SHOWN
from webclient.pages.open_page import OpenPage, PageName
from webclient.pages.page_context import find_server, read_page_context, server_row

router = APIRouter(include_in_schema=False)

UNKNOWN = "none"
"""A cursor that no page has: the answer is a snapshot."""


@dataclass
class Viewer:
    """An open page and the announcements already made on it."""

    page: OpenPage
    announced: Announced = field(default_factory=Announced)

    async def updates(self, batch: Batch) -> AsyncIterator[str]:
        """Yield the bundles that bring the page up to date with `batch`."""
        if not batch:
            return
        if any(isinstance(item, Gap) for item in batch):
            yield await self._snapshot()
        else:
            yield await self._changes([item for item in batch if isinstance(item, Event)])
        page = self.page
        if page.name == "server" and any(isinstance(item, Gap) or item.subject == page.subject for item in batch):
            # On its own: the server itself is asked, and the rest need not wait for its answer.
            yield await self._catalog()

    async def _changes(self, events: Sequence[Event]) -> str:
        page = self.page
        page_context = await read_page_context(page.services, page.user_id)
        subjects = {(event.kind, event.subject) for event in events}
        requests = [r for kind, id_ in subjects if kind == "request" and (r := await page.request(id_))]
        calls = [c for id_ in await self._calls_of(subjects, requests) if (c := await page.call(id_))]
        rows = {row.server.id: row for row in page_context.servers}
        named = {id_ for kind, id_ in subjects if kind == "server"}
        return await render_text_in_steps(
            "stream/_changes.html",
            page=page,
            page_context=page_context,
            cards=await page.cards_among(requests),
            more=await page.more(),
            search=page.search,
            news=await page.news(),
            again=await page.cards(await page.that_can_start_over(calls)),
            reached=page.reached(await page.pending_of(named)),
            calls=sorted(calls, key=lambda call: call.created_at),
            call_view=await self._call_view(calls),
            rows=[row for id_, row in rows.items() if id_ in named | {r.server_id for r in requests}],
            removed=named - rows.keys(),
            announcement=self.announced.news_of(requests),
        )

    async def _calls_of(self, subjects: Collection[tuple[str, str]], requests: Sequence[InputRequest]) -> set[str]:
        """Return the ids of changed calls; the page's own call changes with its requests and server."""
        changed = {id_ for kind, id_ in subjects if kind == "call"}
        own = await self.page.own_call()
        if own and (("server", own.server_id) in subjects or any(each.call_id == own.id for each in requests)):
            changed.add(own.id)
        return changed

    async def _snapshot(self) -> str:
        page = self.page
        page_context = await read_page_context(page.services, page.user_id)
        cards = await page.all_cards()
        own = await page.own_call()
        return await render_text_in_steps(
            "stream/_snapshot.html",
            page=page,
            page_context=page_context,
            more=await page.more(),
            search=page.search,
            news=await page.news(),
            cards=cards,
            calls=await page.services.store.of(page.user_id).calls.find(limit=CALLS_SHOWN),
            # A pending card that is there is left alone, so what it says of its server comes by itself.
            reached=page.reached([card.request for card in cards]),
            rows=page_context.servers,
            call_view=await self._call_view([own] if own else []),
        )

    async def _catalog(self) -> str:
        services = self.page.services
        server = await find_server(services, self.page.user_id, self.page.subject)
        if server is None:
            return ""
        catalog_view = await read_catalog_view(services, server_row(services, server, 0))
        return await render_text_in_steps("stream/_catalog.html", catalog_view=catalog_view)

    async def _call_view(self, calls: Sequence[Call]) -> CallView | None:
        """Return the view of the page's own call if it is among `calls`."""
        own = next((call for call in calls if self.page.name == "call" and call.id == self.page.subject), None)
        return await read_call_view(self.page.services, own) if own else None


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


def _viewer(
    http_request: Request,
    services: ServicesDep,
    principal: PrincipalDep,
    *,
    page: PageName = "other",
    id: str = "",  # noqa: A002  the name of the parameter in the address
    opened: Annotated[float, Query(ge=0, le=1e11)] = 0,
) -> Viewer:
    # The address of the history's stream says what is looked for as that of the page does.
    search = read_search(http_request.query_params) if page == "history" else None
    return Viewer(OpenPage(services, principal.user_id, page, id, datetime.fromtimestamp(opened, UTC), search))


@router.get("/stream")
async def stream(
    viewer: Annotated[Viewer, Depends(_viewer)],
    client: StreamClientDep,
    subscription: Annotated[Subscription, Depends(_subscribed)],
    once: bool = False,
) -> EventSourceResponse:
    """Stream updates to the page `page` of the call, request or server `id`, `opened` at that time.

    With `once`, send only the missed events: of all tabs of a browser, one has the stream.
    """
    return event_stream(_missed(viewer, subscription) if once else _messages(viewer, client, subscription))


async def _messages(viewer: Viewer, client: StreamClient, subscription: Subscription) -> AsyncIterator[ServerSentEvent]:
    async for batch in batches(subscription, client):
        async for message in _messages_for(viewer, batch):
            yield message
        if not batch:
            yield ALIVE


async def _missed(viewer: Viewer, subscription: Subscription) -> AsyncIterator[ServerSentEvent]:
    if batch := subscription.drain():
        async for message in _messages_for(viewer, batch):
            yield message


async def _messages_for(viewer: Viewer, batch: Batch) -> AsyncIterator[ServerSentEvent]:
    async for html in viewer.updates(batch):
        yield ServerSentEvent(id=batch[-1].id, data=html)
