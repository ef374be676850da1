"""The API of the principal: who it is here, and what it may do."""

from __future__ import annotations

from fastapi import APIRouter

from webclient.auth import Scope
from webclient.domain.model import Role
from webclient.web.api.shapes import Filled, Shape
from webclient.web.http import PrincipalDep

router = APIRouter(tags=["me"])


class MeShape(Shape):
    """The user for whom the sender of the request acts, and the permissions that it has."""

    user_id: str
    name: Filled[str] = None
    role: Role
    scopes: list[Scope]


@router.get("/me")
async def get_me(principal: PrincipalDep) -> MeShape:
    """Get the user and the permissions of the sender of this request."""
    return MeShape.of(principal, scopes=sorted(principal.scopes))
