"""`mcp-webclient audit export`: writes the audit trail as JSON Lines, also while mcp-webclient runs, and follows it."""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from webclient.domain.model import AuditAction, AuditFilter
from webclient.runtime import exit_status
from webclient.runtime.beside import decoded, refuse, run
from webclient.runtime.cli_options import DatabaseURL, DataDir

if TYPE_CHECKING:
    from webclient.store import Store

LOOK = 1.0
"""Seconds between two looks for new entries."""

RETRY = 5.0
"""Seconds after which a database that cannot be read is tried again."""

LAST = 2**31 - 1
"""The largest ID of an entry."""

MOMENTS = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z"]

commands = typer.Typer(help="Export the audit trail.", no_args_is_help=True)

User = Annotated[str, typer.Option("--user", help="The ID of the user who did it, or to whom it was done.")]
Actions = Annotated[list[AuditAction], typer.Option("--action", help="Only this action; repeatable.", metavar="ACTION")]
Since = Annotated[
    datetime | None, typer.Option("--since", help="The earliest moment, by default in UTC.", formats=MOMENTS)
]
Until = Annotated[datetime | None, typer.Option("--until", help="The moment before which they are.", formats=MOMENTS)]
After = Annotated[int, typer.Option("--after", help="The ID of the last entry that is there already.", min=0, max=LAST)]
Follow = Annotated[bool, typer.Option("--follow", "-f", help="Go on with new entries until interrupted.")]


@commands.callback()
def audit() -> None:
    """Export the audit trail."""


@commands.command("export")
def export(
    *,
    user: User = "",
    action: Actions = [],  # noqa: B006  (typer wants a list, and it is never changed)
    since: Since = None,
    until: Until = None,
    after: After = 0,
    follow: Follow = False,
    data_dir: DataDir = None,
    database_url: DatabaseURL = None,
) -> None:
    """Write entries of the audit trail to standard output as JSON Lines, oldest first.

    With --after and the `id` of the last line, an export goes on where an earlier one has ended: none is missed.
    """
    wanted = AuditFilter(
        user_id=decoded(user), actions=tuple(action), since=_in_utc(since, "--since"), until=_in_utc(until, "--until")
    )

    async def write(store: Store) -> None:
        await store.audit.add(AuditAction.AUDIT_EXPORTED)
        await _write(store, wanted, after, follow=follow)

    try:
        run(write, data_dir, database_url)
    except KeyboardInterrupt:
        raise typer.Exit(exit_status.INTERRUPTED) from None
    except BrokenPipeError:
        # The reader has had enough. Nothing is left that could be written when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


async def _write(store: Store, wanted: AuditFilter, after: int, *, follow: bool) -> None:
    from webclient.store import StorageError  # noqa: PLC0415  (as above)
    from webclient.support.standard_json import dumps  # noqa: PLC0415  (as above)
    from webclient.web.api import audit_entry_shape  # noqa: PLC0415  (loading takes a second)

    while True:
        try:
            page = await store.audit.since(wanted, after)
        except StorageError as error:
            if not follow:
                raise
            typer.echo(f"{error.for_operator} Trying again in {RETRY:.0f} seconds.", err=True)
            await asyncio.sleep(RETRY)
            continue
        if page.entries:
            sys.stdout.write("".join(dumps(audit_entry_shape(entry).as_json()) + "\n" for entry in page.entries))
            sys.stdout.flush()
        after = page.last
        if not page.is_more:
            if not follow:
                return
            await asyncio.sleep(LOOK)


def _in_utc(moment: datetime | None, option: str) -> datetime | None:
    if moment is None:
        return None
    if not 1 < moment.year < 9999:
        refuse(f"{option} is not a date that an entry can have.")
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
