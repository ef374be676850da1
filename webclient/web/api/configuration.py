"""The API of the configuration: read the config file and the embedders file again."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter
from typing_extensions import TypedDict

from webclient.domain.errors import ForbiddenError
from webclient.domain.i18n import gettext as _
from webclient.web.http import ConfigurationDep, PrincipalDep, problems

router = APIRouter(tags=["configuration"], responses=problems(403))


class DifferenceShape(TypedDict):
    """The names of entries that were added, changed and removed."""

    added: list[str]
    changed: list[str]
    removed: list[str]


class ReloadedShape(TypedDict):
    """The changes of a reload: MCP servers, and applications that embed this program."""

    servers: DifferenceShape
    applications: DifferenceShape


@router.post("/reload", responses=problems(409))
async def reload(configuration: ConfigurationDep, principal: PrincipalDep) -> ReloadedShape:
    """Read the config file and the embedders file again. A wrong file changes nothing."""
    if not principal.is_admin:
        raise ForbiddenError(_("Only an administrator reloads the configuration."))
    reloaded = asdict(await configuration.reload())
    return {"servers": reloaded["servers"], "applications": reloaded["applications"]}
