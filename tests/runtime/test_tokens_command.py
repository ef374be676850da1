"""`mcp-webclient tokens`: makes tokens that a running program accepts at once, and revokes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from anyio import run_process, to_thread
from typer.testing import CliRunner

from tests.forks import launched
from tests.program import program
from webclient.domain.model import LOCAL_USER, AuditAction
from webclient.runtime.cli import app
from webclient.store import Store

pytestmark = pytest.mark.anyio


async def test_the_command_makes_and_revokes_tokens_of_a_program(tmp_path: Path) -> None:
    data = ["--data-dir", str(tmp_path / "data")]
    async with program(tmp_path) as running, running.client() as api:
        made = await _run("tokens", "create", "Agent", "--scope", "read", *data)
        headers = {"Authorization": f"Bearer {made.strip()}"}
        assert (await api.get("/servers", headers=headers)).status_code == 200
        listed = await _run("tokens", "list", *data)
        assert "Agent" in listed
        assert made.strip() not in listed
        await _run("tokens", "revoke", listed.split()[0], *data)
        assert (await api.get("/servers", headers=headers)).status_code == 401
        # What the command did has not taken the database from the program.
        await api.json("POST", "/tokens", 201, json={"label": "Agent", "scopes": ["ask"]})


@pytest.mark.parametrize(
    "arguments",
    [
        ["create", "Agent", "--scope", "root"],
        ["create", " "],
        ["revoke", "nothing"],
        ["create", "Chat", "--user-header", "X-User"],
        ["create", "Chat", "--scope", "gateway", "--user-header", "Cookie"],
    ],
)
def test_a_wrong_command_says_so_and_fails(tmp_path: Path, arguments: list[str]) -> None:
    result = CliRunner().invoke(app, ["tokens", *arguments, "--data-dir", str(tmp_path)])
    assert result.exit_code == 2
    assert result.stderr


def test_a_label_in_another_encoding_is_read_as_utf_8(tmp_path: Path) -> None:
    data = ["--data-dir", str(tmp_path)]
    unknown = "令牌".encode().decode("ascii", "surrogateescape")
    for label in (unknown, "half \udce4"):
        assert CliRunner().invoke(app, ["tokens", "create", label, *data]).exit_code == 0
    listed = CliRunner().invoke(app, ["tokens", "list", *data]).stdout
    assert "令牌" in listed
    assert "half \N{REPLACEMENT CHARACTER}" in listed


async def test_commands_are_in_the_audit_trail(tmp_path: Path) -> None:
    data = ["--data-dir", str(tmp_path)]
    for arguments in (["tokens", "create", "Agent"], ["rotate-key"]):
        # In a thread: a command runs an event loop of its own.
        assert (await to_thread.run_sync(CliRunner().invoke, app, [*arguments, *data])).exit_code == 0
    store = Store(tmp_path)
    await store.open()
    rotated, made = await store.audit.newest()
    await store.close()
    assert (rotated.action, made.action) == (AuditAction.KEY_ROTATED, AuditAction.TOKEN_MADE)
    assert {each.way for each in (rotated, made)} == {"command line"}
    assert made.details == {"label": "Agent", "scopes": ["ask"], "user": LOCAL_USER}


async def _run(*arguments: str) -> str:
    return (await run_process(launched("webclient", *arguments))).stdout.decode()
