"""The page of the guided demo, and its buttons. Each works without JavaScript: it posts, and the page comes again."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from webclient.domain.errors import ConflictError
from webclient.services import Services
from webclient.web.http import PrincipalDep, ServicesDep, based, render
from webclient.web.pages.guide import actions
from webclient.web.pages.guide.progress import PATH, Guide, GuideProgress
from webclient.web.pages.guide.scenes import find_scene
from webclient.web.pages.guide.view import read_guide_view
from webclient.web.pages.page_context import read_page_context
from webclient.web.pages.posted_form import Posted, PostedDep, first

router = APIRouter(prefix=PATH, include_in_schema=False)


async def _progress(http_request: Request, principal: PrincipalDep) -> GuideProgress:
    return cast("Guide", http_request.app.state.guide).of(principal.user_id)


ProgressDep = Annotated[GuideProgress, Depends(_progress)]


@router.get("")
async def show_guide(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, progress: ProgressDep, scene: str = ""
) -> HTMLResponse:
    """Show a scene, or the first or last screen; with `present` in the address in larger type, without navigation."""
    return await _page(http_request, services, principal.user_id, progress, scene)


@router.post("/run")
async def run(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, posted: PostedDep, progress: ProgressDep
) -> Response:
    """Run a scene."""
    scene = find_scene(first(posted, "scene"))
    try:
        await actions.run_scene(services, principal.user_id, progress, scene, _own_address(http_request))
    except ConflictError as error:
        page = _page(http_request, services, principal.user_id, progress, scene.key, problem=str(error), status=409)
        return await page
    return _to(posted)


@router.post("/stop")
async def stop(services: ServicesDep, principal: PrincipalDep, posted: PostedDep, progress: ProgressDep) -> Response:
    """Stop the scene that runs."""
    await actions.stop_scene(services, principal.user_id, progress, find_scene(first(posted, "scene")))
    return _to(posted)


@router.post("/decline-all")
async def decline_all(services: ServicesDep, principal: PrincipalDep, posted: PostedDep) -> Response:
    """Decline all waiting questions of the scene's server."""
    await actions.decline_all(services, principal.user_id, find_scene(first(posted, "scene")))
    return _to(posted)


@router.post("/reset")
async def reset(services: ServicesDep, principal: PrincipalDep, posted: PostedDep, progress: ProgressDep) -> Response:
    """Return to the beginning."""
    await actions.reset(services, principal.user_id, progress)
    return RedirectResponse(PATH + ("?present" if first(posted, "present") else ""), status_code=303)


def _own_address(http_request: Request) -> str:
    """Return where this process listens; the page may have come by another address."""
    host, port = http_request.scope["server"]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{based('/')}".rstrip("/")


async def _page(
    http_request: Request,
    services: Services,
    user_id: str,
    progress: GuideProgress,
    scene: str,
    *,
    problem: str = "",
    status: int = 200,
) -> HTMLResponse:
    page_context = await read_page_context(services, user_id)
    return render(
        http_request,
        "guide/page.html",
        status=status,
        page_context=page_context,
        guide_view=await read_guide_view(services, user_id, progress, scene),
        presented="present" in http_request.query_params,
        problem=problem,
    )


def _to(posted: Posted) -> Response:
    # Only a key of ours becomes part of the address.
    query = f"scene={find_scene(first(posted, 'scene')).key}" + ("&present" if first(posted, "present") else "")
    return RedirectResponse(f"{PATH}?{query}", status_code=303)
