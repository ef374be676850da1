"""The API of calls: start, get, cancel, retry."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from webclient.auth import Principal
from webclient.domain.approvals import APPROVAL
from webclient.domain.errors import NotFoundError
from webclient.domain.model import Call, CallState, InputRequest, Server, ServerState
from webclient.services import Services
from webclient.web.api.bodies import CallBody, RetryBody
from webclient.web.api.call_shapes import CallLogShape, CallShape, CallsShape, call_shape
from webclient.web.api.paging import Before, Fields, read_cursor, wants_results
from webclient.web.http import CallDep, PlaceDep, PrincipalDep, ServicesDep, StreamClientDep, TraceDep, problems

Since = Annotated[
    str | None, Query(description="The `cursor` of an earlier answer: what the client has seen of the call.")
]

router = APIRouter(prefix="/calls", tags=["calls"])

MOST = 200
"""The most calls in one page, which may have fewer: each result may be megabytes."""

MAX_WAIT = 600
"""The longest long poll, in seconds."""


@router.post("", status_code=202, responses=problems(400, 404, 409, 413, 415, 422))
async def start_call(body: CallBody, services: ServicesDep, principal: PrincipalDep, trace: TraceDep) -> CallShape:
    """Start a call in the background; its questions appear in the inbox."""
    server = await _server(services, principal.user_id, body.server_id)
    await _start_again(services, principal, server)
    arguments = dict(body.arguments) if body.arguments is not None else None
    call = await services.calls.start(
        principal.user_id,
        server,
        kind=body.kind,
        name=body.subject,
        arguments=arguments,
        as_task=body.task,
        trace=trace,
    )
    return call_shape(call, cursor=services.calls.cursor(call.id))


@router.get("", responses=problems(422))
async def list_calls(
    services: ServicesDep,
    principal: PrincipalDep,
    *,
    state: CallState | None = None,
    server_id: str | None = None,
    before: Before = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = MOST,
    fields: Fields = None,
) -> CallsShape:
    """List calls, newest first, without results unless `fields` names them.

    A page may have fewer than `limit` if they are long; `next` tells whether there are more.
    """
    with_results = wants_results(fields)
    place = await read_cursor(before, services.store.of(principal.user_id).calls.get)
    found, is_more = await services.store.of(principal.user_id).calls.page(
        state=state, server_id=server_id, before=place, limit=limit, with_results=with_results
    )
    return CallsShape(calls=[call_shape(call) for call in found], next=found[-1].id if is_more else None)


@router.get("/{call_id}", responses=problems(404, 422))
async def get_call(
    call_id: str,
    services: ServicesDep,
    principal: PrincipalDep,
    client: StreamClientDep,
    place: PlaceDep,
    *,
    wait: Annotated[float, Query(ge=0, le=MAX_WAIT, allow_inf_nan=False)] = 0,
    since: Since = None,
) -> CallShape:
    """Get a call. With `wait`, long-poll until its state changes or the time is up.

    With `since` as well, a change after that cursor is answered at once, so that none is missed between two polls. A
    state may be answered twice.
    """
    calls = services.store.of(principal.user_id).calls
    cursor = services.calls.cursor(call_id)
    call = await calls.get(call_id)
    if wait and not call.state.ended:
        async with place.aside():
            await client.unless_signed_out(services.calls.next_change(call, wait, since=since))
        cursor = services.calls.cursor(call_id)
        call = await calls.get(call_id)
    return call_shape(call, cursor=cursor, approvals=await _approvals_of(services, call))


async def _approvals_of(services: Services, call: Call) -> list[InputRequest]:
    """Return the questions whether a call of an agent may run, oldest first."""
    if call.agent is None:
        return []
    listed = await services.store.of(call.user_id).request_lists.of_call(call.id)
    ids = [each.id for each in listed if each.kind == APPROVAL]
    found = await services.store.of(call.user_id).requests.by_ids(ids) if ids else {}
    return [found[id_] for id_ in ids if id_ in found]


@router.get("/{call_id}/log", responses=problems(404))
async def get_log(services: ServicesDep, call: CallDep) -> CallLogShape:
    """List the log messages that the server sent during a call."""
    return CallLogShape.of(await services.store.of(call.user_id).logs.get(call.id))


@router.post("/{call_id}/cancel", responses=problems(404, 409))
async def cancel_call(services: ServicesDep, call: CallDep) -> CallShape:
    """Cancel an open call and notify the server."""
    return call_shape(await services.calls.cancel(call))


@router.post("/{call_id}/retry", status_code=202, responses=problems(400, 404, 409, 413, 415, 422))
async def retry_call(
    services: ServicesDep, principal: PrincipalDep, call: CallDep, trace: TraceDep, body: RetryBody | None = None
) -> CallShape:
    """Start the same call again as a new one; with `era`, after reconnecting the server."""
    services.calls.check_complete(call)
    server = await services.store.of(call.user_id).servers.get(call.server_id)
    if body and body.era:
        await services.servers.try_era(server, body.era)
    else:
        await _start_again(services, principal, server)
    again = await services.calls.retry(call, trace=trace)
    return call_shape(again, cursor=services.calls.cursor(again.id))


async def _start_again(services: Services, principal: Principal, server: Server) -> None:
    """Connect a server that failed: people of an embedding application have no page with "Try again"."""
    if principal.embedding and services.connections.status(server.key).state is ServerState.ERROR:
        await services.servers.connect(server)


async def _server(services: Services, user_id: str, given: str) -> Server:
    """Return the user's server with this id, or with this name in the config file. Raises NotFoundError."""
    servers = services.store.of(user_id).servers
    try:
        return await servers.get(given)
    except NotFoundError:
        if named := [each for each in await servers.all() if given and each.name == given]:
            return named[0]
        raise
