"""The API of the tokens of programs: list, make, revoke."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from webclient.auth import Scope, new_token
from webclient.domain.errors import ForbiddenError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import EVERYONE, ProgramToken
from webclient.web.api.bodies import TokenBody
from webclient.web.api.program_shapes import TokenShape, TokensShape
from webclient.web.api.serialize import moment
from webclient.web.http import PrincipalDep, ServicesDep, problems

router = APIRouter(prefix="/tokens", tags=["tokens"], responses=problems(403))


@router.get("")
async def list_tokens(services: ServicesDep, principal: PrincipalDep) -> TokensShape:
    """List the tokens of programs, newest first, without their secrets."""
    return {"tokens": [token_shape(token) for token in await services.store.of(principal.user_id).tokens.all()]}


@router.post("", status_code=201, responses=problems(400, 404, 409, 413, 415, 422))
async def make_token(body: TokenBody, services: ServicesDep, principal: PrincipalDep) -> TokenShape:
    """Make a token. Its `secret` is in this answer and never again."""
    # Safe: the token acts only for the user who makes it.
    if body.user_id not in (None, principal.user_id):
        raise NotFoundError(_("There is no user “{id}”.").format(id=body.user_id))
    if not principal.scopes.issuperset(body.scopes):
        raise ForbiddenError(_("A token cannot allow more than you may do."))
    # Safe: whom a program may ask besides its own user, an administrator decides, and the token of a program never.
    if body.may_ask and not principal.is_admin:
        raise ForbiddenError(_("Only an administrator lets a program ask other users."))
    token, secret = new_token(principal.user_id, body.label, body.scopes, body.other_users)
    await services.store.of(principal.user_id).tokens.add(token, secret)
    return {**token_shape(token), "secret": secret}


@router.delete("/{token_id}", status_code=204, responses=problems(404))
async def revoke_token(token_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Revoke a token; its streams end within seconds, and what it has asked stays."""
    await services.accounts.revoke_token(principal.user_id, token_id)
    return Response(status_code=204)


def token_shape(token: ProgramToken) -> TokenShape:
    """Return the API's JSON of a token, without its secret."""
    shape: TokenShape = {
        "id": token.id,
        "user_id": token.user_id,
        "label": token.label,
        "scopes": [Scope(scope) for scope in token.scopes],
        "hint": token.hint,
        "muted": token.muted_at is not None,
        "created_at": moment(token.created_at),
    }
    if token.may_ask:
        shape["may_ask"] = "everyone" if EVERYONE in token.may_ask else list(token.may_ask)
    if token.used_at:
        shape["used_at"] = moment(token.used_at)
    if token.revoked_at:
        shape["revoked_at"] = moment(token.revoked_at)
    return shape
