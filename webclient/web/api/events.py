"""The API's event stream: `server`, `call` and `request` events, each with the current object.

A client that returns with `Last-Event-ID` gets the events after it or, if they are no longer known, everything open.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header
from sse_starlette import ServerSentEvent

from webclient.services import Services
from webclient.store import Changes, fitting
from webclient.store.live import SIGNALS, Event, Gap, Kind, Subscription
from webclient.support.standard_json import dumps
from webclient.support.turns import take_turn
from webclient.web.api.call_shapes import call_shape
from webclient.web.api.requests import shape_of
from webclient.web.api.server_shapes import server_shape
from webclient.web.http import (
    ALIVE,
    EventStream,
    PrincipalDep,
    ServicesDep,
    StreamClient,
    StreamClientDep,
    batches,
    problems,
)

router = APIRouter(prefix="/events", tags=["events"])

AT_ONCE = 20
"""Objects that are read together at most; each may have megabytes."""

_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


async def _subscribed(
    services: ServicesDep, principal: PrincipalDep, last_event_id: Annotated[str | None, Header()] = None
) -> AsyncIterator[Subscription]:
    # A dependency, so that one is subscribed before the first byte goes out and until the last: nothing is missed
    # between, and a refusal still has a status.
    with services.hub.subscribe(principal.user_id, last_event_id) as subscription:
        yield subscription


# FastAPI reads the status for the description from the signature of the response, where this one has none.
@router.get("", status_code=200, response_class=EventStream, responses=_STREAM | problems(503))
async def stream_events(
    services: ServicesDep,
    principal: PrincipalDep,
    client: StreamClientDep,
    subscription: Annotated[Subscription, Depends(_subscribed)],
) -> EventStream:
    """Stream changes. The data is a Server, Call or Request; a removed server is `{id, removed: true}`."""
    return EventStream(_events(services, principal.user_id, client, subscription))


async def _events(
    services: Services, user_id: str, client: StreamClient, subscription: Subscription
) -> AsyncIterator[ServerSentEvent]:
    async for batch in batches(subscription, client):
        for item in batch:
            if isinstance(item, Gap):
                async for event in _everything_open(services, user_id, item):
                    yield event
        events = [item for item in batch if isinstance(item, Event) and item.kind not in SIGNALS]
        async for event in _all_current(services, user_id, events):
            yield event
        if not batch:
            yield ALIVE


async def _everything_open(services: Services, user_id: str, gap: Gap) -> AsyncIterator[ServerSentEvent]:
    open_: list[tuple[Kind, list[str]]] = [
        ("server", [server.id for server in await services.store.of(user_id).servers.all()]),
        ("call", await services.store.of(user_id).calls.open_ids()),
        ("request", await services.store.of(user_id).requests.open_ids()),
    ]
    for kind, ids in open_:
        async for event in _all_current(services, user_id, [Event(gap.id, kind, id_) for id_ in ids]):
            yield event


async def _all_current(services: Services, user_id: str, events: Sequence[Event]) -> AsyncIterator[ServerSentEvent]:
    """Yield these events with the current objects: as many are read together as fit into the bytes of a page."""
    left = list(events)
    while left:
        here = left[:AT_ONCE]
        if len(here) > 1:
            ids = [[each.subject for each in here if each.kind == kind] for kind in ("request", "call")]
            sizes = await services.store.of(user_id).changes.sizes(*ids)
            here = here[: fitting(sizes.get(each.subject, 0) for each in here)]
            await take_turn()
        for event in await _current(services, user_id, here):
            yield event
        left = left[len(here) :]


async def _current(services: Services, user_id: str, events: Sequence[Event]) -> list[ServerSentEvent]:
    """Return these events with the current objects, which are read together."""
    ids = {kind: {event.subject for event in events if event.kind == kind} for kind in ("server", "call", "request")}
    changes = await services.store.of(user_id).changes.at(
        events[-1].id, request_ids=ids["request"], call_ids=ids["call"], with_servers=bool(ids["server"])
    )
    return [
        ServerSentEvent(id=event.id, event=event.kind, data=dumps(await _data(services, changes, event)))
        for event in events
    ]


async def _data(services: Services, changes: Changes, event: Event) -> Any:
    if event.kind == "server" and (server := changes.servers.get(event.subject)):
        auth = services.sign_ins.auth_of(server.key)
        return server_shape(server, services.connections.status(server.key), auth).as_json()
    if event.kind == "call" and (call := changes.calls.get(event.subject)):
        return call_shape(call).as_json()
    if event.kind == "request" and (request := changes.requests.get(event.subject)):
        return (await shape_of(services, request)).as_json()
    return {"id": event.subject, "removed": True}
