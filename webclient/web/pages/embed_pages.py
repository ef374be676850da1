"""The inbox in a frame of another application: the element's module, the frame, its content, and the same in a tab.

The frame itself shows nothing of anybody. Its script gets a session for a token of the application around it, and asks
for the content with that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from webclient.domain.errors import ForbiddenError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import language, speaking
from webclient.domain.languages import LANGUAGES, translations
from webclient.domain.model import MutedProgram
from webclient.web.http import HostSessionsDep, PrincipalDep, ServicesDep, element, render, render_in_steps
from webclient.web.pages.inbox import drafts
from webclient.web.pages.inbox.cards import Card
from webclient.web.pages.inbox.inbox_entries import read_waiting
from webclient.web.pages.inbox.sign_in_card_pages import lead_to_sign_in
from webclient.web.pages.page_context import PageContext, read_page_context

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelView:
    """The questions that a frame or its tab shows as `cards`, and the number of `more`; the programs that are muted.

    `filters` is the end of an address that keeps to one call or server.
    """

    page_context: PageContext
    embedder: str
    user_id: str
    cards: Sequence[Card]
    more: int
    filters: str
    server_id: str
    muted_programs: Sequence[MutedProgram]


async def _read(
    services: ServicesDep,
    principal: PrincipalDep,
    name: str,
    *,
    id: str = "",  # noqa: A002  the name in the address of the stream
    server: str = "",
) -> PanelView:
    user_id = principal.user_id
    page_context = await read_page_context(services, user_id)
    server_id = _server_id(page_context, server)
    found, more = await read_waiting(services, user_id, id, server_id)
    given = {key: value for key, value in (("id", id), ("server", server_id)) if value}
    return PanelView(
        page_context=page_context,
        embedder=name,
        user_id=user_id,
        cards=await drafts.cards_of(services, user_id, found),
        more=more,
        filters=f"&{urlencode(given)}" if given else "",
        server_id=server_id,
        muted_programs=await services.store.of(user_id).muted_programs.all(),
    )


def _server_id(page_context: PageContext, given: str) -> str:
    """Return the id of the server that the page names by its id or by its name in the config file."""
    found = (row.server.id for row in page_context.servers if given in (row.server.id, row.server.name))
    return next(found, given) if given else ""


PanelDep = Annotated[PanelView, Depends(_read)]

_FILTERS = re.compile(r"(&(id|server)=[A-Za-z0-9._~%+-]*)*")


@router.get("/embed/v1.js")
async def module() -> Response:
    """Return the module of `<mcp-inbox>`, the same for every site."""
    # Any page may load it, also one that is isolated (COEP): it holds nothing of anybody.
    headers = {
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Cache-Control": "public, no-cache",
    }
    return Response(element(), media_type="text/javascript", headers=headers)


@router.get("/embed/{name}")
async def frame(
    http_request: Request,
    sessions: HostSessionsDep,
    name: str,
    *,
    host: str = "",
    locale: str = "",
    call: str = "",
    server: str = "",
) -> HTMLResponse:
    """Return the frame for a page with the origin `host`; only pages of its embedder can show it.

    Any page may read whether it would be shown (`SHARED`): browsers do not tell a page why a frame failed.
    """
    embedder = sessions.embedder(name)
    if embedder is None:
        raise NotFoundError(_("No application with this name may embed this program."))
    # The browser itself keeps all other pages from showing it, no matter what they say in the address.
    http_request.state.frame_origins = embedder.origins
    with speaking(translations(locale if locale in LANGUAGES else language())):
        if host not in embedder.origins:
            sentence = _("This page is not one of those that may show the inbox.")
            return render(http_request, "embed/refused.html", status=403, sentence=sentence)
        given = {key: value for key, value in (("id", call), ("server", server)) if value}
        filters = f"?{urlencode(given)}" if given else ""
        return render(http_request, "embed/frame.html", embedder=name, label=embedder.label, host=host, filters=filters)


@router.get("/panel/{name}")
async def panel(http_request: Request, view: PanelDep) -> HTMLResponse:
    """Return the questions that wait, or those of one call or server, for the frame."""
    return await render_in_steps(
        http_request, "embed/_panel.html", page_context=view.page_context, panel=view, in_tab=False
    )


@router.post("/panel/{name}/code")
async def code_for_tab(sessions: HostSessionsDep, principal: PrincipalDep) -> JSONResponse:
    """Return a code with which a tab gets a session like that of this frame."""
    code = await sessions.code_for(principal)
    if code is None:
        raise ForbiddenError(_("The session has ended."))
    return JSONResponse({"code": code})


@router.post("/embed/{name}/tab")
async def open_tab(
    http_request: Request,
    sessions: HostSessionsDep,
    name: str,
    code: Annotated[str, Form()] = "",
    filters: Annotated[str, Form()] = "",
) -> HTMLResponse:
    """Exchange the code for the cookie of this tab, and continue to the questions."""
    headers = await sessions.open_tab(http_request, name, code)
    if headers is None:
        sentence = _("This tab was opened too late or twice. Open it again from the application.")
        return render(http_request, "embed/refused.html", status=403, sentence=sentence)
    safe = filters if _FILTERS.fullmatch(filters) else ""
    query = f"?{safe.removeprefix('&')}" if safe else ""
    return render(http_request, "signed_in.html", headers=headers, page=f"/panel/{name}/tab{query}")


@router.post("/embed/sign-ins/{sign_in_id}")
async def open_sign_in(
    http_request: Request,
    services: ServicesDep,
    sessions: HostSessionsDep,
    sign_in_id: str,
    code: Annotated[str, Form()] = "",
) -> Response:
    """Exchange the code for one step: this tab, which has no session, is led to a sign-in that a server wants.

    The sign-in is bound to this browser, and ends on a page that needs no session either.
    """
    user_id = await sessions.user_of(code)
    if user_id is None:
        sentence = _("This tab was opened too late or twice. Open it again from the application.")
        return render(http_request, "embed/refused.html", status=403, sentence=sentence)
    return await lead_to_sign_in(http_request, services, user_id, sign_in_id)


@router.get("/panel/{name}/tab")
async def tab(http_request: Request, view: PanelDep) -> HTMLResponse:
    """Show the questions in a tab of their own."""
    return await render_in_steps(
        http_request, "embed/tab.html", page_context=view.page_context, panel=view, in_tab=True
    )
