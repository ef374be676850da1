"""The real program as a process: what it prints, and what it refuses."""

from __future__ import annotations

import ctypes
import json
import os
import pty
import re
import signal
import socket
import sqlite3
import stat
import subprocess
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from typer.testing import CliRunner

from tests.command_line import options_of_commands
from tests.forks import launched
from tests.loopback import local
from tests.mcp_servers.forgetting import free_port
from tests.process import HANGS, PROGRAM, at_home, environment, running
from webclient.runtime.cli import app
from webclient.runtime.demo_servers import demo_settings
from webclient.runtime.exit_status import TEMPORARY, USAGE
from webclient.settings import load_settings

PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1


def refused(*arguments: str, is_forked: bool = True, status: int = USAGE, **env: str) -> str:
    """Run the program with something that is wrong; return the one sentence that it says.

    Permissions are not obeyed by a program that is forked as root.
    """
    done = subprocess.run(
        [*(launched("webclient") if is_forked else PROGRAM), "serve", *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=HANGS,
        check=False,
        env=environment(WEBCLIENT_DATABASE_WAIT_SECONDS="0", **env),
        preexec_fn=None if is_forked else _obey_permissions,
    )
    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    (sentence,) = done.stderr.splitlines()
    return sentence


def _obey_permissions() -> None:
    # Root may write what is read-only until CAP_DAC_OVERRIDE is dropped (capabilities(7)); others never could.
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE)


@pytest.mark.smoke
def test_the_ready_line_is_a_link_that_signs_in(tmp_path: Path) -> None:
    with running(tmp_path) as program, httpx2.Client(**local()) as browser:
        assert re.fullmatch(r"Ready: http://127\.0\.0\.1:[1-9]\d*/login\?token=[\w-]{43}", program.ready)
        assert browser.get(f"{program.url}/healthz").status_code == 200
        assert browser.get(f"{program.url}/").status_code == 401
        assert browser.get(program.ready.removeprefix("Ready: ")).status_code == 200
        assert browser.get(f"{program.url}/").status_code == 200


def test_a_session_lasts_as_long_as_the_token_is_the_same(tmp_path: Path) -> None:
    def starts(*arguments: str, session: str | None = None) -> tuple[str, int]:
        with running(tmp_path, *arguments) as program, httpx2.Client(**local()) as browser:
            if session is None:
                browser.get(program.ready.removeprefix("Ready: "))
                session = next(iter(browser.cookies.values()))
            cookie = {"Cookie": f"webclient-{urlsplit(program.url).port}={session}"}
            return session, httpx2.get(f"{program.url}/", headers=cookie, **local()).status_code

    fixed = ("--token", "a token that stays the same")
    session, status = starts(*fixed)
    assert status == 200
    assert starts(*fixed, session=session)[1] == 200
    assert starts("--token", "a token that was changed", session=session)[1] == 401


def test_only_named_proxies_are_trusted(tmp_path: Path) -> None:
    def statuses(*arguments: str) -> list[int]:
        with running(tmp_path, *arguments, WEBCLIENT_MAX_SIGN_IN_ATTEMPTS="2") as program:
            return [
                httpx2.get(
                    f"{program.url}/login",
                    params={"token": f"wrong {n}"},
                    headers={"X-Forwarded-For": f"203.0.113.{n}"},
                    **local(),
                ).status_code
                for n in range(4)
            ]

    assert statuses() == [403, 403, 429, 429]
    assert statuses("--trusted-proxy", "127.0.0.1") == [403] * 4


PROXY = ("--identity", "proxy", "--auth-header", "Remote-User", "--trusted-proxy", "127.0.0.1")
CHOSEN = "a token that the operator has chosen"


def test_token_that_opens_no_browser_is_not_printed(tmp_path: Path) -> None:
    with running(tmp_path, *PROXY, WEBCLIENT_TOKEN=CHOSEN) as program:
        assert program.ready == f"Ready: {program.url}/"
        bearer = {"Authorization": f"Bearer {CHOSEN}"}
        assert httpx2.get(f"{program.url}/api/v1/me", headers=bearer, **local()).json()["role"] == "admin"
        assert program.end() == ""
        assert CHOSEN not in program.errors.read_text("utf-8")


