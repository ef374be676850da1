"""The list of servers, and the form that adds some: each is tried before it is saved."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from webclient.content.visible_text import visible
from webclient.domain.errors import ForbiddenError, InvalidInputError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import listed, ngettext, sentences
from webclient.domain.model import Server
from webclient.servers.configuration import Reloaded, ReloadError
from webclient.servers.connections import Trial
from webclient.services import Services
from webclient.web.http import ConfigurationDep, MayAddServers, PrincipalDep, ServicesDep, redirect, render
from webclient.web.pages.page_context import read_page_context
from webclient.web.pages.posted_form import PostedDep, first
from webclient.web.pages.servers.attempts import Attempt, try_new
from webclient.web.pages.servers.new_server import NewServer, free_label, read_new_servers
from webclient.web.pages.servers.server_sign_in import until_prepared

router = APIRouter(prefix="/servers", include_in_schema=False)


@router.get("")
async def list_servers(http_request: Request, services: ServicesDep, principal: PrincipalDep) -> HTMLResponse:
    """Show all servers, and the form that adds one."""
    return await _list(http_request, services, principal.user_id)


@router.post("/reload")
async def reload(
    http_request: Request, services: ServicesDep, configuration: ConfigurationDep, principal: PrincipalDep
) -> Response:
    """Reload the config file and the embedders file; show what has changed or is wrong."""
    if not principal.is_admin:
        raise ForbiddenError(_("Only an administrator reloads the configuration."))
    try:
        reloaded = await configuration.reload()
    except ReloadError as error:
        return await _list(http_request, services, principal.user_id, status=error.status, not_reloaded=str(error))
    return redirect("/servers", _reloaded(reloaded))


def _reloaded(reloaded: Reloaded) -> str:
    parts = reloaded.servers, reloaded.applications
    named = (
        (_("Added: {names}."), [name for part in parts for name in part.added]),
        (_("Changed: {names}."), [name for part in parts for name in part.changed]),
        (_("Removed: {names}."), [name for part in parts for name in part.removed]),
    )
    changes = [sentence.format(names=listed(visible(name, 80) for name in names)) for sentence, names in named if names]
    return sentences([_("The configuration was reloaded."), *(changes or [_("Nothing has changed.")])])


@router.post("", dependencies=[MayAddServers])
async def add_servers(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, posted: PostedDep
) -> Response:
    """Try the posted servers; save and connect the ones that answer, or all of them if requested."""
    try:
        new, wrong = read_new_servers(posted)
    except InvalidInputError as error:
        return await _list(
            http_request, services, principal.user_id, status=422, typed=dict(posted), errors=error.errors
        )
    if first(posted, "save") == "anyway":
        added = [await _add(services, principal.user_id, each) for each in new]
        return redirect("/servers" if len(added) > 1 else f"/servers/{added[0].id}", _saved(added, new))
    attempts = await try_new(services, principal.user_id, new)
    added = [await _add(services, principal.user_id, each.new, each.trial) for each in attempts if not each.trial.fault]
    failed = [each for each in attempts if each.trial.fault]
    if failed or wrong:
        return await _list(
            http_request,
            services,
            principal.user_id,
            status=422,
            typed=_typed(failed),
            failed=failed,
            wrong=wrong,
            saved=_saved(added, new) if added else "",
        )
    if len(added) == 1 and attempts[0].trial.wants_sign_in:
        await until_prepared(services, added[0])
    elif len(added) == 1:
        return redirect(f"/servers/{added[0].id}", _connected(added[0], attempts[0]))
    return redirect(f"/servers/{added[0].id}" if len(added) == 1 else "/servers", _saved(added, new))


async def _add(services: Services, user_id: str, new: NewServer, trial: Trial | None = None) -> Server:
    found = trial.server if trial else None
    server = await services.servers.add(
        user_id,
        label=new.label or await _free_label(services, user_id, new, trial),
        transport=found.transport if found else new.transport,
        era=new.era,
        learned=found.learned if found else None,
    )
    await services.servers.connect(server)
    return server


async def _free_label(services: Services, user_id: str, new: NewServer, trial: Trial | None) -> str:
    taken = [server.label for server in await services.store.of(user_id).servers.all()]
    return free_label(new.transport["url"], trial.claims if trial else "", taken)


def _connected(server: Server, attempt: Attempt) -> str:
    n = len(attempt.trial.catalog.tools)
    sentence = ngettext("Connected to {label}: {n} tool.", "Connected to {label}: {n} tools.", n)
    named = [] if attempt.new.label else [_("You can change its name in its settings.")]
    return sentences([sentence.format(label=visible(server.label, 80), n=n), *named, *_unused([attempt.new])])


def _saved(added: Sequence[Server], new: Sequence[NewServer]) -> str:
    names = listed([visible(server.label, 80) for server in added])
    return sentences([_("Saved: {names}.").format(names=names), *_unused(new)])


def _unused(new: Sequence[NewServer]) -> list[str]:
    """Return a sentence on the keys of pasted entries that have no effect, if there are any."""
    keys = list(dict.fromkeys(visible(key, 40) for each in new for key in each.unused))
    return [_("Without effect here: {keys}.").format(keys=listed(keys))] if keys else []


def _typed(failed: Sequence[Attempt]) -> Mapping[str, str]:
    """Return the form with the servers that were not saved: one as fields, several as a snippet."""
    if len(failed) == 1:
        return failed[0].new.typed
    entries = {each.new.label: each.new.entry for each in failed}
    return {"url": json.dumps({"mcpServers": entries}, ensure_ascii=False)} if failed else {}


async def _list(
    http_request: Request,
    services: Services,
    user_id: str,
    *,
    status: int = 200,
    typed: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
    failed: Sequence[Attempt] = (),
    wrong: Sequence[str] = (),
    saved: str = "",
    not_reloaded: str = "",
) -> HTMLResponse:
    page_context = await read_page_context(services, user_id)
    return render(
        http_request,
        "servers/list.html",
        status=status,
        page_context=page_context,
        typed=typed or {},
        errors=errors or {},
        failed=failed,
        wrong=wrong,
        saved=saved,
        not_reloaded=not_reloaded,
    )
