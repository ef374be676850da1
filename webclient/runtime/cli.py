"""The command line: `serve`, `demo`, `stdio`, `import`, `tokens`, `users`, `audit` and `rotate-key`.

Standard output of `serve` carries the ready line and nothing else, so that a program can wait for it; the rest goes to
standard error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Never

import typer

from webclient.domain.errors import WebclientError
from webclient.domain.model import COMMAND_LINE, acting
from webclient.runtime import (
    audit_command,
    demo_program,
    demo_servers,
    exit_status,
    stdio_command,
    tokens_command,
    users_command,
)
from webclient.runtime.cli_options import DATA_DIR, DatabaseURL, DataDir, signature
from webclient.runtime.hangup import Hangups
from webclient.runtime.import_command import import_servers
from webclient.runtime.start_wait import ending_at_sigterm, until_usable
from webclient.servers.config_file import ServerConfig, read_config
from webclient.settings import Settings, load_settings
from webclient.support.garbage import loading
from webclient.support.log_lines import log_as, log_to_standard_error

SHORT_TOKEN = 16
"""A token with fewer characters could be guessed."""

app = typer.Typer(no_args_is_help=True, pretty_exceptions_show_locals=False)


def _say_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415  (few ask)

        typer.echo(f"mcp-webclient {version('mcp-webclient')}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", help="Show the version and exit.", callback=_say_version, is_eager=True)
]


@app.callback()
def mcp_webclient(*, version: Version = False) -> None:
    """See and answer in the browser what MCP servers ask."""


def _serve_with(**given: Any) -> None:
    """Serve the inbox for the MCP servers of the config."""
    _run(partial(load_settings, **given))


def _demo_with(**given: Any) -> None:
    """Serve a guided demo with servers of its own: nothing to set up.

    It has its own data folder and port, so it can run beside `serve`. All other options of `serve` work here as well.
    """
    demo_program.end_with_parent()
    _run(partial(demo_servers.demo_settings, **given), *demo_servers.SERVERS)


# Both commands take the same options and differ in defaults, and in the servers that they add to those of the config.
_serve_with.__signature__ = signature({"data_dir": DATA_DIR})  # type: ignore[attr-defined]
_demo_with.__signature__ = signature(demo_servers.DEFAULTS, first_only=True)  # type: ignore[attr-defined]
app.command("serve")(_serve_with)
app.command("demo")(_demo_with)
app.command("import", help="Take over servers that other programs are configured with.")(import_servers)
app.command("stdio", help="Pass MCP from an agent that only starts commands to the gateway.")(stdio_command.pass_on)
app.add_typer(tokens_command.commands, name="tokens")
app.add_typer(users_command.commands, name="users")
app.add_typer(audit_command.commands, name="audit")


@app.command("rotate-key", help="Seal the tokens and header values in the database with a new key.")
def rotate_key(*, data_dir: DataDir = None, database_url: DatabaseURL = None) -> None:
    """Seal all secrets again, while the program does not run."""
    log_to_standard_error()
    try:
        settings = load_settings(data_dir=data_dir, database_url=database_url)
        from webclient import store  # noqa: PLC0415  (see `_serve`)

        with ExitStack() as alone:
            if settings.database_url is None:
                alone.enter_context(store.lock_data_dir(settings.data_dir))
            alone.enter_context(acting(COMMAND_LINE))
            url = database_url or settings.own_database_url
            rotated = store.rotate_key(settings.data_dir, url, secret_keys=settings.secret_keys)
    except WebclientError as error:
        _fail(error)
    _say(f"Rows that are sealed with the new key now: {rotated.sealed}.")
    if rotated.lost:
        _say(f"Rows that no key opens: {rotated.lost}. Their servers need a new sign-in, or their headers again.")
    if settings.secret_keys:
        _say("All keys in WEBCLIENT_SECRET_KEYS but the first can be dropped now.")


To = Annotated[
    str | None,
    typer.Option(
        "--to",
        help="PostgreSQL database to copy into: postgresql://USER:PASSWORD@HOST:PORT/NAME. Prefer "
        "WEBCLIENT_DATABASE_URL: other users of the machine can see command lines.",
        show_default=False,
    ),
]


@app.command("copy", help="Copy the SQLite file in the data folder into an empty PostgreSQL database.")
def copy_rows(*, to: To = None, data_dir: DataDir = None) -> None:
    """Copy all rows, while the program does not run; the file is only read."""
    log_to_standard_error()
    try:
        settings = load_settings(data_dir=data_dir, database_url=to)
        if settings.database_url is None:
            _refuse("Name the database to copy into: --to postgresql://…, or WEBCLIENT_DATABASE_URL.")
        from webclient import store  # noqa: PLC0415  (see `_serve`)

        with store.lock_data_dir(settings.data_dir):
            copied = store.copy_to_postgresql(settings.data_dir, to or settings.own_database_url or "")
    except WebclientError as error:
        _fail(error)
    for table, rows in copied.items():
        if rows:
            _say(f"{table}: {rows}")
    _say(f"Rows copied: {sum(copied.values())}. The file was left as it is.")
    if settings.secret_keys:
        _say("Start mcp-webclient with the new --database-url, and with WEBCLIENT_SECRET_KEYS as before.")
    else:
        _say(
            f"Start mcp-webclient with the new --database-url and the same data folder: the keys in "
            f"{settings.data_dir / 'secrets.key'} open the tokens and header values in the database."
        )


def _run(load: Callable[[], Settings], *demo: demo_servers.DemoServer) -> None:
    # From the first moment: by default it ends a program.
    hangups = Hangups()
    log_to_standard_error()
    try:
        settings = load()
        log_as(settings.log_format)
        configured = read_config(settings.config, os.environ) if settings.config else []
        for each in configured:
            if each.error:
                _say(each.error)
        _prepare(settings)
        with ending_at_sigterm():
            _serve(settings, configured, demo, hangups)
    except WebclientError as error:
        _fail(error)


def _serve(
    settings: Settings,
    configured: Sequence[ServerConfig],
    demo: Sequence[demo_servers.DemoServer],
    hangups: Hangups,
) -> None:
    try:
        with loading():
            # Loading these takes seconds, which `--help`, `import` and a wrong setting do without.
            from webclient.protocol import wire_log  # noqa: PLC0415
            from webclient.runtime import serving  # noqa: PLC0415
        opened = until_usable(partial(_open_store, settings), settings.database_wait_seconds)
    except KeyboardInterrupt:
        raise typer.Exit(exit_status.INTERRUPTED) from None
    with opened as running:
        if settings.wire_log:
            wire_log.LogFile(settings.wire_log, settings.max_wire_log_file_bytes).check()
        added = [running.enter_context(server(settings.data_dir)) for server in demo]
        serving.serve(settings, configured, beside=added, guided=bool(demo), hangups=hangups)


def _open_store(settings: Settings) -> ExitStack:
    """Return the lock of the data folder, after its database was made or upgraded."""
    from webclient import store  # noqa: PLC0415  (see `_serve`)

    with ExitStack() as opened:
        if settings.database_url is None:
            opened.enter_context(store.lock_data_dir(settings.data_dir))
        store.prepare(
            settings.data_dir,
            settings.database_url,
            secret_keys=settings.secret_keys,
            node_id=settings.node_url,
            direct_url=settings.database_direct_url,
        )
        return opened.pop_all()


def _prepare(settings: Settings) -> None:
    if _keeps_everyone_out(settings):
        _refuse(
            "No user could sign in: the token is a new one, and WEBCLIENT_READY_LINK=false keeps it out of the log. "
            "Set WEBCLIENT_TOKEN, or choose another way to recognise users with --identity."
        )
    if settings.token and len(settings.token) < SHORT_TOKEN:
        _say("The token is short enough to be guessed; leave it out to have a good one made.")
    folder = settings.data_dir
    try:
        _make(folder)
    except FileExistsError:
        _refuse(f"The data folder {folder} is a file. Choose another with --data-dir.")
    except OSError as error:
        _refuse(f"The data folder {folder} cannot be made: {error.strerror}. Choose another with --data-dir.")
    # Only a warning: someone may share the folder on purpose, and it is theirs. Windows has no such bits.
    if os.name == "posix" and folder.stat().st_mode & 0o077:
        _say(f"Other users can look into the data folder {folder}; chmod 700 would stop that.")


def _keeps_everyone_out(settings: Settings) -> bool:
    shows_link = settings.ready_link or sys.stdout.isatty() or settings.open_browser
    return not (shows_link or settings.has_users or "token" in settings.model_fields_set)


def _make(folder: Path) -> None:
    # Also its new parents are for their owner only, as the XDG Base Directory Specification wants it.
    if not folder.parent.exists():
        _make(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def _say(sentence: str) -> None:
    typer.echo(sentence, err=True)


def _fail(error: WebclientError) -> Never:
    _say(error.for_operator)
    raise typer.Exit(exit_status.TEMPORARY if error.is_temporary else exit_status.USAGE)


def _refuse(sentence: str) -> Never:
    _say(sentence)
    raise typer.Exit(exit_status.USAGE)
