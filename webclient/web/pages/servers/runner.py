"""The pane beside a catalog: one entry with the form that runs it, or why it cannot run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote

from webclient.domain.model import Call, Catalog, Server, ServerState
from webclient.servers.connections import completes_arguments
from webclient.services import Services
from webclient.web.pages.page_context import ServerRow
from webclient.web.pages.servers.call_forms import CallForm, FilledForm, read_call_form, refill
from webclient.web.pages.servers.catalog_entries import SEGMENTS, CatalogEntry, Kind, again_path, entries_of
from webclient.web.pages.servers.catalog_view import read_catalog
from webclient.web.pages.servers.following import FollowView, follow_view
from webclient.web.pages.servers.server_tabs import Tab, tab_of
from webclient.web.pages.servers.task_choice import TaskChoice, read_task_choice

State = Literal["none", "ready", "away", "absent"]

LOOKED_THROUGH = 50
"""The newest calls of a server among which an entry's last one is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The entry that an address names: by its name, or by its `scope` where an address would change the name."""

    kind: Kind
    name: str | None = None
    scope: str = ""

    @property
    def tab(self) -> Tab:
        """The tab that lists the entry."""
        return tab_of(self.kind)

    @property
    def path(self) -> str:
        """The address below that of the server."""
        name = f"?entry={quote(self.scope)}" if self.name is None else f"/{quote(self.name, safe='')}"
        return SEGMENTS[self.kind] + name

    def finds(self, entry: CatalogEntry) -> bool:
        """Return whether this pane is for `entry`."""
        return entry.scope == self.scope if self.name is None else entry.name == self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """The pane of one entry; `filled` is what was posted with errors, or is to be run again.

    `state` is "none" if no entry is open, "absent" if the server does not have it, "away" while the server is not
    connected, "ready" otherwise. `last` is the newest call of the entry, whose arguments are suggested.
    `task_choice` is whether the entry runs as a task. `follow` is what is shown of the changes of a resource.
    """

    row: ServerRow
    tab: Tab
    state: State = "none"
    name: str = ""
    path: str = ""
    call_form: CallForm | None = None
    filled: FilledForm | None = None
    last: Call | None = None
    task_choice: TaskChoice = field(default_factory=TaskChoice)
    follow: FollowView | None = None

    @property
    def completes(self) -> bool:
        """Whether the server suggests values for the arguments while the person types."""
        is_completed = self.call_form is not None and self.call_form.kind in ("prompt", "template")
        return is_completed and completes_arguments(self.row.status.capabilities)


async def read_runner(services: Services, row: ServerRow, wanted: Wanted, *, again: str = "") -> Runner:
    """Return the pane of the wanted entry; `again` is the id of a call whose arguments are filled in."""
    catalog, _problem = await read_catalog(services, row.server)
    entry = _find(catalog, wanted) or _find(services.connections.last_catalog(row.server.key), wanted)
    is_connected = row.status.state is ServerState.CONNECTED
    if entry is None:
        state: State = "absent" if is_connected else "away"
        name, path = wanted.name or "", again_path(wanted.path, again)
        follow = follow_view(services, row, wanted.kind, name)
        return Runner(row=row, tab=wanted.tab, state=state, name=name, path=path, follow=follow)
    call_form = read_call_form(entry)
    last = await _last_call(services, row.server, call_form)
    filled = None
    if again:
        call = await services.store.of(row.server.user_id).calls.get(again)
        filled = refill(call_form, call)
    choice = await read_task_choice(services, row.server, call_form)
    follow = follow_view(services, row, call_form.kind, call_form.name)
    return open_runner(row, call_form, filled, last=last, task_choice=choice, follow=follow)


def open_runner(
    row: ServerRow,
    call_form: CallForm,
    filled: FilledForm | None = None,
    *,
    last: Call | None = None,
    task_choice: TaskChoice = TaskChoice(),  # noqa: B008  frozen
    follow: FollowView | None = None,
) -> Runner:
    """Return the pane of this entry."""
    is_connected = row.status.state is ServerState.CONNECTED
    return Runner(
        row=row,
        tab=tab_of(call_form.kind),
        state="ready" if is_connected else "away",
        name=call_form.name,
        path=call_form.path,
        call_form=call_form,
        filled=filled,
        last=last,
        task_choice=task_choice,
        follow=follow,
    )


def _find(catalog: Catalog, wanted: Wanted) -> CatalogEntry | None:
    return next(filter(wanted.finds, entries_of(catalog)[wanted.kind]), None)


async def _last_call(services: Services, server: Server, call_form: CallForm) -> Call | None:
    """Return the newest call of the entry whose arguments can be filled in again."""
    if not call_form.form.fields and not call_form.as_json:
        return None
    calls = await services.store.of(server.user_id).calls.find(server_id=server.id, limit=LOOKED_THROUGH)
    return next((call for call in calls if _is_of(call, call_form)), None)


def _is_of(call: Call, call_form: CallForm) -> bool:
    return call.kind == call_form.kind and call.name == call_form.name and bool(call.arguments)
