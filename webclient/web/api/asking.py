"""The API for programs that ask: put a question to a person, and withdraw it; `requests` gives the answer."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header
from starlette.responses import Response

from webclient.auth import Principal
from webclient.content.forms import read_form, withheld_values
from webclient.domain.approvals import digest_of
from webclient.domain.errors import ConflictError, NotFoundError, RefusedRequestError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import EVERYONE, CallContext, CallKind, User
from webclient.inbox import FLOODS, Asker, Limit, NewRequest, RefusedError
from webclient.services import Services
from webclient.web.api.bodies import AskBody, WithdrawBody
from webclient.web.api.request_shapes import RequestShape
from webclient.web.api.requests import ReadableDep, is_asker, shape_of
from webclient.web.http import PrincipalDep, ServicesDep, problems

router = APIRouter(prefix="/requests", tags=["requests"])

LOCAL_PROGRAM = "local token"
"""The name of a program that asks with the token of the program itself, which has no name of its own."""

Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        description="A random text for each question: sent again with it, the question is the same one.",
    ),
]


@router.post("", status_code=201, responses=problems(400, 403, 404, 409, 413, 415, 422, 429))
async def ask(
    body: AskBody, services: ServicesDep, principal: PrincipalDep, response: Response, idempotency_key: Key = None
) -> RequestShape:
    """Put a question to a person, as `elicitation/create` of MCP does. Long-poll it for the answer."""
    if body.tool is not None:
        # Refused before it is asked: what has no digest cannot be approved.
        digest_of(body.tool.name, body.arguments)
    asker = await asker_of(services, principal, await _recipient(body, services, principal))
    new = NewRequest(
        kind=body.kind,
        params=body.params,
        claims=body.label,
        during=_context(body),
        expires_in=body.expires_after,
        key=idempotency_key,
        webhook=body.webhook.as_webhook if body.webhook else None,
    )
    try:
        request = await services.program_requests.ask(asker, new)
    except RefusedError as refused:
        raise _refusal(refused) from refused
    response.headers["Location"] = f"/api/v1/requests/{request.id}"
    return await shape_of(services, request, whole=True)


@router.post("/{request_id}/withdraw", responses=problems(400, 404, 409, 413, 415, 422))
async def withdraw_request(
    services: ServicesDep, principal: PrincipalDep, request: ReadableDep, body: WithdrawBody | None = None
) -> RequestShape:
    """Withdraw a question of one's own that is no longer waited for; 409 if it is settled."""
    if not is_asker(principal, request):
        raise NotFoundError(_("There is no request “{id}”.").format(id=request.id))
    withdrawn = await services.program_requests.withdraw(request, (body and body.reason) or "")
    return await shape_of(services, withdrawn, whole=True)


async def _recipient(body: AskBody, services: Services, principal: Principal) -> str:
    """Return the id of the user whom the program asks. Raises NotFoundError."""
    if body.user is None:
        user = await services.store.users.get(body.user_id or principal.user_id)
    elif body.user.subject is not None:
        user = await services.store.users.find(body.user.issuer, body.user.subject)
    else:
        user = await _user_by_email(body.user.issuer, body.user.email or "", services, principal)
    # Safe: a program learns nothing of users whom it may not ask, not even that they exist.
    if user is None or user.disabled_at or not principal.may_ask_user(user.id):
        named = (body.user.subject or body.user.email) if body.user else body.user_id
        raise NotFoundError(_("There is no user “{id}”.").format(id=named))
    await services.store.of(user.id).check_home()
    return user.id


async def _user_by_email(issuer: str, email: str, services: Services, principal: Principal) -> User | None:
    try:
        return await services.store.users.find_by_email(issuer, email)
    except ConflictError:
        # Safe: that an address is that of several users, only a program learns that may ask all of them.
        if EVERYONE in principal.may_ask:
            raise
        return None


async def asker_of(services: Services, principal: Principal, user_id: str) -> Asker:
    """Return the program that asks this user. Raises NotFoundError for a token of another user."""
    if principal.token_id is None:
        embedder = principal.embedding.name if principal.embedding else None
        return Asker(user_id=principal.user_id, id=principal.asker_id, label=_named(principal), embedder=embedder)
    token = await services.store.of(principal.user_id).tokens.get(principal.token_id)
    maker = await services.store.users.get(principal.user_id) if user_id != principal.user_id else None
    return Asker(
        user_id=user_id,
        id=principal.asker_id,
        label=token.label,
        token_id=token.id,
        muted_at=token.muted_at,
        made_by=(maker.name or maker.subject) if maker else None,
    )


def _named(principal: Principal) -> str:
    if principal.embedding:
        return principal.embedding.label
    return LOCAL_PROGRAM if principal.way == "local" else principal.way


def _context(body: AskBody) -> CallContext | None:
    """Return the call as the program tells it, without arguments that may be secrets."""
    if body.tool is not None:
        # Its arguments are the question itself.
        return CallContext(kind=CallKind.TOOL, name=body.tool.name)
    if body.call is None:
        return None
    arguments = dict(body.call.arguments or {})
    withheld = withheld_values(read_form({}), arguments)
    shown = {name: value for name, value in arguments.items() if name not in withheld}
    return CallContext(kind=CallKind.TOOL, name=body.call.name, arguments=shown, withheld=withheld)


def _refusal(refused: RefusedError) -> RefusedRequestError:
    limit, reason = refused.refusal.limit, refused.refusal.reason
    if limit is Limit.SIZE:
        return RefusedRequestError(reason, 413)
    if limit in FLOODS:
        return RefusedRequestError(reason, 429, retry_after=refused.refusal.retry_after)
    return RefusedRequestError(reason, 422 if limit is Limit.MALFORMED else 403)
