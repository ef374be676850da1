"""The pages of administrators: users with counts and states, and the audit trail; no question and no answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import HTMLResponse, Response

from webclient.domain.i18n import gettext as _
from webclient.domain.model import AuditEntry, AuditFilter
from webclient.servers.accounts import is_fixed
from webclient.store import UserFilter
from webclient.web.http import AccountDep, AdminDep, ChangeableAccountDep, PrincipalDep, ServicesDep, redirect, render
from webclient.web.pages.page_context import read_page_context
from webclient.web.pages.users.audit_words import action_words, detail_words, refusal_words
from webclient.web.pages.users.open_sign_ins import end_one, ended_words, read_sign_ins

PATH = "/admin"

MOST = 100
"""Users on one page."""


async def _admins_only(_admin: AdminDep) -> None:
    """Refuse everyone else, before anything is read."""


router = APIRouter(prefix=PATH, include_in_schema=False, dependencies=[Depends(_admins_only)])


@router.get("")
async def show_users(
    http_request: Request,
    services: ServicesDep,
    principal: PrincipalDep,
    q: Annotated[str, Query(max_length=200)] = "",
    after: Annotated[str | None, Query(max_length=200)] = None,
) -> HTMLResponse:
    """Show users with counts and states, in the order in which they first came; with `q` those whom it names."""
    rows, is_more = await services.accounts.page(UserFilter(query=q), after=after, limit=MOST)
    return render(
        http_request,
        "admin/users.html",
        page_context=await read_page_context(services, principal.user_id),
        rows=rows,
        query=q,
        after=after,
        is_more=is_more,
        nodes=await services.residents.nodes() if services.residents else (),
        differs=services.residents.differs if services.residents else None,
    )


@router.get("/users/{user_id}")
async def show_user(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, account: AccountDep
) -> HTMLResponse:
    """Show a user, and what an administrator can do about them."""
    return render(
        http_request,
        "admin/user.html",
        page_context=await read_page_context(services, principal.user_id),
        row=account,
        is_fixed=is_fixed(account.user, principal.user_id),
        sign_ins=await read_sign_ins(http_request, services, account.user.id, principal),
    )


@router.get("/audit")
async def show_audit(
    http_request: Request,
    services: ServicesDep,
    principal: PrincipalDep,
    before: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> HTMLResponse:
    """Show the audit trail, newest first."""
    page = await services.store.audit.page(AuditFilter(), before=before)
    names = await services.store.users.shown_names(set(_ids(page.entries)))
    page_context = await read_page_context(services, principal.user_id)
    return render(
        http_request,
        "admin/audit.html",
        page_context=page_context,
        page=page,
        names=names,
        words=action_words(),
        reasons=refusal_words(),
        detail_words=detail_words(),
    )


def _ids(entries: Sequence[AuditEntry]) -> Iterator[str]:
    """Yield all texts of the entries that may be ids of users."""
    for entry in entries:
        yield from (entry.user_id, entry.object)
        for detail in entry.details.values():
            yield from (each for each in (detail if isinstance(detail, list) else [detail]) if isinstance(each, str))


@router.post("/users/{user_id}/sign-ins/end")
async def end_all_sign_ins(services: ServicesDep, admin: AdminDep, account: AccountDep) -> Response:
    """End all sign-ins of a user but the one of this request."""
    ended = await services.accounts.end_all_sign_ins(account.user.id, admin.session_id)
    return redirect(f"{PATH}/users/{account.user.id}", ended_words(ended))


@router.post("/users/{user_id}/sign-ins/{session_id}/end")
async def end_sign_in(services: ServicesDep, account: AccountDep, session_id: str) -> Response:
    """End one sign-in of a user."""
    await end_one(services, account.user.id, session_id)
    return redirect(f"{PATH}/users/{account.user.id}", ended_words(1))


@router.post("/users/{user_id}/disable")
async def disable(services: ServicesDep, account: ChangeableAccountDep) -> Response:
    """Let a user sign in no more; end the streams and connections."""
    await services.accounts.disable(account.user.id)
    return redirect(f"{PATH}/users/{account.user.id}", _("The user is disabled."))


@router.post("/users/{user_id}/enable")
async def enable(services: ServicesDep, account: ChangeableAccountDep) -> Response:
    """Let a disabled user sign in again."""
    await services.accounts.enable(account.user.id)
    return redirect(f"{PATH}/users/{account.user.id}", _("The user can sign in again."))


@router.post("/users/{user_id}/delete")
async def erase(services: ServicesDep, account: ChangeableAccountDep) -> Response:
    """Delete a user with everything of theirs."""
    await services.accounts.erase(account.user.id)
    return redirect(PATH, _("The user is deleted, with everything of theirs."))
