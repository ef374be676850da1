"""Interstitials: pages that lead to another site, from a card to its link and from the inbox to the demo.

A redirect would not work: after a posted form the policy `form-action 'self'` stops one to another site. The page of a
link names the address, sends no referrer, and its tab has no opener. Nothing of the address is fetched from here.
"""

from __future__ import annotations

from typing import Protocol, cast

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import sentences
from webclient.domain.model import InputRequest, RequestState
from webclient.inbox import kind_of, link_of
from webclient.web.http import RequestDep, render

router = APIRouter(include_in_schema=False)


class DemoProgram(Protocol):
    """The demo that may run beside this program, as a site of its own."""

    async def link(self) -> str:
        """Return the link that signs a browser in; start it first if needed. Raises ConflictError."""
        ...


@router.post("/run-demo")
async def run_demo(http_request: Request) -> HTMLResponse:
    """Send the browser on to the demo, which is started if it does not run."""
    demo = cast("DemoProgram | None", http_request.app.state.demo_program)
    if demo is None:
        raise NotFoundError(_("The demo cannot be run from here. Run “mcp-webclient demo” in a terminal."))
    return render(http_request, "guide/starting.html", link=await demo.link())


@router.post("/requests/{request_id}/open")
async def open_again(http_request: Request, request: RequestDep) -> HTMLResponse:
    """Open the address of an accepted url request again."""
    return hop(http_request, request)


def hop(http_request: Request, request: InputRequest) -> HTMLResponse:
    """Return the page that continues to the address. Raises ConflictError unless the person accepted."""
    if request.state is not RequestState.WAITING:
        message = _("Only a link that was accepted can be opened.")
        raise ConflictError(sentences([message, kind_of(request).describe(request)]))
    link = link_of(request)
    if link.blocked:
        # It was accepted by an older version, which knew less.
        raise ConflictError(_("This link is blocked."))
    return render(http_request, "requests/opening.html", label=request.asked_by.label, link=link)
