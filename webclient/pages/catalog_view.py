"""The catalog as its server's page shows it: the same object for the page and every push."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webclient.errors import ConflictError
from webclient.i18n import gettext as _
from webclient.model import Catalog, Server, ServerState
from webclient.pages.call_forms import CallForm, FilledForm, Kind, read_call_forms
from webclient.pages.page_context import ServerRow
from webclient.servers import requires_task
from webclient.services import Services

LOOK = 1
"""Seconds between two checks whether a server that is listing its catalog still responds."""

MOST_LOOKS = 5
"""Checks after which the page is shown without a new catalog: its actions must stay in reach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogView:
    """The call forms of a server by kind; `problem` is why a connected server's catalog could not be read.

    `notes` are sentences on omitted entries.
    `opened` is the form that was posted with errors or is to be run again, as `filled` in.
    """

    row: ServerRow
    call_forms: Mapping[Kind, Sequence[CallForm]]
    notes: Sequence[str]
    problem: str | None
    opened: CallForm | None
    filled: FilledForm | None

    def needs_task(self, call_form: CallForm) -> bool:
        """Whether the form is of a tool that runs only as a task, which is not supported yet."""
        return call_form.kind == "tool" and requires_task(call_form.item, self.row.status.capabilities)


async def read_catalog_view(
    services: Services, row: ServerRow, *, opened: CallForm | None = None, filled: FilledForm | None = None
) -> CatalogView:
    """Read the catalog of the row's server."""
    catalog, problem = await read_catalog(services, row.server)
    # In a thread: a thousand forms take a second.
    call_forms = await asyncio.to_thread(read_call_forms, catalog)
    if opened and all(opened.scope != each.scope for each in call_forms[opened.kind]):
        # Typed text is shown even while the server is disconnected.
        call_forms[opened.kind].append(opened)
    return CatalogView(
        row=row, call_forms=call_forms, notes=catalog.notes, problem=problem, opened=opened, filled=filled
    )


async def read_catalog(
    services: Services, server: Server, *, to_run: bool = False, refresh: bool = False
) -> tuple[Catalog, str | None]:
    """Return the catalog, and why it could not be read from a connected server.

    If the server does not respond, the catalog is the last one that was read.
    """
    if services.connections.status(server.id).state is not ServerState.CONNECTED:
        return Catalog(), None
    try:
        return await _asked(services, server, to_run=to_run, refresh=refresh), None
    except ConflictError as error:
        return services.connections.last_catalog(server), str(error)


async def _asked(services: Services, server: Server, *, to_run: bool, refresh: bool) -> Catalog:
    """Read the catalog. Raises ConflictError if the server is not connected or stops responding."""
    asking = asyncio.create_task(services.connections.catalog(server, to_run=to_run, refresh=refresh))
    try:
        for _look in range(MOST_LOOKS):
            if services.connections.status(server.id).quiet_since:
                break
            await asyncio.wait([asking], timeout=LOOK)
            if asking.done():
                return asking.result()
            services.connections.probe(server)
    finally:
        asking.cancel()
    raise ConflictError(_("The server is not responding."))
