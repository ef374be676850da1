"""The API's event stream: `server`, `call` and `request` events, each with the current object.

A client that returns with `Last-Event-ID` gets the events after it or, if they are no longer known, everything open.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header
from sse_starlette import EventSourceResponse, ServerSentEvent

from webclient.api.requests import shape_of
from webclient.api.serialize import call_shape, server_shape
from webclient.errors import NotFoundError
from webclient.http import (
    ALIVE,
    PrincipalDep,
    ServicesDep,
    StreamClient,
    StreamClientDep,
    batches,
    event_stream,
    problems,
)
from webclient.live import Event, Gap, Kind, Subscription
from webclient.services import Services
from webclient.standard_json import dumps

router = APIRouter(prefix="/events", tags=["events"])

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


@router.get("", response_class=EventSourceResponse, responses=_STREAM | problems(503))
async def stream_events(
    services: ServicesDep,
    principal: PrincipalDep,
    client: StreamClientDep,
    subscription: Annotated[Subscription, Depends(_subscribed)],
) -> EventSourceResponse:
    """Stream changes. The data is a Server, Call or Request; a removed server is `{id, removed: true}`."""
    return event_stream(_events(services, principal.user_id, client, subscription))


async def _events(
    services: Services, user_id: str, client: StreamClient, subscription: Subscription
) -> AsyncIterator[ServerSentEvent]:
    async for batch in batches(subscription, client):
        for event in batch:
            if isinstance(event, Gap):
                async for each in _everything_open(services, user_id, event):
                    yield each
            else:
                yield await _as_it_is(services, user_id, event)
        if not batch:
            yield ALIVE


async def _as_it_is(services: Services, user_id: str, event: Event) -> ServerSentEvent:
    return ServerSentEvent(
        id=event.id, event=event.kind, data=dumps(await _data(services, user_id, event.kind, event.subject))
    )


async def _everything_open(services: Services, user_id: str, gap: Gap) -> AsyncIterator[ServerSentEvent]:
    open_: list[tuple[Kind, list[str]]] = [
        ("server", [server.id for server in await services.store.of(user_id).servers.all()]),
        ("call", await services.store.of(user_id).calls.open_ids()),
        ("request", await services.store.of(user_id).requests.open_ids()),
    ]
    for kind, ids in open_:
        for id_ in ids:
            yield await _as_it_is(services, user_id, Event(gap.id, kind, id_))


async def _data(services: Services, user_id: str, kind: Kind, subject: str) -> Any:
    try:
        match kind:
            case "server":
                server = await services.store.of(user_id).servers.get(subject)
                return server_shape(server, services.connections.status(subject))
            case "call":
                return call_shape(await services.store.of(user_id).calls.get(subject))
            case _:
                return await shape_of(services, await services.store.of(user_id).requests.get(subject))
    except NotFoundError:
        return {"id": subject, "removed": True}
