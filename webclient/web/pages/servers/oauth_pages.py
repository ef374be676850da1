"""The way back from an authorization server, and the document by which it knows this program.

Public paths: after a click on another site a browser holds the cookie of its session back. `finish` decides whose the
sign-in is: by the cookie of the browser that opened it, or by the session after one more hop from a page of ours.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from secrets import token_urlsafe

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import HOST_ISSUER, Reason, Server
from webclient.servers.sign_in import CALLBACK_PATH, DOCUMENT_PATH, Finished, client_document
from webclient.services import Services
from webclient.web.http import IdentityDep, ServicesDep, render
from webclient.web.pages.page_context import find_server
from webclient.web.pages.users import sign_in_cookie

router = APIRouter(include_in_schema=False)

HOPPED = "hopped"
"""The parameter that says that this is the way back for the second time."""

MOST = 500
"""Results that are remembered for their page; the oldest goes first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a sign-in: signed in to the server with this label, unless there is a `reason`.

    `embedded` says that the user has no pages here, but an application that embeds this.
    """

    server_id: str | None
    label: str
    reason: Reason | None
    embedded: bool = False


# In memory: the pages of the server say the same.
_results: OrderedDict[str, Result] = OrderedDict()


@router.get(CALLBACK_PATH)
async def come_back(http_request: Request, services: ServicesDep, identity: IdentityDep) -> Response:
    """Finish a sign-in, and go on to a page without its query."""
    query = http_request.url.query
    nonce = sign_in_cookie.read(http_request)
    principal = await identity.identify(http_request)
    if nonce is None and principal is None and _from_another_site(http_request):
        return render(http_request, "sign_ins/back.html", query=f"{query}{'&' if query else ''}{HOPPED}=1")
    finished = await services.sign_ins.finish(query, nonce, principal.user_id if principal else None)
    response = RedirectResponse(f"/oauth/result/{await _remember(services, finished)}", status_code=303)
    sign_in_cookie.remove(http_request, response)
    return response


@router.get("/oauth/result/{name}")
async def show_result(http_request: Request, name: str) -> Response:
    """Show the result of a sign-in. Its name cannot be guessed, as the page needs no session."""
    return render(http_request, "sign_ins/result.html", page_context=None, result=_results.get(name))


@router.get(DOCUMENT_PATH)
async def describe_client(services: ServicesDep) -> Response:
    """Describe this program (OAuth Client ID Metadata Document), if it has a public https address."""
    document = client_document(services.settings)
    if document is None:
        raise NotFoundError(_("This document exists only with a public https address (setting --public-url)."))
    return JSONResponse(document)


def _from_another_site(http_request: Request) -> bool:
    """Return whether the browser may hold the session's cookie back; never after the hop, which is from here."""
    came_from = http_request.headers.get("sec-fetch-site")
    return came_from == "cross-site" and HOPPED not in http_request.query_params


async def _remember(services: Services, finished: Finished) -> str:
    name = token_urlsafe(16)
    server = await _server(services, finished)
    user = await services.store.users.get(finished.user_id) if finished.user_id else None
    _results[name] = Result(
        server_id=server.id if server else None,
        label=server.label if server else "",
        reason=finished.reason,
        embedded=user is not None and user.issuer.startswith(HOST_ISSUER),
    )
    if len(_results) > MOST:
        _results.popitem(last=False)
    return name


async def _server(services: Services, finished: Finished) -> Server | None:
    if finished.user_id is None or finished.server_id is None:
        return None
    return await find_server(services, finished.user_id, finished.server_id)
