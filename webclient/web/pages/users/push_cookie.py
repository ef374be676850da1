"""The cookie that names the target of this browser's notifications, so that signing out ends them.

It opens nothing: it counts only together with a sign-in of the user to whom the target belongs.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from webclient.domain.model import TargetKind
from webclient.services import Services

LASTS = 400 * 24 * 3600
"""Seconds; browsers keep no cookie for longer. A subscription ends only when someone removes it."""


def add(http_request: Request, response: Response, target_id: str) -> None:
    """Give the browser the id of its target."""
    _set(http_request, response, target_id, LASTS)


async def end_notifications(http_request: Request, response: Response, services: Services, user_id: str) -> None:
    """Notify this browser no more, if it is the user's, and remove its cookie."""
    target_id = http_request.cookies.get(_name(http_request))
    if target_id is None:
        return
    rows = services.store.of(user_id).notices
    # Safe: the rows are the user's own, and a webhook is not the browser's.
    if any(each.id == target_id and each.kind is TargetKind.PUSH for each in await rows.targets()):
        await rows.remove_target(target_id)
    _set(http_request, response, "", 0)


def _set(http_request: Request, response: Response, value: str, seconds: int) -> None:
    secure = http_request.url.scheme == "https"
    response.set_cookie(
        _name(http_request), value, max_age=seconds, path="/", httponly=True, samesite="strict", secure=secure
    )


def _name(http_request: Request) -> str:
    # Browsers keep cookies by host and not by port, so the port is in the name.
    return f"webclient-{http_request.url.port or 0}-push"
