"""The API of the configuration: read the config file and the embedders file again."""

from __future__ import annotations

from fastapi import APIRouter

from webclient.domain.errors import ForbiddenError
from webclient.domain.i18n import gettext as _
from webclient.web.api.shapes import Shape
from webclient.web.http import ConfigurationDep, PrincipalDep, problems

router = APIRouter(tags=["configuration"], responses=problems(403))


class DifferenceShape(Shape):
    """The names of entries that were added, changed and removed."""

    added: list[str]
    changed: list[str]
    removed: list[str]


class ReloadedShape(Shape):
    """The changes of a reload: MCP servers, and applications that embed this program."""

    servers: DifferenceShape
    applications: DifferenceShape


@router.post("/reload", responses=problems(409))
async def reload(configuration: ConfigurationDep, principal: PrincipalDep) -> ReloadedShape:
    """Read the config file and the embedders file again. A wrong file changes nothing."""
    if not principal.is_admin:
        raise ForbiddenError(_("Only an administrator reloads the configuration."))
    return ReloadedShape.of(await configuration.reload())
