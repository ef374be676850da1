"""Mute a program of another user: by the person whom it asks, for themselves, until they unmute it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from webclient.content.visible_text import visible
from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import InputRequest
from webclient.web.http import PrincipalDep, RequestDep, ServicesDep, redirect, render
from webclient.web.pages.confirmation import Confirmation
from webclient.web.pages.page_context import read_page_context

router = APIRouter(include_in_schema=False)


@router.get("/requests/{request_id}/mute-program")
async def ask_to_mute(http_request: Request, services: ServicesDep, request: RequestDep) -> HTMLResponse:
    """Say what muting does, and ask to confirm it."""
    label = _label(request)
    confirmation = Confirmation(
        title=_("Mute {label}?").format(label=label),
        consequences=[
            _("Its questions to you, also those that are waiting, are dismissed until you unmute it under Tokens."),
            _("Other people are still asked."),
        ],
        action=f"/requests/{request.id}/mute-program",
        button=_("Mute program"),
        is_destructive=True,
        back=f"requests/{request.id}",
    )
    page_context = await read_page_context(services, request.user_id)
    return render(http_request, "servers/confirmation.html", page_context=page_context, confirmation=confirmation)


@router.post("/requests/{request_id}/mute-program")
async def mute_program(services: ServicesDep, request: RequestDep) -> Response:
    """Dismiss all waiting and all later questions of the program to the user."""
    label = _label(request)
    await services.program_requests.mute(request)
    return redirect(f"/requests/{request.id}", _("Muted: {label}.").format(label=label))


@router.post("/tokens/muted/{asker_id}/unmute")
async def unmute_program(services: ServicesDep, principal: PrincipalDep, asker_id: str) -> Response:
    """Let the program ask the user again."""
    if not await services.store.of(principal.user_id).muted_programs.remove(asker_id):
        raise NotFoundError(_("This program is not muted."))
    return redirect("/tokens", _("The program can ask you again."))


def _label(request: InputRequest) -> str:
    """Return the name of the program. Raises NotFoundError for a question of one's own programs, and of servers."""
    if not request.asked_by.made_by:
        raise NotFoundError(_("This question is not from a program of another user."))
    return visible(request.asked_by.label, 80)