OIDC = ("--identity", "oidc", "--oidc-issuer", "https://id.example.com", "--oidc-client-id", "inbox")


@pytest.mark.parametrize("identity", [PROXY, OIDC], ids=["proxy", "oidc"])
def test_without_a_token_the_public_address_is_ready(tmp_path: Path, identity: tuple[str, ...]) -> None:
    options = (*identity, "--public-url", "https://inbox.example.com/inbox")
    with running(tmp_path, *options, "--port", str(free_port()), WEBCLIENT_TOKEN=CHOSEN) as program:
        assert program.ready == "Ready: https://inbox.example.com/inbox/"


def test_a_free_port_is_named_in_the_ready_line(tmp_path: Path) -> None:
    with running(tmp_path, *PROXY, "--public-url", "https://inbox.example.com") as program:
        assert re.fullmatch(r"Ready: http://127\.0\.0\.1:[1-9]\d*/", program.ready)


def test_program_token_works_where_there_is_no_other(tmp_path: Path) -> None:
    with running(tmp_path, *PROXY) as program, httpx2.Client(base_url=program.url, **local()) as client:
        command = launched("webclient", "tokens", "create", "Agent", "--scope", "read")
        command += ["--data-dir", str(tmp_path / "data")]
        made = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, env=environment())
        tried = [made.stdout.strip(), "None", "wrong"]
        statuses = [
            client.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"}).status_code for token in tried
        ]
        assert statuses == [200, 401, 401]


def test_ready_line_without_a_terminal_can_leave_the_link_out(tmp_path: Path) -> None:
    with running(tmp_path, WEBCLIENT_READY_LINK="false", WEBCLIENT_TOKEN=CHOSEN) as program:
        assert program.ready == f"Ready: {program.url}/"
        assert httpx2.get(f"{program.url}/login", params={"token": CHOSEN}, **local()).status_code == 200
    assert "WEBCLIENT_TOKEN" in refused("--data-dir", str(tmp_path / "other"), WEBCLIENT_READY_LINK="false")


def test_terminal_gets_the_link_in_any_case(tmp_path: Path) -> None:
    terminal, other_end = pty.openpty()
    command = [*PROGRAM, "serve", "--port", "0", "--data-dir", str(tmp_path), "--no-open"]
    variables = environment(WEBCLIENT_READY_LINK="false")
    with subprocess.Popen(command, stdout=other_end, stderr=subprocess.DEVNULL, env=variables) as process:
        os.close(other_end)
        said = b""
        while b"\n" not in said:
            said += os.read(terminal, 1024)
        process.send_signal(signal.SIGTERM)
    os.close(terminal)
    assert re.match(rb"Ready: http://127\.0\.0\.1:\d+/login\?token=[\w-]{43}", said)


def test_a_one_time_link_replaces_the_link_with_the_token(tmp_path: Path) -> None:
    with running(tmp_path, "--one-time-link", "--token", "the token of the person") as program:
        link = program.ready.removeprefix("Ready: ")
        assert program.token != "the token of the person"
        assert [httpx2.get(link, **local()).status_code for _ in range(2)] == [200, 403]
        assert (
            httpx2.get(f"{program.url}/login", params={"token": "the token of the person"}, **local()).status_code
            == 200
        )


def test_standard_output_has_only_the_ready_line(tmp_path: Path) -> None:
    with running(tmp_path) as program:
        httpx2.get(program.ready.removeprefix("Ready: "), **local())
        httpx2.get(f"{program.url}/nowhere", params={"token": program.token}, headers=program.bearer, **local())
        assert program.end() == ""
        assert program.token not in program.errors.read_text("utf-8")
        assert "wrong-guess" not in program.errors.read_text("utf-8")


