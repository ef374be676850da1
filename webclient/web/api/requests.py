"""The API of input requests: list, get, answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, Depends, Query, Request

from webclient.auth import Principal, Scope
from webclient.domain.approvals import APPROVAL, written_digest
from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Delivery, InputRequest, Origin, RequestState
from webclient.inbox import check_answer, links_of
from webclient.services import Services
from webclient.store import Wanted
from webclient.web.api.bodies import AnswerBody
from webclient.web.api.paging import Before, read_cursor
from webclient.web.api.request_shapes import RequestShape, RequestsShape, WebhookShape, request_shape
from webclient.web.http import PlaceDep, PrincipalDep, RequestDep, ServicesDep, StreamClientDep, problems

router = APIRouter(prefix="/requests", tags=["requests"])

MOST = 1000
"""The most requests in one page."""

MAX_WAIT = 600
"""The longest long poll, in seconds."""


async def _readable(request_id: str, services: ServicesDep, principal: PrincipalDep) -> InputRequest:
    """Return a request of the user, or one that the program has asked another user. Raises NotFoundError."""
    if principal.may_ask and (found := await services.store.system.asked_by(principal.asker_id, request_id)):
        await services.store.of(found.user_id).check_home()
        return found
    return await services.store.of(principal.user_id).requests.get(request_id)


ReadableDep = Annotated[InputRequest, Depends(_readable)]


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
    """List input requests, oldest first: the newest page, or with `before` an older one.

    With `call_id`, the list includes requests that may belong to that call; they have no `call_id` of their own. A page
    may have fewer than `limit` if they are long; `next` tells whether there are more.
    """
    place = await read_cursor(before, services.store.of(principal.user_id).requests.get)
    wanted = Wanted(state=state, server_id=server_id, call_id=call_id, possible=True, before=place)
    found, is_more = await services.store.of(principal.user_id).request_lists.page(wanted, limit)
    page = await shapes_of(services, principal.user_id, found)
    if is_more:
        page.next = found[0].id
    return page


@router.get("/{request_id}", responses=problems(404, 422))
async def get_request(
    services: ServicesDep,
    principal: PrincipalDep,
    http_request: Request,
    request: ReadableDep,
    background: BackgroundTasks,
    *,
    client: StreamClientDep,
    place: PlaceDep,
    wait: Annotated[float, Query(ge=0, le=MAX_WAIT, allow_inf_nan=False)] = 0,
) -> RequestShape:
    """Get an input request. With `wait`, long-poll until it is no longer pending or the time is up.

    The program that asked it gets the whole `content`; values that may be secrets are erased then.
    """
    is_own = is_asker(principal, request)
    if not is_own and not principal.scopes & {Scope.READ, Scope.ADMIN}:
        # Safe: to a program that may only ask, questions of others do not exist.
        raise NotFoundError(_("There is no request “{id}”.").format(id=request.id))
    if wait and request.pending:
        # The answer is not for a program whose token was revoked meanwhile.
        async with place.aside():
            request = await client.unless_signed_out(services.program_requests.settled(request, wait))
    shape = await shape_of(services, request, whole=is_own)
    # A program that has gone while it waited must find the whole answer when it is back.
    if is_own and request.delivery is Delivery.SENDING and not await http_request.is_disconnected():
        background.add_task(services.program_requests.fetched, request)
    return shape


@router.post("/{request_id}/answer", responses=problems(400, 404, 409, 413, 415, 422))
async def answer_request(body: AnswerBody, services: ServicesDep, request: RequestDep) -> RequestShape:
    """Accept, decline or cancel. The first answer wins; a later one gets 409 with the current request.

    The answer to an accepted url request has the address for the person to `open`, and no other response has it.
    """
    if body.digest is not None and (request.kind != APPROVAL or body.digest != written_digest(request.digest)):
        raise ConflictError(_("“digest” is not that of this question, so the answer may be meant for another one."))
    content = dict(body.content) if body.content is not None else None
    answered = await services.inbox.answer(await check_answer(request, body.action, content, message=body.message))
    shape = await shape_of(services, answered)
    if request.kind == "url" and body.action == "accept":
        shape.open = answered.params["url"]
    return shape


@router.post("/{request_id}/more-time", responses=problems(404, 409))
async def give_more_time(request_id: str, services: ServicesDep, principal: PrincipalDep) -> RequestShape:
    """Extend the deadline by its original length; 409 if the request is settled or has no deadline."""
    return await shape_of(services, await services.inbox.more_time(principal.user_id, request_id))


@router.post("/{request_id}/reopen", responses=problems(404, 409))
async def reopen_request(request_id: str, services: ServicesDep, principal: PrincipalDep) -> RequestShape:
    """Reopen a request whose answer is `saved` for its round; 409 once the answers were sent."""
    return await shape_of(services, await services.inbox.reopen(principal.user_id, request_id))


@router.post("/{request_id}/finished", responses=problems(404, 409))
async def finish_request(request_id: str, services: ServicesDep, principal: PrincipalDep) -> RequestShape:
    """Report that the person has finished at the link of an accepted url request."""
    return await shape_of(services, await services.inbox.links.finished(principal.user_id, request_id))


@router.post("/{request_id}/give-up", responses=problems(404, 409))
async def give_up_request(request_id: str, services: ServicesDep, principal: PrincipalDep) -> RequestShape:
    """Stop waiting for an accepted url request; it becomes `cancelled`."""
    return await shape_of(services, await services.inbox.links.give_up(principal.user_id, request_id))


def is_asker(principal: Principal, request: InputRequest) -> bool:
    """Return whether the principal has asked this."""
    return request.origin is Origin.PROGRAM and request.server_id == principal.asker_id


async def shapes_of(services: Services, user_id: str, requests: Sequence[InputRequest]) -> RequestsShape:
    """Return the API's JSON of input requests, with what is known about their links."""
    links = await links_of(services.store, user_id, requests)
    return RequestsShape(requests=[request_shape(request, links.get(request.id)) for request in requests])


async def shape_of(services: Services, request: InputRequest, *, whole: bool = False) -> RequestShape:
    """Return the API's JSON of an input request, with what is known about its link; `whole` as in `request_shape`."""
    links = await links_of(services.store, request.user_id, [request])
    shape = request_shape(request, links.get(request.id), whole=whole)
    if whole and (webhook := await services.store.of(request.user_id).answer_webhooks.get(request.id)):
        shape.webhook = WebhookShape.of(webhook)
    return shape
