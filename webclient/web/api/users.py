"""The API of users, for administrators: list, add, disable, enable, delete; and their sign-ins, tokens and servers.

Nothing here shows what anybody was asked or has answered.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from webclient.auth import Issuers
from webclient.content.masking import public_transport
from webclient.domain.errors import InvalidInputError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import OpenSession, Person, Role, Server, ServerState
from webclient.servers.accounts import Account
from webclient.services import Services
from webclient.store import UserFilter
from webclient.web.api.bodies import NewUserBody
from webclient.web.api.shapes import Filled, Maybe, Moment, Shape
from webclient.web.api.tokens import TokensShape, tokens_shape
from webclient.web.http import AccountDep, AdminDep, ChangeableAccountDep, ServicesDep, problems


async def _admins_only(_admin: AdminDep) -> None:
    """Refuse everyone else, before anything is read."""


router = APIRouter(prefix="/users", tags=["users"], dependencies=[Depends(_admins_only)], responses=problems(403, 404))

MOST = 500
"""The most users in one page."""


class AccountShape(Shape):
    """A user, with counts of what is theirs, and nothing of its content.

    `issuer` and `subject` are the names that the user's way of signing in has for them. A user who was added by `email`
    has no subject until the first sign-in; `awaited` says that there was none yet. `here`: the user has something open,
    or had a short while ago.
    """

    id: str
    issuer: str
    subject: Filled[str] = None
    name: Filled[str] = None
    email: Filled[str] = None
    role: Role
    state: Literal["enabled", "disabled"]
    awaited: bool
    here: bool
    servers: int
    open_calls: int
    waiting_requests: int
    created_at: Moment
    seen_at: Maybe[Moment] = None
    signed_in_at: Maybe[Moment] = None
    disabled_at: Maybe[Moment] = None


class AccountsShape(Shape):
    """A page of users in the order in which they first came; `next` is the cursor of the page with later ones."""

    users: list[AccountShape]
    next: Maybe[str] = None


class SignInShape(Shape):
    """A browser, frame or agent of an application that is signed in; `own` is the one by which this request came."""

    id: str
    way: str
    embedder: Filled[str] = None
    agent: Filled[str] = None
    user_agent: Filled[str] = None
    address: Filled[str] = None
    own: bool
    created_at: Maybe[Moment] = None
    used_at: Maybe[Moment] = None
    ends_at: Moment


class OpenSignInsShape(Shape):
    """The sign-ins of a user that go on, the last used first."""

    sign_ins: list[SignInShape]


class EndedSignInsShape(Shape):
    """How many sign-ins were ended."""

    ended: int


class UserServerShape(Shape):
    """A server of a user: its label, its address without what may be secret, and its state.

    `configured`: it is one of the config file, and comes back with the next start after it was removed.
    """

    id: str
    label: str
    type: str
    address: Maybe[str] = None
    configured: bool
    state: ServerState


class UserServersShape(Shape):
    """The servers of a user, oldest first."""

    servers: list[UserServerShape]


@router.get("", responses=problems(422))
async def list_users(
    services: ServicesDep,
    *,
    q: Annotated[
        str, Query(max_length=200, description="Words; each must be in the name, e-mail address or subject.")
    ] = "",
    state: Literal["enabled", "disabled"] | None = None,
    after: Annotated[str | None, Query(max_length=200, description="The `next` of the previous page.")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 100,
) -> AccountsShape:
    """List users in the order in which they first came."""
    wanted = UserFilter(query=q, disabled=None if state is None else state == "disabled")
    try:
        found, is_more = await services.accounts.page(wanted, after=after, limit=limit)
    except NotFoundError:
        message = _("Invalid cursor. Pass the `next` value of the previous page.")
        raise InvalidInputError(message, {"after": message}) from None
    return AccountsShape(users=[_shape(each) for each in found], next=found[-1].user.id if is_more else None)


_KNOWN: dict[int | str, dict[str, Any]] = {200: {"model": AccountShape, "description": "The user was known already."}}


@router.post("", status_code=201, responses=_KNOWN | problems(400, 409, 413, 415, 422))
async def add_user(body: NewUserBody, services: ServicesDep, http_request: Request, response: Response) -> AccountShape:
    """Add a user who has not signed in yet, so that programs can ask them; 200 if the user is known already.

    The first sign-in that proves the subject, or the e-mail address, is that of this user.
    """
    issuers = Issuers(services.settings, http_request.app.state.host_sessions)
    issuer = body.issuer or issuers.default
    if not issuers.knows(issuer):
        message = _("No users of “{issuer}” sign in here. Name the issuer of their sign-in.").format(issuer=issuer)
        raise InvalidInputError(message, {"issuer": message})
    if body.email and not issuers.has_emails(issuer):
        message = _("This issuer names no e-mail addresses. Name the user by the subject.")
        raise InvalidInputError(message, {"email": message})
    person = Person(issuer=issuer, subject=body.subject or "", email=body.email or "", name=body.name)
    user, is_new = await services.store.users.add(person)
    if not is_new:
        response.status_code = 200
    response.headers["Location"] = f"/api/v1/users/{user.id}"
    return _shape(await services.accounts.get(user.id))


@router.get("/{user_id}")
async def get_user(account: AccountDep) -> AccountShape:
    """Get a user."""
    return _shape(account)


@router.post("/{user_id}/disable", responses=problems(409))
async def disable_user(services: ServicesDep, account: ChangeableAccountDep) -> AccountShape:
    """Disable a user: end sign-ins, streams and connections, and refuse their requests and programs."""
    await services.accounts.disable(account.user.id)
    return _shape(await services.accounts.get(account.user.id))


@router.post("/{user_id}/enable", responses=problems(409))
async def enable_user(services: ServicesDep, account: ChangeableAccountDep) -> AccountShape:
    """Let a disabled user sign in again; their programs' tokens are valid again at once."""
    await services.accounts.enable(account.user.id)
    return _shape(await services.accounts.get(account.user.id))


