"""The permissions of a server: the modes of its questions, its folders, mute, and declining all that are waiting."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from webclient.content.visible_text import visible
from webclient.domain.errors import InvalidInputError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import ngettext
from webclient.domain.model import Mode, Server
from webclient.domain.root_rules import WrongRootError, checked_roots
from webclient.services import Services
from webclient.web.http import ServerDep, ServicesDep, Undo, redirect, render
from webclient.web.pages.confirmation import (
    Confirmation,
    OpenWork,
    ServerAction,
    add_action,
    ask_unless_confirmed,
    lost_work,
)
from webclient.web.pages.inbox.together import undo_of
from webclient.web.pages.posted_form import Posted, PostedDep
from webclient.web.pages.sampling.rule_form import RuleForm, form_of_rule
from webclient.web.pages.servers.root_forms import RootForm, read_roots, root_form, wrong_form
from webclient.web.pages.servers.server_extensions import extension_switches
from webclient.web.pages.servers.server_tabs import Tab, read_server_page

router = APIRouter(prefix="/servers", include_in_schema=False)


@router.get("/{server_id}/permissions")
async def show_permissions(http_request: Request, services: ServicesDep, server: ServerDep) -> HTMLResponse:
    """Show what the server may ask."""
    return await show_permissions_page(http_request, services, server)


async def show_permissions_page(
    http_request: Request,
    services: Services,
    server: Server,
    *,
    roots: RootForm | None = None,
    rule_form: RuleForm | None = None,
    status: int = 200,
) -> HTMLResponse:
    """Show what the server may ask; `roots` and `rule_form` are posted forms with what is wrong in them."""
    page = await read_server_page(services, server)
    return render(
        http_request,
        "servers/permissions.html",
        status=status,
        page_context=page.page_context,
        row=page.row,
        tab=Tab.PERMISSIONS,
        tabs=page.tabs,
        extensions=extension_switches(server),
        roots=roots or await root_form(server),
        rule_form=rule_form or form_of_rule(server.sampling, services.models.all),
        spent=await services.sampling.spent(server.user_id, server.id),
    )


@router.post("/{server_id}/modes")
async def change_modes(http_request: Request, services: ServicesDep, posted: PostedDep, server: ServerDep) -> Response:
    """Save the modes; ask to confirm first if the server must be reconnected with open work."""
    changed = replace(server, modes=_modes(posted))
    if services.connections.must_reconnect(changed) and (
        page := await ask_unless_confirmed(http_request, services, changed, posted, partial(_reconnecting, changed))
    ):
        return page
    await services.servers.change(changed)
    return redirect(_page(changed), _("Permissions saved."))


@router.post("/{server_id}/roots")
async def share_roots(http_request: Request, services: ServicesDep, posted: PostedDep, server: ServerDep) -> Response:
    """Save the folders; ask to confirm first if the server must be reconnected with open work."""
    roots = read_roots(posted)
    try:
        checked = None if roots is None else checked_roots(roots)
    except WrongRootError as error:
        return await show_permissions_page(http_request, services, server, roots=wrong_form(posted, error), status=422)
    changed = replace(server, roots=checked)
    if services.connections.must_reconnect(changed) and (
        page := await ask_unless_confirmed(
            http_request, services, server, posted, partial(_reconnecting_to_share, server, posted)
        )
    ):
        return page
    await services.servers.share_roots(server, checked)
    return redirect(f"{_page(server)}#roots", _("Folders saved."))


@router.post("/{server_id}/unmute")
async def unmute(services: ServicesDep, server: ServerDep) -> Response:
    """Unmute the server."""
    await services.servers.unmute(server)
    return redirect(_page(server), _("Unmuted. You will see the next questions of this server."))


async def _mute(services: Services, server: Server) -> Response:
    await services.servers.mute(server)
    sentence = _("Muted. Questions from this server are dismissed automatically.")
    return redirect(_page(server), sentence, undo=Undo(action=f"/servers/{server.id}/unmute", button=_("Unmute")))


async def _decline_all(services: Services, server: Server) -> Response:
    waiting = await services.store.of(server.user_id).request_lists.pending_from(server.id)
    declined = await services.decisions.decline_together(server.user_id, waiting)
    n = len(declined)
    sentence = ngettext("Declined {n} question from {label}.", "Declined {n} questions from {label}.", n)
    return redirect("/", sentence.format(n=n, label=visible(server.label, 80)), undo=undo_of(declined))


def _reconnecting(changed: Server, found: OpenWork) -> Confirmation:
    return Confirmation(
        title=_("Reconnect {label}?").format(label=changed.label),
        consequences=[
            _("Permissions are negotiated when connecting, so the server will be reconnected."),
            *lost_work(found),
        ],
        action=f"/servers/{changed.id}/modes",
        button=_("Save and reconnect"),
        is_destructive=bool(found),
        fields=[("mode", mode) for mode in changed.modes],
    )


def _reconnecting_to_share(server: Server, posted: Posted, found: OpenWork) -> Confirmation:
    return Confirmation(
        title=_("Reconnect {label}?").format(label=server.label),
        consequences=[
            _("Permissions are negotiated when connecting, so the server will be reconnected."),
            *lost_work(found),
        ],
        action=f"/servers/{server.id}/roots",
        button=_("Save and reconnect"),
        is_destructive=bool(found),
        fields=[each for each in posted if each[0] in ("share", "folder", "name")],
    )


def _muting(server: Server, found: OpenWork) -> Confirmation:
    waiting = ngettext(
        "{n} question is waiting for you. It will be dismissed: the server gets neither a yes nor a no.",
        "{n} questions are waiting for you. They will be dismissed: the server gets neither a yes nor a no.",
        found.requests,
    )
    return Confirmation(
        title=_("Mute {label}?").format(label=server.label),
        consequences=[
            _("Its questions will be dismissed automatically until you unmute it. The history shows how often."),
            *([waiting.format(n=found.requests)] if found.requests else []),
            _("The server stays connected, and you can still run its tools."),
        ],
        action=f"/servers/{server.id}/mute",
        button=_("Mute server"),
        is_destructive=bool(found.requests),
    )


def _declining(server: Server, found: OpenWork) -> Confirmation:
    waiting = ngettext(
        "{n} question is waiting for you. It will be declined.",
        "{n} questions are waiting for you. Each will be declined.",
        found.requests,
    )
    consequences = [waiting.format(n=found.requests), _("What you typed is not sent; it stays for one day.")]
    return Confirmation(
        title=_("Decline all questions from {label}?").format(label=server.label),
        consequences=consequences if found.requests else [_("No questions from this server are waiting.")],
        action=f"/servers/{server.id}/decline-all",
        button=_("Decline all"),
        is_destructive=True,
    )


def _modes(posted: Posted) -> tuple[Mode, ...]:
    chosen = [value for name, value in posted if name == "mode"]
    if unknown := [value for value in chosen if value not in list(Mode)]:
        message = _("The mode must be one of {modes}; it was “{text}”.").format(modes=", ".join(Mode), text=unknown[0])
        raise InvalidInputError(message, {"mode": message})
    return tuple(mode for mode in Mode if mode in chosen)


def _page(server: Server) -> str:
    return f"/servers/{server.id}/permissions"


add_action(
    router,
    ServerAction(path="mute", confirmation=_muting, run=_mute, ends=lambda found: bool(found.requests)),
)
add_action(
    router,
    # Always asks: there is no other way to see how many questions are declined.
    ServerAction(path="decline-all", confirmation=_declining, run=_decline_all, ends=lambda _found: True),
)