@pytest.mark.smoke
def test_the_servers_of_the_config_are_there(tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    config.write_text(
        json.dumps({"mcpServers": {"box": {"url": "http://127.0.0.1:9/mcp", "label": "My box"}}}), "utf-8"
    )
    with running(tmp_path, "--config", str(config)) as program:
        servers = httpx2.get(f"{program.url}/api/v1/servers", headers=program.bearer, **local()).json()["servers"]
        assert [server["label"] for server in servers] == ["My box"]


def test_the_demo_brings_its_servers(tmp_path: Path) -> None:
    with running(tmp_path, command="demo") as program:
        servers = httpx2.get(f"{program.url}/api/v1/servers", headers=program.bearer, **local()).json()["servers"]
        assert [server["label"] for server in servers] == ["Demo trips", "Demo office", "Hostile server"]


def test_the_token_from_the_environment_is_quoted_in_the_link(tmp_path: Path) -> None:
    with running(tmp_path, WEBCLIENT_TOKEN="a b&c=d/e?f#g long") as program:
        assert program.ready.endswith("/login?token=a%20b%26c%3Dd%2Fe%3Ff%23g%20long")
        assert httpx2.get(program.ready.removeprefix("Ready: "), **local()).status_code == 200


def test_a_short_token_is_warned_of_without_being_shown(tmp_path: Path) -> None:
    with running(tmp_path, "--token", "shorty") as program:
        program.end()
        assert "guessed" in program.errors.read_text("utf-8")
        assert "shorty" not in program.errors.read_text("utf-8")


def test_all_interfaces_accept_loopback_and_allowed_names_only(tmp_path: Path) -> None:
    with running(tmp_path, "--host", "0.0.0.0", "--allowed-host", "box.example.com") as program:  # noqa: S104
        assert program.url.startswith("http://127.0.0.1:")
        status = {
            host: httpx2.get(f"{program.url}/healthz", headers={"Host": host}, **local()).status_code
            for host in ("box.example.com", "evil.example")
        }
        assert status == {"box.example.com": 200, "evil.example": 400}


def test_the_data_folder_is_private(tmp_path: Path) -> None:
    with running(tmp_path):
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


def test_a_shared_data_folder_stays_shared_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o755)
    with running(tmp_path) as program:
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o755
        program.end()
        assert "chmod 700" in program.errors.read_text("utf-8")


def test_a_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        sentence = refused("--port", port, "--data-dir", str(tmp_path), status=TEMPORARY)
    assert port in sentence
    assert "--port 0" in sentence


@pytest.mark.smoke
def test_a_config_that_is_wrong_is_refused_with_its_place(tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    config.write_text('{"mcpServers": ["box"]}', "utf-8")
    sentence = refused("--config", str(config), "--data-dir", str(tmp_path))
    assert sentence.startswith(f'{config}: "mcpServers" must be an object')


@pytest.mark.parametrize(
    "content", [None, "", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_a_file_without_authorities_is_refused(tmp_path: Path, content: str | None) -> None:
    ca_file = tmp_path / "ca.pem"
    if content is not None:
        ca_file.write_text(content, "utf-8")
    for sentence in (refused("--ca-file", str(ca_file)), refused(WEBCLIENT_CA_FILE=str(ca_file))):
        assert str(ca_file) in sentence


def test_a_data_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "data folder" in refused("--data-dir", str(tmp_path / "file" / "data"))


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--host", "0.0.0.0"], "--allowed-host"),  # noqa: S104
        (["--port", "70000"], "WEBCLIENT_PORT"),
        (["--token", ""], "WEBCLIENT_TOKEN"),
        (["--allowed-host", "*"], "allowed host"),
        (["--embed-origin", "http://chat.example.com"], "https://"),
    ],
)
def test_a_setting_that_is_wrong_is_refused(arguments: list[str], word: str) -> None:
    assert word in refused(*arguments)


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGKILL])
def test_a_data_folder_is_for_one_program_at_a_time(tmp_path: Path, signal_number: int) -> None:
    with running(tmp_path) as program:
        said = refused("--data-dir", str(tmp_path / "data"), "--port", "0", status=TEMPORARY)
        assert "in use by another mcp-webclient" in said
        program.end(signal_number)
    with running(tmp_path) as program:
        assert httpx2.get(f"{program.url}/healthz", **local()).status_code == 200


@pytest.mark.smoke
def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    with running(tmp_path) as program:
        program.end()
    with closing(sqlite3.connect(tmp_path / "data" / "webclient.sqlite3")) as db, db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
    assert "newer version" in refused("--data-dir", str(tmp_path / "data"))


