"""The start of the real program while its database, data folder or port cannot be used."""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.forks import launched
from tests.postgresql import PostgreSQL
from tests.process import HANGS, Running, environment, running
from webclient.runtime.exit_status import TEMPORARY, USAGE

LONG = "600"
"""Seconds that no test takes."""


@pytest.fixture(scope="module")
def stopping() -> Iterator[PostgreSQL]:
    """A server that these tests stop."""
    server = PostgreSQL()
    yield server
    server.close()


@contextmanager
def stopped(server: PostgreSQL) -> Iterator[None]:
    """Stop the server while the block runs."""
    server.stop()
    try:
        yield
    finally:
        server.start()


@contextmanager
def starting(folder: Path, **env: str) -> Iterator[subprocess.Popen[str]]:
    """Start the program, which may have to wait; its standard error is read line by line."""
    command = launched("webclient", "serve", "--port", "0", "--data-dir", str(folder / "data"))
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=environment(**env)
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def line_with(process: subprocess.Popen[str], text: str) -> str:
    """Wait for a line of standard error with this text."""
    assert process.stderr
    for line in process.stderr:
        if text in line:
            return line
    raise AssertionError(f"it ended with {process.wait()} and without: {text}")


def ready(process: subprocess.Popen[str]) -> str:
    """Wait for the ready line."""
    assert process.stdout
    return process.stdout.readline()


def ended(process: subprocess.Popen[str], signal_number: int) -> int:
    """Send a signal, and return the exit status."""
    process.send_signal(signal_number)
    return process.wait(HANGS)


def refused(folder: Path, *arguments: str, **env: str) -> tuple[int, str]:
    """Start the program, which cannot; return its exit status and what it said."""
    command = launched("webclient", "serve", "--port", "0", "--data-dir", str(folder / "data"), *arguments)
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", check=False, timeout=HANGS, env=environment(**env)
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_start_waits_for_a_stopped_database(tmp_path: Path, stopping: PostgreSQL) -> None:
    with stopping.database() as name:
        settings = {"WEBCLIENT_DATABASE_URL": stopping.url(name), "WEBCLIENT_DATABASE_WAIT_SECONDS": LONG}
        with stopped(stopping), starting(tmp_path, **settings) as waiting:
            line_with(waiting, "cannot be reached")
            stopping.start()
            assert ready(waiting).startswith("Ready: http")
            assert ended(waiting, signal.SIGTERM) == 0


@pytest.mark.parametrize(("signal_number", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_signal_ends_the_wait_at_once(tmp_path: Path, stopping: PostgreSQL, signal_number: int, status: int) -> None:
    settings = {"WEBCLIENT_DATABASE_URL": stopping.url("any"), "WEBCLIENT_DATABASE_WAIT_SECONDS": LONG}
    with stopped(stopping), starting(tmp_path, **settings) as waiting:
        line_with(waiting, "cannot be reached")
        waiting.send_signal(signal_number)
        assert Running(waiting, "", tmp_path).ended() == status


def test_start_gives_up_with_the_status_of_a_passing_failure(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"postgresql://127.0.0.1:{closed.getsockname()[1]}/inbox"
        status, said = refused(tmp_path, WEBCLIENT_DATABASE_URL=url, WEBCLIENT_DATABASE_WAIT_SECONDS="0.3")
    assert status == TEMPORARY
    assert "efused" in said
    assert "space" not in said


def test_unknown_host_may_become_known(tmp_path: Path) -> None:
    url = "postgresql://database.invalid/inbox"
    assert refused(tmp_path, WEBCLIENT_DATABASE_URL=url, WEBCLIENT_DATABASE_WAIT_SECONDS="0")[0] == TEMPORARY


def test_wrong_address_of_a_database_is_a_wrong_setting(tmp_path: Path, stopping: PostgreSQL) -> None:
    with stopping.database() as name:
        good = stopping.url(name)
        stopping.run("CREATE ROLE stranger LOGIN PASSWORD 'right horse'")
        wrong = [
            stopping.url("no_such_database"),
            good.replace("postgres:@", "nobody:@"),
            good.replace("postgres:@", f"stranger:{quote('wrong horse')}@"),
            f"{good}&sslmode=nonsense",
            f"{good}&no_such_option=1",
            "postgresql://127.0.0.1:99999/inbox",
        ]
        with stopping.asking_for_passwords("stranger"):
            found = [
                refused(tmp_path, WEBCLIENT_DATABASE_URL=url, WEBCLIENT_DATABASE_WAIT_SECONDS=LONG) for url in wrong
            ]
    assert [status for status, _said in found] == [USAGE] * len(wrong), found
    assert "wrong horse" not in str(found)


def test_missing_rights_in_a_database_are_a_wrong_setting(tmp_path: Path, stopping: PostgreSQL) -> None:
    with stopping.database(empty=True) as name:
        stopping.run("CREATE ROLE reader LOGIN")
        url = stopping.url(name).replace("postgres:@", "reader:@")
        status, _said = refused(tmp_path, WEBCLIENT_DATABASE_URL=url, WEBCLIENT_DATABASE_WAIT_SECONDS=LONG)
    assert status == USAGE


def test_no_free_connection_may_become_free(tmp_path: Path, stopping: PostgreSQL) -> None:
    stopping.run("CREATE ROLE crowd LOGIN CONNECTION LIMIT 0")
    url = stopping.url("postgres").replace("postgres:@", "crowd:@")
    assert refused(tmp_path, WEBCLIENT_DATABASE_URL=url, WEBCLIENT_DATABASE_WAIT_SECONDS="0")[0] == TEMPORARY


@pytest.mark.smoke
def test_start_waits_for_the_program_before_it(tmp_path: Path) -> None:
    with (
        running(tmp_path) as before,
        starting(tmp_path, WEBCLIENT_DATABASE_WAIT_SECONDS=LONG) as after,
    ):
        line_with(after, "in use by another mcp-webclient")
        before.end()
        assert ready(after).startswith("Ready: http")
        assert ended(after, signal.SIGTERM) == 0


def test_start_waits_for_the_program_before_it_on_postgresql(tmp_path: Path, stopping: PostgreSQL) -> None:
    with stopping.database() as name:
        settings = {"WEBCLIENT_DATABASE_URL": stopping.url(name), "WEBCLIENT_DATABASE_WAIT_SECONDS": LONG}
        (tmp_path / "after").mkdir()
        with running(tmp_path, **settings) as before, starting(tmp_path / "after", **settings) as after:
            line_with(after, "in use by another mcp-webclient")
            before.end()
            assert ready(after).startswith("Ready: http")
            assert ended(after, signal.SIGTERM) == 0


def test_taken_port_is_a_passing_failure(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        status, _said = refused(tmp_path, "--port", str(taken.getsockname()[1]))
    assert status == TEMPORARY


def test_database_lost_within_the_start_is_a_passing_failure(tmp_path: Path, stopping: PostgreSQL) -> None:
    """The app opens the database again, after it was prepared."""
    with stopping.database() as name:
        stopping.run(
            "CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS "
            "$$BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END$$",
            database=name,
        )
        # The start is counted by the app alone.
        stopping.run(
            "CREATE TRIGGER break_off BEFORE INSERT OR UPDATE OF generation ON nodes EXECUTE FUNCTION break_off()",
            database=name,
        )
        try:
            status, said = refused(
                tmp_path, WEBCLIENT_DATABASE_URL=stopping.url(name), WEBCLIENT_DATABASE_WAIT_SECONDS="0"
            )
        finally:
            stopping.run("DROP FUNCTION break_off() CASCADE", database=name)
    assert status == TEMPORARY, said
