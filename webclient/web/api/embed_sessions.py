"""The API of embedded sessions: exchange a token that an embedding application has minted, and end its sessions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from webclient.web.api.shapes import Shape
from webclient.web.http import HostSessionsDep, problems

router = APIRouter(tags=["sessions"])


class SessionBody(BaseModel):
    """A minted token; `origin` is that of the page with the frame, if there is one."""

    model_config = ConfigDict(extra="forbid")

    token: str = Field(min_length=1, max_length=8192, description="A JWT for the audience `mcp-inbox`.")
    origin: str | None = Field(None, max_length=300)


class SessionShape(Shape):
    """A session; its `token` is sent as Bearer until `expires_at`."""

    token: str
    user_id: str
    expires_at: datetime


class EndedShape(Shape):
    """The number of sessions that have ended."""

    ended: int


@router.post("/sessions", status_code=201, responses=problems(400, 404, 413, 415, 422, 503))
async def start_session(
    body: SessionBody, http_request: Request, host: HostSessionsDep, response: Response
) -> SessionShape:
    """Exchange a minted token for a session, once; with the Bearer of a session of the same user, renew that one."""
    exchanged = await host.exchange(http_request, body.token, origin=body.origin)
    response.headers.update(exchanged.headers)
    return SessionShape.of(exchanged, expires_at=exchanged.ends_at)


@router.delete("/embed/sessions", responses=problems(403, 404, 422))
async def end_sessions(
    http_request: Request,
    host: HostSessionsDep,
    sub: Annotated[str | None, Query(max_length=255)] = None,
    sid: Annotated[str | None, Query(max_length=255)] = None,
) -> EndedShape:
    """End the sessions of a subject, or of one session of the application; Bearer: a token with `embed:admin`."""
    return EndedShape(ended=await host.end(http_request, subject=sub, host_session=sid))
