"""Runs the work of a command on the database, also while mcp-webclient runs and uses it.

What a command changes is in the audit trail, with the name of the account on this machine that has run it.
"""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Never, TypeVar

import typer

from webclient.domain.errors import WebclientError
from webclient.domain.model import COMMAND_LINE, Actor, acting
from webclient.runtime import exit_status
from webclient.settings import load_settings

if TYPE_CHECKING:
    from webclient.store import Store

T = TypeVar("T")

LONGEST = 60
"""Characters of the name of an account."""


def run(work: Callable[[Store], Awaitable[T]], data_dir: Path | None, database_url: str | None) -> T:
    """Return the result of work on a database that the program may use; end with its error."""

    async def run_beside() -> T:
        from webclient.store import Store  # noqa: PLC0415  (loading takes a second)

        settings = load_settings(data_dir=data_dir, database_url=database_url)
        url = database_url or settings.own_database_url
        store = Store(settings.data_dir, url=url, secret_keys=settings.secret_keys)
        # The program may run: it goes on, and sees the change at once.
        await store.open_beside()
        try:
            return await work(store)
        finally:
            await store.close()

    try:
        with acting(_actor()):
            return asyncio.run(run_beside())
    except WebclientError as error:
        typer.echo(error.for_operator, err=True)
        raise typer.Exit(exit_status.TEMPORARY if error.is_temporary else exit_status.USAGE) from None


def refuse(sentence: str) -> Never:
    """End the command with a sentence that says why."""
    typer.echo(sentence, err=True)
    raise typer.Exit(exit_status.USAGE)


def decoded(argument: str) -> str:
    """Return an argument as text that a database takes."""
    # Bytes that are not text in the locale come as lone surrogates, which no database takes. Mostly they are UTF-8.
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _actor() -> Actor:
    try:
        account = decoded(getpass.getuser())
    except (OSError, KeyError, ImportError):
        # A container may have an account without a name.
        return COMMAND_LINE
    return replace(COMMAND_LINE, credential=f"account:{account[:LONGEST]}")
