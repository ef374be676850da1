"""The API of the tokens of programs: list, make, revoke."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from fastapi import APIRouter
from starlette.responses import Response

from webclient.auth import Scope, new_token
from webclient.domain.errors import ForbiddenError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import EVERYONE, ProgramToken
from webclient.web.api.bodies import TokenBody
from webclient.web.api.shapes import Filled, Maybe, Moment, Shape
from webclient.web.http import PrincipalDep, ServicesDep, problems

router = APIRouter(prefix="/tokens", tags=["tokens"], responses=problems(403))


class TokenShape(Shape):
    """A token of a program. `secret` is the token itself, and only in the answer to its making.

    `hint` are the last characters of it. `muted`: questions of the program are refused. `may_ask` are the other users
    whom the program may ask. `servers` are the ids of those that it reaches through the gateway, if not all, and
    `patience` are the seconds for which it waits for a result there. `pass_on`: what servers ask during its calls is
    passed on to it. `trust_user_header` names the user for whom each request there is.
    """

    id: str
    user_id: str
    label: str
    scopes: list[Scope]
    hint: str
    muted: bool
    may_ask: Maybe[Literal["everyone"] | list[str]] = None
    servers: Filled[list[str]] = None
    patience: Maybe[float] = None
    pass_on: bool = False
    trust_user_header: Maybe[str] = None
    created_at: Moment
    used_at: Maybe[Moment] = None
    revoked_at: Maybe[Moment] = None
    secret: Maybe[str] = None


class TokensShape(Shape):
    """All tokens of a user, newest first, revoked ones as well."""

    tokens: list[TokenShape]


@router.get("")
async def list_tokens(services: ServicesDep, principal: PrincipalDep) -> TokensShape:
    """List the tokens of programs, newest first, without their secrets."""
    return tokens_shape(await services.store.of(principal.user_id).tokens.all())


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
    if body.trust_user_header and not principal.is_admin:
        raise ForbiddenError(_("Only an administrator lets a program act for other users."))
    for server_id in body.servers:
        await services.store.of(principal.user_id).servers.get(server_id)
    token, secret = new_token(
        principal.user_id,
        body.label,
        body.scopes,
        body.other_users,
        servers=body.servers,
        patience=body.patience,
        user_header=body.trust_user_header,
        passes_on=body.pass_on,
    )
    await services.store.of(principal.user_id).tokens.add(token, secret)
    return _shape(token, secret)


@router.delete("/{token_id}", status_code=204, responses=problems(404))
async def revoke_token(token_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Revoke a token; its streams end within seconds, and what it has asked stays."""
    await services.accounts.revoke_token(principal.user_id, token_id)
    return Response(status_code=204)


def tokens_shape(tokens: Sequence[ProgramToken]) -> TokensShape:
    """Return the API's JSON of tokens, without their secrets."""
    return TokensShape(tokens=[_shape(token) for token in tokens])


def _shape(token: ProgramToken, secret: str | None = None) -> TokenShape:
    others = "everyone" if EVERYONE in token.may_ask else token.may_ask or None
    return TokenShape.of(
        token,
        muted=token.muted_at is not None,
        may_ask=others,
        servers=list(token.servers),
        pass_on=token.passes_on,
        trust_user_header=token.user_header,
        secret=secret,
    )