@router.delete("/{user_id}", status_code=204, responses=problems(409))
async def delete_user(services: ServicesDep, account: ChangeableAccountDep) -> None:
    """Delete a user with everything of theirs."""
    await services.accounts.erase(account.user.id)


@router.get("/{user_id}/sign-ins")
async def list_sign_ins(services: ServicesDep, admin: AdminDep, account: AccountDep) -> OpenSignInsShape:
    """List the browsers and frames in which a user is signed in."""
    found = await services.store.open_sessions.of(account.user.id, admin.session_id)
    return OpenSignInsShape(sign_ins=[_sign_in_shape(each) for each in found])


@router.delete("/{user_id}/sign-ins")
async def end_all_sign_ins(services: ServicesDep, admin: AdminDep, account: AccountDep) -> EndedSignInsShape:
    """Sign a user out everywhere, but not where this request comes from."""
    return EndedSignInsShape(ended=await services.accounts.end_all_sign_ins(account.user.id, admin.session_id))


@router.delete("/{user_id}/sign-ins/{session_id}", status_code=204)
async def end_sign_in(services: ServicesDep, account: AccountDep, session_id: str) -> None:
    """End one sign-in of a user."""
    if not await services.accounts.end_sign_ins(account.user.id, [session_id]):
        raise NotFoundError(_("This sign-in does not exist. It may have ended."))


@router.get("/{user_id}/tokens")
async def list_tokens(services: ServicesDep, account: AccountDep) -> TokensShape:
    """List the tokens of a user's programs, newest first, without their secrets."""
    return tokens_shape(await services.store.of(account.user.id).tokens.all())


@router.delete("/{user_id}/tokens/{token_id}", status_code=204)
async def revoke_token(services: ServicesDep, account: AccountDep, token_id: str) -> None:
    """Revoke a token of a user's program."""
    await services.accounts.revoke_token(account.user.id, token_id)


@router.get("/{user_id}/servers")
async def list_servers(services: ServicesDep, account: AccountDep) -> UserServersShape:
    """List the servers of a user."""
    found = await services.store.of(account.user.id).servers.all()
    return UserServersShape(servers=[_server_shape(services, server) for server in found])


@router.delete("/{user_id}/servers/{server_id}", status_code=204)
async def remove_server(services: ServicesDep, account: AccountDep, server_id: str) -> None:
    """Disconnect and remove a server of a user."""
    await services.servers.remove(await services.store.of(account.user.id).servers.get(server_id))


def _shape(account: Account) -> AccountShape:
    user = account.user
    return AccountShape.of(
        user,
        subject=user.known_subject,
        state="disabled" if user.disabled_at else "enabled",
        awaited=user.is_awaited,
        here=account.is_here,
        servers=account.servers,
        open_calls=account.open_calls,
        waiting_requests=account.waiting,
        seen_at=user.seen_at if user.signed_in_at else None,
    )


def _sign_in_shape(session: OpenSession) -> SignInShape:
    browser = session.browser
    return SignInShape.of(session, own=session.is_own, user_agent=browser.user_agent, address=browser.address)


def _server_shape(services: Services, server: Server) -> UserServerShape:
    transport = public_transport(server.transport)
    return UserServerShape.of(
        server,
        type=transport["type"],
        address=transport.get("url"),
        configured=server.name is not None,
        state=services.connections.status(server.key).state,
    )