@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.slow
def test_a_data_folder_that_cannot_be_written_is_refused(tmp_path: Path, is_new: bool) -> None:
    folder = tmp_path / "data"
    if is_new:
        folder.mkdir(mode=0o700)
    else:
        with running(tmp_path) as program:
            program.end()
        (folder / "webclient.sqlite3").chmod(0o400)
    folder.chmod(0o500)
    try:
        assert "could not be prepared" in refused("--data-dir", str(folder), is_forked=False)
    finally:
        folder.chmod(0o700)


def test_a_wire_log_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    data_dir = str(tmp_path / "data")
    assert str(tmp_path) in refused("--data-dir", data_dir, "--wire-log", str(tmp_path))
    log = ("--data-dir", data_dir, "--wire-log", str(tmp_path / "wire.jsonl"))
    assert "WEBCLIENT_KEEP_VALUES_DAYS" in refused(*log, WEBCLIENT_KEEP_VALUES_DAYS="0")


def test_a_setting_that_is_wrong_in_the_environment_is_refused() -> None:
    assert "WEBCLIENT_PORT" in refused(WEBCLIENT_PORT="many")


def explained(command: str) -> list[str]:
    """Return the options in the help of a command, in order."""
    done = subprocess.run(
        launched("webclient", command, "--help"),
        capture_output=True,
        encoding="utf-8",
        check=True,
        env=environment(COLUMNS="200", TERM="dumb"),
    )
    return re.findall(r"^[ │|]+(--[a-z-]+)", done.stdout, re.MULTILINE)


@pytest.mark.slow
def test_help_has_ten_options_first_and_the_rest_in_groups() -> None:
    listed = explained("serve")
    assert sorted(listed) == sorted([*options_of_commands()["serve"], "--help"])
    assert {"--config", "--host", "--port", "--data-dir", "--token", "--help"} < set(listed[:11])
    assert explained("demo") == listed[:11]


@pytest.mark.smoke
def test_the_version_is_printed() -> None:
    done = CliRunner().invoke(app, ["--version"])
    assert (done.exit_code, done.stdout) == (0, f"mcp-webclient {version('mcp-webclient')}\n")


@pytest.mark.parametrize(("words", "found"), [("ser", "serve"), ("serve --data", "--data-dir"), ("tokens li", "list")])
def test_shells_complete_commands_and_options(words: str, found: str) -> None:
    line = f"mcp-webclient {words}"
    variables = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    variables["_MCP_WEBCLIENT_COMPLETE"] = "complete_bash"
    done = CliRunner().invoke(app, [], prog_name="mcp-webclient", env=variables)
    assert found in done.stdout.split()


def test_a_data_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    for path in (tmp_path / "file", tmp_path / "file" / "data"):
        sentence = refused("--data-dir", str(path))
        assert str(path) in sentence
        assert "--data-dir" in sentence


@pytest.mark.slow
def test_the_demo_runs_beside_serve_in_a_folder_of_its_own(tmp_path: Path) -> None:
    data = tmp_path / "data" / "mcp-webclient"
    with at_home(tmp_path, "demo") as demo, at_home(tmp_path, "serve") as serve, httpx2.Client(**local()) as browser:
        listed = browser.get(f"{demo.url}/api/v1/servers", headers=demo.bearer).json()
        assert len(listed["servers"]) == 3
        assert browser.get(f"{serve.url}/api/v1/servers", headers=serve.bearer).json() == {"servers": []}
        files = {path: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "data").rglob("*") if path.is_file()}
    assert {path.parent for path in files} == {data, data / "demo"}
    assert {data / "demo" / "demo-tasks.sqlite", data / "demo" / "demo-state-key"} < files.keys()
    assert set(files.values()) == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (data.parent, data, data / "demo")} == {0o700}


def test_the_environment_of_serve_leaves_the_demo_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBCLIENT_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("WEBCLIENT_DATABASE_URL", "postgresql://box/inbox")
    assert (demo_settings().data_dir, demo_settings().database_url) == (tmp_path / "demo", None)
    assert demo_settings().port != load_settings().port
    given = demo_settings(data_dir=tmp_path / "other", database_url="postgresql://box/demo", port=8765)
    assert (given.data_dir, given.database_url, given.port) == (tmp_path / "other", "postgresql://box/demo", 8765)
    monkeypatch.setenv("WEBCLIENT_PORT", "8700")
    assert demo_settings().port == 8700
