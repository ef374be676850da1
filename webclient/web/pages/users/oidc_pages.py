"""The pages of the sign-in at an OpenID provider: the way there, the way back, and the provider's own sign-out.

Public paths, which show nothing of a user. The way back ends on a page of ours that goes on by itself: a redirect from
another site would not send the `Strict` cookie of the new session.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from webclient.auth import BACKCHANNEL_PATH, BEGIN_PATH, CALLBACK_PATH, OidcSignIn
from webclient.auth.oidc_provider import RefusedError
from webclient.web.http import IdentityDep, own_page, render

router = APIRouter(include_in_schema=False)


async def _oidc_sign_in(identity: IdentityDep) -> OidcSignIn:
    assert isinstance(identity.sign_in, OidcSignIn)  # noqa: S101  (this router is served with that one only)
    return identity.sign_in


OidcDep = Annotated[OidcSignIn, Depends(_oidc_sign_in)]


@router.get(BEGIN_PATH)
async def begin(
    http_request: Request,
    identity: IdentityDep,
    sign_in: OidcDep,
    *,
    next: str = "/",  # noqa: A002
    again: bool = False,
    renew: bool = False,
    moved: bool = False,
) -> Response:
    """Lead the browser to the provider; one that is signed in goes to the page at once, unless it may `renew`."""
    page = own_page(next)
    if not renew and await identity.identify(http_request):
        # Without the cookie, which browsers do not send after a click on another site, it looked signed out.
        return RedirectResponse(page, status_code=303)
    try:
        step = await sign_in.begin(http_request, page, again=again, was_moved=moved)
    except RefusedError as error:
        return await _refusal(http_request, sign_in, error)
    return _with_cookies(RedirectResponse(step.address, status_code=302), step.cookies)


@router.get(CALLBACK_PATH)
async def come_back(http_request: Request, sign_in: OidcDep) -> Response:
    """Finish the sign-in, and go on to the page that was wanted first."""
    try:
        step = await sign_in.finish(http_request)
    except RefusedError as error:
        response = await _refusal(http_request, sign_in, error)
        return _with_cookies(response, sign_in.forgotten(http_request))
    return _with_cookies(render(http_request, "signed_in.html", page=own_page(step.address)), step.cookies)


@router.post(BACKCHANNEL_PATH)
async def log_out(http_request: Request, logout_token: Annotated[str, Form()] = "") -> Response:
    """End the sessions that the provider has ended, and their streams."""
    try:
        await http_request.app.state.backchannel_logout.end_sessions(logout_token)
    except RefusedError as error:
        # Section 2.8: 400 with an error of OAuth.
        return JSONResponse({"error": "invalid_request", "error_description": error.refusal.value}, 400)
    return Response(status_code=200)


async def _refusal(http_request: Request, sign_in: OidcSignIn, error: RefusedError) -> Response:
    await sign_in.refused(http_request, error)
    return render(
        http_request,
        "sign_in_refused.html",
        status=error.status,
        page_context=None,
        sentence=error.sentence(sign_in.provider_label),
        refusal=error.refusal.value,
        page=own_page(error.page),
    )


def _with_cookies(response: Response, cookies: tuple[str, ...]) -> Response:
    for cookie in cookies:
        response.headers.append("Set-Cookie", cookie)
    return response
