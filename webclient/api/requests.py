"""The API of input requests: what servers ask, and the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query

from webclient.api.bodies import AnswerBody
from webclient.api.paging import Before, named_by
from webclient.api.shapes import RequestShape, RequestsShape
from webclient.api.shaping import request_shape
from webclient.http import PrincipalDep, ServicesDep, problems
from webclient.inbox import check_answer, links_of
from webclient.model import InputRequest, RequestState
from webclient.services import Services

router = APIRouter(prefix="/requests", tags=["requests"])

MOST = 1000
"""Requests in one page at most."""


@router.get("", responses=problems(422))
async def list_requests(
    services: ServicesDep,
    principal: PrincipalDep,
    *,
    state: RequestState | None = None,
    server_id: str | None = None,
    call_id: str | None = None,
    before: Before = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = MOST,
) -> RequestsShape:
    """List the input requests, oldest first: the newest of them, and with `before` those that came before these.

    With `call_id` also those that may be of that call, as their server does not say; they have no `call_id`.
    """
    place = await named_by(before, services.store.of(principal.user_id).requests.get)
    found = await services.store.of(principal.user_id).requests.find(
        state=state,
        server_id=server_id,
        call_id=call_id,
        possible=True,
        before=place,
        limit=limit + 1,
    )
    page = await shapes_of(services, principal.user_id, found[-limit:])
    if len(found) > limit:
        page["next"] = found[-limit].id
    return page


@router.get("/{request_id}", responses=problems(404))
async def get_request(request_id: str, services: ServicesDep, principal: PrincipalDep) -> RequestShape:
    """Tell how an input request stands."""
    return await shape_of(services, await services.store.of(principal.user_id).requests.get(request_id))


@router.post("/{request_id}/answer", responses=problems(400, 404, 409, 413, 415, 422))
async def answer_request(
    request_id: str, body: AnswerBody, services: ServicesDep, principal: PrincipalDep
) -> RequestShape:
    """Accept, decline or cancel. The first answer wins; a later one gets 409 with the request as it stands."""
    content = dict(body.content) if body.content is not None else None
    request = await services.store.of(principal.user_id).requests.get(request_id)
    return await shape_of(services, await services.inbox.answer(await check_answer(request, body.action, content)))


@router.post("/{request_id}/more-time", responses=problems(404, 409))
async def give_more_time(request_id: str, services: ServicesDep, principal: PrincipalDep) -> RequestShape:
    """Give a question as much time again as it had; 409 when it is settled, or has no deadline."""
    return await shape_of(services, await services.inbox.more_time(principal.user_id, request_id))


@router.post("/{request_id}/finished", responses=problems(404, 409))
async def finish_request(request_id: str, services: ServicesDep, principal: PrincipalDep) -> RequestShape:
    """Say that the person is done at the page of an accepted url request."""
    return await shape_of(services, await services.inbox.links.finished(principal.user_id, request_id))


@router.post("/{request_id}/give-up", responses=problems(404, 409))
async def give_up_request(request_id: str, services: ServicesDep, principal: PrincipalDep) -> RequestShape:
    """Say that the person no longer waits for what comes of an accepted url request; it becomes `cancelled`."""
    return await shape_of(services, await services.inbox.links.give_up(principal.user_id, request_id))


async def shapes_of(services: Services, user_id: str, requests: Sequence[InputRequest]) -> RequestsShape:
    """Return the API's JSON of the user's input requests, with what is known of the links that they ask to open."""
    links = await links_of(services.store, user_id, requests)
    return {"requests": [request_shape(request, links.get(request.id)) for request in requests]}


async def shape_of(services: Services, request: InputRequest) -> RequestShape:
    """Return the API's JSON of an input request, with what is known of the link that it asks to open."""
    links = await links_of(services.store, request.user_id, [request])
    return request_shape(request, links.get(request.id))
