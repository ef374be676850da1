"""`import` as a person and as a script run it: what it finds, takes over, asks, keeps, and never shows."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.forks import launched
from tests.process import HANGS, environment
from tests.tables import each_row
from webclient.runtime.import_command import read_numbers
from webclient.servers.config_file import read_config

SECRETS = ["s3same-one", "s3same-two", "s3same-three"]
DESKTOP = {
    "mcpServers": {
        "files": {
            "command": "npx",
            "args": ["-y", "server-files", "--api-key", SECRETS[0]],
            "env": {"KEY": SECRETS[1]},
        },
        "travel": {"url": f"https://me:{SECRETS[2]}@mcp.example.com/mcp", "disabled": True},
    },
    "other": "things",
}
WORKSPACE = """{
  // of the project
  "inputs": [{"id": "key", "type": "promptString", "password": true}, {"id": "unused", "type": "promptString"}],
  "servers": {
    "files": {"command": "${workspaceFolder}/run", "envFile": ".env", "env": {"K": "${input:key}"},},
  },
}"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Make a home with the files of two programs, one of a project."""
    desktop = tmp_path / ".config/Claude/claude_desktop_config.json"
    desktop.parent.mkdir(parents=True)
    desktop.write_text(json.dumps(DESKTOP), "utf-8")
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".env").touch()
    (tmp_path / ".vscode/mcp.json").write_text(WORKSPACE, "utf-8")
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor/mcp.json").write_text("{ oops", "utf-8")
    return tmp_path


def run(home: Path, *arguments: str, status: int = 0, folder: Path | None = None) -> str:
    """Run the command as a script does; return all that it prints, which has no secret in it."""
    env = environment(HOME=str(home), XDG_CONFIG_HOME=str(home / ".config"))
    command = [*launched("webclient"), "import", *arguments]
    done = subprocess.run(
        command,
        cwd=folder or home,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=HANGS,
    )
    assert done.returncode == status, done.stderr
    printed = done.stdout + done.stderr
    assert [secret for secret in SECRETS if secret in printed] == []
    return printed


def ask(home: Path, *arguments: str, typed: str) -> str:
    """Run the command on a terminal and type; return what it prints there."""
    ours, theirs = pty.openpty()
    env = environment(HOME=str(home), XDG_CONFIG_HOME=str(home / ".config"), TERM="dumb")
    with subprocess.Popen(
        [*launched("webclient"), "import", *arguments],
        cwd=home,
        env=env,
        stdin=theirs,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        os.close(theirs)
        os.write(ours, typed.encode())
        printed, _errors = process.communicate(timeout=HANGS)
    os.close(ours)
    assert process.returncode == 0
    assert [secret for secret in SECRETS if secret in printed] == []
    return printed


def written(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_the_list_shows_programs_names_and_masked_addresses(home: Path) -> None:
    printed = run(home, "--list")
    for word in (
        "Claude Desktop",
        "VS Code",
        "files",
        "travel",
        "disabled",
        "npx",
        "@mcp.example.com/mcp",
        "WEBCLIENT_INPUT_KEY",
    ):
        assert word in printed
    # A file that cannot be read is named, and hides no other.
    assert str(home / ".cursor/mcp.json") in printed
    assert not (home / "mcp.json").exists()


def test_a_script_takes_over_all_into_a_private_new_file(home: Path) -> None:
    run(home, "--all", "--to", "new/mcp.json", "--if-exists", "rename")
    target = home / "new/mcp.json"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    servers = written(target)["mcpServers"]
    assert servers["files"] == DESKTOP["mcpServers"]["files"]  # type: ignore[index]
    assert servers["travel"]["disabled"] is True
    assert servers["files-vs-code"] == {
        "command": f"{home}/run",
        "envFile": f"{home}/.env",
        "env": {"K": "${input:key}"},
        "cwd": str(home),
    }
    assert [each["id"] for each in written(target)["inputs"]] == ["key"]
    configs = read_config(target, {"WEBCLIENT_INPUT_KEY": "k"})
    assert [(config.name, config.error) for config in configs] == [
        ("files", None),
        ("travel", None),
        ("files-vs-code", None),
    ]


def test_without_a_terminal_and_options_nothing_is_taken_over(home: Path) -> None:
    assert "--all" in run(home, status=2)
    assert "nowhere" in run(home, "--server", "nowhere", status=2)
    assert not (home / "mcp.json").exists()


def test_a_taken_name_is_skipped_unless_a_script_says_otherwise(home: Path) -> None:
    target = home / "mcp.json"
    before = '{\n  // mine\n  "servers": {"travel": {"url": "http://mine"}}, "x": 1}'
    target.write_text(before, "utf-8")
    target.chmod(0o640)
    assert "skipped" in run(home, "--server", "travel")
    assert target.read_text("utf-8") == before
    printed = run(home, "--server", "travel", "--if-exists", "replace")
    assert "replaces" in printed
    assert written(target) == {"servers": {"travel": DESKTOP["mcpServers"]["travel"]}, "x": 1}  # type: ignore[index]
    assert (home / "mcp.json.bak").read_text("utf-8") == before
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert "already" in run(home, "--server", "travel")
    assert not (home / "mcp.json.bak1").exists()


def test_a_target_that_cannot_be_used_is_left_as_it_is(home: Path) -> None:
    (home / "mcp.json").write_text("[]", "utf-8")
    run(home, "--all", status=2)
    assert (home / "mcp.json").read_text("utf-8") == "[]"
    (home / "there").touch()
    run(home, "--all", "--to", "there/mcp.json", status=2)


def test_a_person_picks_numbers_and_decides_on_a_taken_name(home: Path) -> None:
    ask(home, typed="9\nnonsense\n1-2\n")
    assert list(written(home / "mcp.json")["mcpServers"]) == ["files", "travel"]
    ask(home, typed="3\n")
    assert list(written(home / "mcp.json")["mcpServers"]) == ["files", "travel", "files-vs-code"]
    assert "Nothing was changed" in ask(home, typed="\n")
    (home / "mcp.json").write_text('{"mcpServers": {"travel": {"url": "http://mine"}}}', "utf-8")
    assert "skipped" in ask(home, typed="2\n\n")
    ask(home, typed="2\nwhat\nren\n")
    assert list(written(home / "mcp.json")["mcpServers"]) == ["travel", "travel-2"]


def test_files_and_target_can_be_chosen(home: Path) -> None:
    (home / "a.json").write_text('{"mcpServers": {"a": {"command": "x"}, "b": 7}}', "utf-8")
    run(home, "--from", "a.json", "--all", "--to", "b.json")
    assert written(home / "b.json") == {"mcpServers": {"a": {"command": "x"}}}
    assert "none.json" in run(home, "--from", "none.json", "--all", status=2)


@each_row(
    ("text", "numbers"),
    [
        *[("", []), ("all", [1, 2, 3]), ("2", [2]), ("3,1", [1, 3]), ("1-2 3", [1, 2, 3])],
        *[(wrong, None) for wrong in ("0", "4", "2-1", "-1", "1-", "x", "١", "9" * 5000, "1-999999999")],
    ],
)
def test_numbers_are_read_strictly(text: str, numbers: list[int] | None) -> None:
    assert read_numbers(text, 3) == numbers


def test_servers_of_this_folder_in_claude_code_are_found(home: Path) -> None:
    folder = home / "work" / "deep"
    folder.mkdir(parents=True)
    (home / "work" / ".git").mkdir()
    projects = {
        str(home / "work"): {"mcpServers": {"mine": {"command": "x"}}, "disabledMcpjsonServers": ["off"]},
        str(home / "other"): {"mcpServers": {"theirs": {"command": "x"}}},
    }
    (home / ".claude.json").write_text(
        json.dumps({"mcpServers": {"all": {"command": "x"}}, "projects": projects}), "utf-8"
    )
    (home / "work/.mcp.json").write_text('{"mcpServers": {"off": {"command": "x"}, "on": {"command": "x"}}}', "utf-8")
    (home / "work/.claude").mkdir()
    (home / "work/.claude/settings.local.json").write_text('{"disabledMcpjsonServers": ["on"]}', "utf-8")
    run(home, "--all", "--to", str(home / "mcp.json"), folder=folder)
    servers = written(home / "mcp.json")["mcpServers"]
    assert "theirs" not in servers
    assert (servers["all"], servers["mine"]) == ({"command": "x"}, {"command": "x", "cwd": str(home / "work")})
    assert (servers["off"]["disabled"], servers["on"]["disabled"]) == (True, True)
    run(home, "--all", "--from", str(home / ".claude.json"), "--to", "named.json", folder=folder)
    assert list(written(folder / "named.json")["mcpServers"]) == ["all", "mine"]


def test_servers_of_programs_in_their_own_words_are_taken_over(home: Path) -> None:
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text(
        '[mcp_servers.files]\nurl = "http://a/"\nbearer_token_env_var = "TOK"\n', "utf-8"
    )
    (home / ".config/goose").mkdir()
    (home / ".config/goose/config.yaml").write_text(
        "extensions:\n  memory: {type: builtin}\n  notes: {type: stdio, cmd: x, timeout: 3}\n", "utf-8"
    )
    printed = run(home, "--all")
    assert "memory" in printed
    servers = written(home / "mcp.json")["mcpServers"]
    assert servers["files-codex"] == {"url": "http://a/", "headers": {"Authorization": "Bearer ${TOK}"}}
    assert servers["notes"] == {"type": "stdio", "command": "x", "timeout": "3"}
    assert "memory" not in servers
    assert "timeout" in run(home, "--list")
    assert "already" in run(home, "--all")


def test_equal_servers_of_two_programs_are_one(home: Path) -> None:
    (home / ".cursor/mcp.json").write_text(json.dumps(DESKTOP), "utf-8")
    run(home, "--all")
    assert list(written(home / "mcp.json")["mcpServers"]) == ["files", "travel", "files-vs-code"]


def test_a_named_file_without_servers_says_why(home: Path) -> None:
    (home / "server.json").write_text('{"name": "a.b/c", "packages": []}', "utf-8")
    assert "registry" in run(home, "--from", "server.json", "--list", status=2)
    (home / "a.json").write_text("{}", "utf-8")
    assert "mcpServers" in run(home, "--from", "a.json", "--list", status=2)
