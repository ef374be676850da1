"""Placeholders in the config file are replaced by their values, which are not shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.config_file.files import read_one, write
from webclient.servers.config_file import read_config


@pytest.mark.parametrize(
    ("written", "expanded"),
    [
        ("Bearer ${TOKEN}", "Bearer t0ken"),
        ("${env:TOKEN}", "t0ken"),
        ("${TOKEN}${TOKEN}", "t0kent0ken"),
        ("${MISSING:-fallback}", "fallback"),
        ("${env:MISSING:-fallback}", "fallback"),
        ("${MISSING:-}", ""),
        ("${EMPTY:-fallback}", "fallback"),
        ("${EMPTY}", ""),
        ("${TOKEN:-fallback}", "t0ken"),
        ("$TOKEN costs $5", "$TOKEN costs $5"),
    ],
)
def test_variables_are_replaced(tmp_path: Path, written: str, expanded: str) -> None:
    assert read_one(tmp_path, {"command": "x", "args": [written]}).transport["args"] == [expanded]


def test_variables_are_replaced_in_every_string(tmp_path: Path) -> None:
    written = {"command": "${HOME}/x", "env": {"T": "${TOKEN}"}, "cwd": "${HOME}", "label": "${TOKEN}"}
    config = read_one(tmp_path, written)
    assert (config.label, config.transport["command"], config.transport["env"], config.transport["cwd"]) == (
        "t0ken",
        "/home/me/x",
        {"T": "t0ken"},
        "/home/me",
    )
    remote = read_one(tmp_path, {"url": "https://${TOKEN}.example.com", "headers": {"A": "${TOKEN}"}})
    assert remote.transport["url"] == "https://t0ken.example.com"
    assert remote.transport["headers"] == {"A": "t0ken"}


def test_a_value_that_looks_like_a_variable_is_not_expanded(tmp_path: Path) -> None:
    path = write(tmp_path, {"mcpServers": {"box": {"command": "${A}"}}})
    (config,) = read_config(path, {"A": "${B}", "B": "no"})
    assert config.transport["command"] == "${B}"


def test_settings_of_the_sign_in_are_read_with_placeholders(tmp_path: Path) -> None:
    given = {"client_id": "c", "client_secret": "${TOKEN}", "exceptions": ["no_resource"]}
    config = read_one(tmp_path, {"url": "https://example.com/mcp", "oauth": given})
    assert config.oauth == {"client_id": "c", "client_secret": "t0ken", "exceptions": ["no_resource"]}
    assert "t0ken" not in repr(config)


def test_an_input_comes_from_the_environment_or_its_default(tmp_path: Path) -> None:
    inputs = [{"id": "api-key", "type": "promptString", "password": True}, {"id": "zone", "default": "eu"}]
    entry = {"url": "http://x", "headers": {"A": "${input:api-key}/${input:zone}"}}
    path = write(tmp_path, {"servers": {"a": entry}, "inputs": [*inputs, "nonsense"]})
    (config,) = read_config(path, {"WEBCLIENT_INPUT_API_KEY": "k"})
    assert config.transport["headers"] == {"A": "k/eu"}


def test_folders_of_editors_are_replaced(tmp_path: Path) -> None:
    (tmp_path / ".vscode").mkdir()
    path = write(
        tmp_path / ".vscode", {"servers": {"a": {"command": "${workspaceFolder}${/}bin", "cwd": "${userHome}"}}}
    )
    (config,) = read_config(path, {})
    assert config.shown["command"] == config.transport["command"] == str(tmp_path / "bin")
    assert config.transport["cwd"] == str(Path.home())


def test_a_file_and_an_env_file_give_values(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("s3same\n", "utf-8")
    (tmp_path / ".env").write_text("A=1\nB='2'\n# no\nC\n", "utf-8")
    entry = {"command": "x", "args": ["${file:token}"], "envFile": "${workspaceFolder}/.env", "env": {"A": "0"}}
    config = read_one(tmp_path, entry)
    assert config.transport["args"] == ["s3same"]
    assert config.transport["env"] == {"A": "0", "B": "2"}


def test_expanded_values_are_shown_as_they_are_written(tmp_path: Path) -> None:
    written = {"command": "${HOME}/x", "args": ["--key", "${TOKEN}", "--at=${TOKEN:-other}"], "cwd": "${TOKEN}"}
    assert read_one(tmp_path, written).shown == {
        "type": "stdio",
        "command": "/home/me/x",
        "args": ["--key", "${TOKEN}", "--at=${TOKEN}"],
        "cwd": "${TOKEN}",
    }
    remote = read_one(tmp_path, {"url": "https://${TOKEN}.example/${TOKEN}?k=${TOKEN}", "headers": {"A": "${TOKEN}"}})
    assert remote.shown["url"] == "https://${TOKEN}.example/${TOKEN}?k=${TOKEN}"
    assert "t0ken" not in json.dumps(remote.shown)


def test_a_default_that_may_be_a_secret_is_not_shown(tmp_path: Path) -> None:
    for entry in ({"command": "x", "args": ["${KEY:-s3same}"]}, {"command": "${KEY:-s3same}", "era": "wrong"}):
        assert "s3same" not in json.dumps(read_one(tmp_path, entry).shown)
