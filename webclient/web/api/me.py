"""The API of the principal: who it is here, and what it may do."""

from __future__ import annotations

from typing import NotRequired

from fastapi import APIRouter
from typing_extensions import TypedDict

from webclient.auth import Scope
from webclient.domain.model import Role
from webclient.web.http import PrincipalDep

router = APIRouter(tags=["me"])


class MeShape(TypedDict):
    """The user for whom the sender of the request acts, and the permissions that it has."""

    user_id: str
    name: NotRequired[str]
    role: Role
    scopes: list[Scope]


@router.get("/me")
async def get_me(principal: PrincipalDep) -> MeShape:
    """Get the user and the permissions of the sender of this request."""
    me: MeShape = {"user_id": principal.user_id, "role": principal.role, "scopes": sorted(principal.scopes)}
    if principal.name:
        me["name"] = principal.name
    return me
