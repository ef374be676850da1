"""The config file is read as other programs write it, and every mistake in it is told by place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from webclient.config_file import ConfigError, ServerConfig, read_config
from webclient.model import Era, Json

ENVIRON = {"TOKEN": "t0ken", "HOME": "/home/me", "EMPTY": ""}


def write(folder: Path, content: object) -> Path:
    """Write a config file; text as it is, all else as JSON."""
    path = folder / "mcp.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def read_one(folder: Path, entry: object) -> ServerConfig:
    """Read a config file with the one server `box`."""
    (config,) = read_config(write(folder, {"mcpServers": {"box": entry}}), ENVIRON)
    return config


def test_a_command_becomes_a_stdio_server(tmp_path: Path) -> None:
    config = read_one(tmp_path, {"command": "npx", "args": ["-y", "files"], "env": {"A": "1"}, "cwd": "/srv"})
    assert config == ServerConfig(
        name="box",
        label="box",
        transport={
            "type": "stdio",
            "command": "npx",
            "args": ["-y", "files"],
            "env": {"A": "1"},
            "cwd": "/srv",
        },
        era=Era.AUTO,
    )


def test_what_a_command_does_not_say_is_empty(tmp_path: Path) -> None:
    transport: Json = {"type": "stdio", "command": "npx", "args": [], "env": {}, "cwd": None}
    assert read_one(tmp_path, {"command": "npx"}).transport == transport


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({}, "http"),
        ({"type": "http"}, "http"),
        ({"type": "streamable-http"}, "http"),
        ({"type": "streamableHttp"}, "http"),
        ({"type": "sse"}, "sse"),
    ],
)
def test_a_url_becomes_an_http_server_of_its_type(tmp_path: Path, given: dict[str, str], kind: str) -> None:
    config = read_one(tmp_path, {"url": "https://mcp.example.com/mcp", "headers": {"X": "1"}, **given})
    assert config.transport == {"type": kind, "url": "https://mcp.example.com/mcp", "headers": {"X": "1"}}


def test_our_own_keys_label_and_era_are_read(tmp_path: Path) -> None:
    config = read_one(tmp_path, {"command": "x", "label": "My box", "era": "2025-11-25"})
    assert (config.label, config.era) == ("My box", Era.PUSH)


def test_keys_of_other_programs_do_not_disturb(tmp_path: Path) -> None:
    assert read_one(tmp_path, {"command": "x", "alwaysAllow": [], "timeout": 60}).name == "box"


def test_servers_stand_under_either_key_in_their_order(tmp_path: Path) -> None:
    path = write(tmp_path, {"servers": {"b": {"command": "x"}, "a": {"command": "x"}}, "inputs": []})
    assert [config.name for config in read_config(path, ENVIRON)] == ["b", "a"]


def test_no_servers_are_no_mistake(tmp_path: Path) -> None:
    assert read_config(write(tmp_path, {"mcpServers": {}}), ENVIRON) == []


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    assert read_config(write(tmp_path, '\ufeff{"mcpServers": {}}'), ENVIRON) == []


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


def test_a_value_that_looks_like_a_variable_is_not_replaced_again(tmp_path: Path) -> None:
    path = write(tmp_path, {"mcpServers": {"box": {"command": "${A}"}}})
    (config,) = read_config(path, {"A": "${B}", "B": "no"})
    assert config.transport["command"] == "${B}"


BAD_ENTRIES: list[tuple[Any, list[str]]] = [
    ([], ["must be an object", "a list"]),
    ({}, ["neither", '"command"', '"url"']),
    ({"command": "x", "url": "http://x"}, ["both", '"command"', '"url"']),
    ({"command": ""}, ['"command"', "string"]),
    ({"command": None}, ['"command"', "string"]),
    ({"command": ["x"]}, ['"command"', "string"]),
    ({"command": "x", "args": "-y"}, ['"args"', "list of strings"]),
    ({"command": "x", "args": [1]}, ['"args"', "list of strings"]),
    ({"command": "x", "env": {"A": 1}}, ['"env"', "values are strings"]),
    ({"command": "x", "env": ["A=1"]}, ['"env"', "values are strings"]),
    ({"command": "x", "cwd": 1}, ['"cwd"', "string"]),
    ({"command": "x", "label": 1}, ['"label"', "string"]),
    ({"command": "x", "type": "http"}, ['"type"', "'http'", '"command"']),
    ({"command": "x", "era": "2024"}, ['"era"', "'2024'", "auto, 2025-11-25, 2026-07-28"]),
    ({"command": "${MISSING}"}, ['"command"', "MISSING", "not set"]),
    ({"command": "${input:key}"}, ['"command"', "${input:key}", "${VARIABLE}"]),
    ({"url": "http://x", "type": "stdio"}, ['"type"', "'stdio'", '"url"']),
    ({"url": "http://x", "type": "ws"}, ['"type"', "'ws'", "streamable-http"]),
    ({"url": "ftp://x"}, ['"url"', "http://"]),
    ({"url": "https:///path"}, ['"url"', "host"]),
    ({"url": "http://[x"}, ['"url"', "http://"]),
    ({"url": "http://x", "headers": {"A": None}}, ['"headers"', "values are strings"]),
]


@pytest.mark.parametrize(("entry", "words"), BAD_ENTRIES)
def test_a_mistake_in_a_server_names_file_server_and_key(tmp_path: Path, entry: Any, words: list[str]) -> None:
    with pytest.raises(ConfigError) as refused:
        read_one(tmp_path, entry)
    sentence = str(refused.value)
    assert [word for word in [str(tmp_path / "mcp.json"), '"box"', *words] if word not in sentence] == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{\n  oops}", [":2:3", "not JSON"]),
        ("", [":1:1", "not JSON"]),
        ("[]", ["object", "a list"]),
        ("null", ["object", "null"]),
        ("true", ["object", "true or false"]),
        ("7", ["object", "a number"]),
        ('"x"', ["object", "a string"]),
        ("{}", ['"mcpServers"', '"servers"']),
        ('{"mcpServers": []}', ['"mcpServers"', "a list"]),
        ('{"servers": 1}', ['"servers"', "a number"]),
        ("[" * 200_000, ["nested too deeply"]),
    ],
)
def test_a_mistake_in_the_file_names_the_place(tmp_path: Path, content: str, words: list[str]) -> None:
    path = write(tmp_path, content)
    with pytest.raises(ConfigError) as refused:
        read_config(path, ENVIRON)
    assert [word for word in [str(path), *words] if word not in str(refused.value)] == []


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.json: cannot be read: No such file"):
        read_config(tmp_path / "none.json", ENVIRON)


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(b'{"mcpServers": {"b\xff": {}}}')
    with pytest.raises(ConfigError, match="UTF-8"):
        read_config(path, ENVIRON)


def test_a_secret_in_a_wrong_address_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        read_one(tmp_path, {"url": "ftp://me:${TOKEN}@x"})
    assert "t0ken" not in str(refused.value)
