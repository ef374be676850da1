"""The pages of administrators: users with counts and states, and the audit trail; no question and no answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import HTMLResponse, Response

from webclient.errors import ConflictError, NotFoundError
from webclient.http import PrincipalDep, ServicesDep, redirect, render
from webclient.i18n import gettext as _
from webclient.identity import Principal, asker_id_of
from webclient.model import LOCAL_USER, AuditEntry, User
from webclient.pages.audit_words import action_words, detail_words, refusal_words
from webclient.pages.open_sign_ins import end_one, end_others, ended_words, read_sign_ins
from webclient.pages.page_context import read_page_context
from webclient.services import Services

PATH = "/admin"


async def _admin(principal: PrincipalDep) -> Principal:
    if not principal.is_admin:
        # As if there were no such page: what exists here is not for others to learn.
        raise NotFoundError(
            _("Nothing exists at this address. It may have been removed, or the address may be mistyped.")
        )
    return principal


async def _user(user_id: str, services: ServicesDep, admin: Annotated[Principal, Depends(_admin)]) -> User:
    user = (await _row(services, user_id)).user
    if _is_fixed(user, admin):
        raise ConflictError(_("Neither the user of the token nor you can be disabled or deleted here."))
    return user


UserDep = Annotated[User, Depends(_user)]

router = APIRouter(prefix=PATH, include_in_schema=False, dependencies=[Depends(_admin)])


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRow:
    """A user, whether they are here, and how much there is of theirs."""

    user: User
    is_here: bool
    servers: int
    open_calls: int
    waiting: int

    @property
    def name(self) -> str:
        """The name by which an administrator knows the user best."""
        return self.user.name or self.user.email or self.user.subject

    def has(self, query: str) -> bool:
        """Return whether each word of the query is in a name of the user."""
        names = f"{self.user.name} {self.user.email} {self.user.subject}".casefold()
        return all(word in names for word in query.casefold().split())


@router.get("")
async def show_users(
    http_request: Request,
    services: ServicesDep,
    principal: PrincipalDep,
    q: Annotated[str, Query(max_length=200)] = "",
) -> HTMLResponse:
    """Show users with counts and states; all of them, or those whom `q` names."""
    rows = [row for row in await _rows(services) if row.has(q)]
    page_context = await read_page_context(services, principal.user_id)
    return render(http_request, "admin/users.html", page_context=page_context, rows=rows, query=q)


@router.get("/users/{user_id}")
async def show_user(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, user_id: str
) -> HTMLResponse:
    """Show a user, and what an administrator can do about them."""
    row = await _row(services, user_id)
    return render(
        http_request,
        "admin/user.html",
        page_context=await read_page_context(services, principal.user_id),
        row=row,
        is_fixed=_is_fixed(row.user, principal),
        sign_ins=await read_sign_ins(http_request, services, user_id, principal),
    )


@router.get("/audit")
async def show_audit(
    http_request: Request,
    services: ServicesDep,
    principal: PrincipalDep,
    before: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> HTMLResponse:
    """Show the audit trail, newest first."""
    entries: Sequence[AuditEntry] = await services.store.audit.newest(before)
    names = {user.id: user.name or user.email or user.subject for user in await services.store.users.all()}
    page_context = await read_page_context(services, principal.user_id)
    return render(
        http_request,
        "admin/audit.html",
        page_context=page_context,
        entries=entries,
        names=names,
        words=action_words(),
        reasons=refusal_words(),
        detail_words=detail_words(),
    )


@router.post("/users/{user_id}/sign-ins/end")
async def end_all_sign_ins(services: ServicesDep, principal: PrincipalDep, user_id: str) -> Response:
    """End all sign-ins of a user but the one of this request."""
    user = (await _row(services, user_id)).user
    return redirect(f"{PATH}/users/{user.id}", ended_words(await end_others(services, user.id, principal)))


@router.post("/users/{user_id}/sign-ins/{session_id}/end")
async def end_sign_in(services: ServicesDep, user_id: str, session_id: str) -> Response:
    """End one sign-in of a user."""
    await end_one(services, user_id, session_id)
    return redirect(f"{PATH}/users/{user_id}", ended_words(1))


@router.post("/users/{user_id}/disable")
async def disable(services: ServicesDep, user: UserDep) -> Response:
    """Let a user sign in no more; end the streams and connections."""
    await _shut_out(services, user)
    return redirect(f"{PATH}/users/{user.id}", _("The user is disabled."))


@router.post("/users/{user_id}/enable")
async def enable(services: ServicesDep, user: UserDep) -> Response:
    """Let a disabled user sign in again."""
    await services.store.users.enable(user.id)
    # What came meanwhile is noticed now.
    services.notices.look(user.id)
    return redirect(f"{PATH}/users/{user.id}", _("The user can sign in again."))


@router.post("/users/{user_id}/delete")
async def erase(services: ServicesDep, user: UserDep) -> Response:
    """Delete a user with everything of theirs."""
    await _shut_out(services, user)
    try:
        # Before the rows: as long as the user is in the list, it can be tried again.
        await services.log_writer.erase(user.id)
    except OSError:
        raise ConflictError(
            _("The file of the wire log cannot be changed, so the user is disabled and not deleted. Try again.")
        ) from None
    for token in await services.store.of(user.id).tokens.all():
        # Other people must not be left with questions whose answers no program fetches.
        await services.program_requests.revoked(asker_id_of(token.id))
    await services.store.users.erase(user.id)
    return redirect(PATH, _("The user is deleted, with everything of theirs."))


async def _rows(services: Services, user_id: str | None = None) -> list[UserRow]:
    counts = await services.store.users.counts(user_id)
    return [
        UserRow(user=user, is_here=user.id in services.presence.here, servers=n[0], open_calls=n[1], waiting=n[2])
        for user, n in counts
    ]


async def _row(services: Services, user_id: str) -> UserRow:
    rows = await _rows(services, user_id)
    if not rows:
        raise NotFoundError(_("This user does not exist. They may have been deleted."))
    return rows[0]


def _is_fixed(user: User, admin: Principal) -> bool:
    """Return whether the user can neither be disabled nor deleted here."""
    return user.id in (LOCAL_USER, admin.user_id)


async def _shut_out(services: Services, user: User) -> None:
    await services.store.users.disable(user.id)
    await services.presence.leave(user.id)
