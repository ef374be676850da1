"""The pages of administrators: users with counts and states, and the audit trail; no question and no answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import HTMLResponse, Response

from webclient.accounts import is_fixed
from webclient.http import AccountDep, AdminDep, ChangeableAccountDep, PrincipalDep, ServicesDep, redirect, render
from webclient.i18n import gettext as _
from webclient.model import AuditEntry
from webclient.pages.audit_words import action_words, detail_words, refusal_words
from webclient.pages.open_sign_ins import end_one, ended_words, read_sign_ins
from webclient.pages.page_context import read_page_context
from webclient.store import UserFilter

PATH = "/admin"


async def _admins_only(_admin: AdminDep) -> None:
    """Refuse everyone else, before anything is read."""


router = APIRouter(prefix=PATH, include_in_schema=False, dependencies=[Depends(_admins_only)])


@router.get("")
async def show_users(
    http_request: Request,
    services: ServicesDep,
    principal: PrincipalDep,
    q: Annotated[str, Query(max_length=200)] = "",
) -> HTMLResponse:
    """Show users with counts and states; all of them, or those whom `q` names."""
    rows, _is_more = await services.accounts.page(UserFilter(query=q))
    page_context = await read_page_context(services, principal.user_id)
    return render(http_request, "admin/users.html", page_context=page_context, rows=rows, query=q)


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
    entries: Sequence[AuditEntry] = await services.store.audit.newest(before)
    names = {user.id: user.shown_name for user in await services.store.users.all()}
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
