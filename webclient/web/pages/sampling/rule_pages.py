"""The rule of a server for language models, in its permissions; answers go out unseen only after a confirmation."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import Response

from webclient.domain.i18n import gettext as _
from webclient.domain.model import Server
from webclient.web.http import ServerDep, ServicesDep, redirect
from webclient.web.pages.confirmation import Confirmation, OpenWork, ask_unless_confirmed
from webclient.web.pages.posted_form import Posted, PostedDep
from webclient.web.pages.sampling.rule_form import RuleForm, read_rule
from webclient.web.pages.servers.server_permissions import show_permissions_page

router = APIRouter(prefix="/servers", include_in_schema=False)


@router.post("/{server_id}/sampling")
async def change_rule(http_request: Request, services: ServicesDep, posted: PostedDep, server: ServerDep) -> Response:
    """Save the rule; ask to confirm before answers may go out unseen."""
    form = read_rule(posted, services.models.all)
    if form.errors:
        return await show_permissions_page(http_request, services, server, rule_form=form, status=422)

    def confirmation(_found: OpenWork) -> Confirmation:
        return _sending_unseen(server, form, posted)

    if form.rule.sends_unseen and not server.sampling.sends_unseen:
        page = await ask_unless_confirmed(
            http_request, services, server, posted, confirmation, ends=lambda _found: True
        )
        if page:
            return page
    await services.servers.change(replace(server, sampling=form.rule))
    return redirect(f"/servers/{server.id}/permissions#sampling", _("Rule saved."))


@router.post("/{server_id}/sampling/ask")
async def ask_again(services: ServicesDep, server: ServerDep) -> Response:
    """Ask the person about every request and answer again."""
    await services.servers.change(replace(server, sampling=replace(server.sampling, approve=False, unseen=False)))
    return redirect(f"/servers/{server.id}/permissions#sampling", _("From now on you are asked every time."))


def _sending_unseen(server: Server, form: RuleForm, posted: Posted) -> Confirmation:
    return Confirmation(
        title=_("Let {label} get answers that you have not seen?").format(label=server.label),
        consequences=[
            _("Its requests go to a language model, and the answers go back to it, without your review."),
            _("Hidden text in a request can make a model reveal what it should not, or use tools of the server."),
            _("Every page of this server will say so until you change the rule."),
        ],
        action=f"/servers/{server.id}/sampling",
        button=_("Send answers unseen"),
        fields=[(name, value) for name, value in posted if name in form.texts],
        is_destructive=True,
    )
