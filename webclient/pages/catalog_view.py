"""All that a server offers, as its page tells it: one object that the page and every push to it show."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webclient.errors import ConflictError
from webclient.i18n import gettext as _
from webclient.model import Server, ServerState
from webclient.pages.call_forms import CallForm, FilledForm, Kind, read_call_forms
from webclient.pages.page_context import ServerRow
from webclient.servers.catalog import Catalog
from webclient.servers.task_support import requires_task
from webclient.services import Services

LOOK = 1
"""Seconds between two looks whether a server that is asked for what it offers has fallen silent."""

MOST_LOOKS = 5
"""Looks after which its page is shown without: what can be done with the server is on that page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogView:
    """The offers of a server by kind, and why they cannot be told, if it should be connected but does not say.

    `notes` are sentences on what is missing among them.
    `opened` is the one whose form was posted and did not fit, or is to be run again, with what is `filled` in.
    """

    row: ServerRow
    call_forms: Mapping[Kind, Sequence[CallForm]]
    notes: Sequence[str]
    problem: str | None
    opened: CallForm | None
    filled: FilledForm | None

    def needs_task(self, call_form: CallForm) -> bool:
        """Whether the offer is a tool that runs only as a task, and so cannot be run from here."""
        return call_form.kind == "tool" and requires_task(call_form.item, self.row.status.capabilities)


async def read_catalog_view(
    services: Services, row: ServerRow, *, opened: CallForm | None = None, filled: FilledForm | None = None
) -> CatalogView:
    """Read what the server of the row offers."""
    catalog, problem = await read_catalog(services, row.server)
    # In a thread: a thousand forms take a second.
    call_forms = await asyncio.to_thread(read_call_forms, catalog)
    if opened and all(opened.scope != each.scope for each in call_forms[opened.kind]):
        # What was typed into it is shown, also while the server is away.
        call_forms[opened.kind].append(opened)
    return CatalogView(
        row=row, call_forms=call_forms, notes=catalog.notes, problem=problem, opened=opened, filled=filled
    )


async def read_catalog(services: Services, server: Server) -> tuple[Catalog, str | None]:
    """Return what the server offers, and why that cannot be told if it should be connected but does not say.

    Of a server that does not answer it is what that offered when it was last asked.
    """
    if services.connections.status(server.id).state is not ServerState.CONNECTED:
        return Catalog(), None
    try:
        return await _asked(services, server), None
    except ConflictError as error:
        return services.connections.last_catalog(server), str(error)


async def _asked(services: Services, server: Server) -> Catalog:
    """Return what the server says. Raises ConflictError when it is not connected, or as soon as it is silent."""
    asking = asyncio.create_task(services.connections.catalog(server))
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
