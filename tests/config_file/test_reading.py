"""The config file is read as several programs write it; a wrong entry is one server in error, told by place."""

from __future__ import annotations

import json
import time
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
        ({"type": "http"}, "http"),
        ({"type": "streamable-http"}, "http"),
        ({"type": "streamableHttp"}, "http"),
        ({"type": "streamable_http"}, "http"),
        ({"type": "HTTP"}, "http"),
        ({"transport": "sse"}, "sse"),
        ({"transportType": "http"}, "http"),
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


def test_a_file_without_servers_is_valid(tmp_path: Path) -> None:
    assert read_config(write(tmp_path, {"mcpServers": {}}), ENVIRON) == []


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
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


def test_a_value_that_looks_like_a_variable_is_not_expanded(tmp_path: Path) -> None:
    path = write(tmp_path, {"mcpServers": {"box": {"command": "${A}"}}})
    (config,) = read_config(path, {"A": "${B}", "B": "no"})
    assert config.transport["command"] == "${B}"


BAD_ENTRIES: list[tuple[Any, list[str]]] = [
    ([], ["must be an object", "a list"]),
    (None, ["must be an object", "null"]),
    ({}, ["neither", '"command"', '"url"']),
    ({"command": "x", "url": "http://x"}, ["both", '"command"', '"url"']),
    ({"command": ""}, ['"command"', "string"]),
    ({"command": None}, ["neither", '"command"']),
    ({"command": ["x"]}, ['"command"', "string"]),
    ({"command": "x", "args": "-y"}, ['"args"', "list of strings"]),
    ({"command": "x", "args": [None]}, ['"args"', "list of strings"]),
    ({"command": "x", "env": {"A": {}}}, ['"env"', "values are strings"]),
    ({"command": "x", "env": ["A=1"]}, ['"env"', "values are strings"]),
    ({"command": "x", "env": {"A=B": "1"}}, ['"env"', "="]),
    ({"command": "x", "env": {"A": "1\0"}}, ["NUL"]),
    ({"command": "x", "cwd": 1}, ['"cwd"', "string"]),
    ({"command": "x", "label": 1}, ['"label"', "string"]),
    ({"command": "x", "type": "http"}, ['"type"', "'http'", '"command"']),
    ({"command": "x", "era": "2024"}, ['"era"', "'2024'", "auto, 2025-11-25, 2026-07-28"]),
    ({"command": "x", "era": []}, ['"era"', "a list"]),
    ({"command": "x", "disabled": "no"}, ['"disabled"', "true or false"]),
    ({"command": "${MISSING}"}, ['"command"', "MISSING", "not set", ":-default"]),
    ({"command": "x", "args": ["${command:pick}"]}, ['"args"', "${command:pick}", "${VARIABLE}"]),
    ({"command": "x", "args": ["${input:api-key}"]}, ['"args"', "api-key", "WEBCLIENT_INPUT_API_KEY"]),
    ({"command": "x", "args": ["${file:none}"]}, ['"args"', "none", "cannot be read"]),
    ({"command": "x", "envFile": "none.env"}, ['"envFile"', "none.env"]),
    ({"url": "http://x", "type": "stdio"}, ['"type"', "'stdio'", '"url"']),
    ({"url": "http://x", "type": "ws"}, ['"type"', "'ws'", "streamable-http"]),
    ({"serverUrl": "http://x", "transport": {}}, ['"transport"', "an object"]),
    ({"url": "ftp://x"}, ['"url"', "http://"]),
    ({"serverUrl": "https:///path"}, ['"serverUrl"', "host"]),
    ({"url": "http://[x"}, ['"url"', "http://"]),
    ({"url": "http://x", "headers": {"A": []}}, ['"headers"', "values are strings"]),
    ({"url": "http://x", "headers": {"A b": "1"}}, ["header name"]),
    ({"url": "http://x", "headers": {"Authorization": "Bearer s3same\n"}}, ["Authorization", "line break"]),
    ({"url": "http://x", "headers": {"Authorization": "s3same\r\nHost: evil"}}, ["Authorization"]),
    ({"url": "http://x", "headers": {"X-Key": "s3samé"}}, ["X-Key", "ASCII"]),
    ({"url": "http://x", "headers": {"Content-Length": "3"}}, ["Content-Length"]),
]


@pytest.mark.parametrize(("entry", "words"), BAD_ENTRIES)
def test_a_wrong_entry_is_in_error_naming_file_server_and_key(tmp_path: Path, entry: Any, words: list[str]) -> None:
    config = read_one(tmp_path, entry)
    sentence = config.error or ""
    assert [word for word in [str(tmp_path / "mcp.json"), '"box"', *words] if word not in sentence] == []
    assert "s3sam" not in sentence
    assert config.transport == {}


def test_a_wrong_entry_leaves_the_others_usable(tmp_path: Path) -> None:
    path = write(tmp_path, {"mcpServers": {"bad": {"url": "nonsense"}, "": [], "good": {"command": "x"}}})
    assert [(config.name, config.error is None) for config in read_config(path, ENVIRON)] == [
        ("bad", False),
        ("unnamed", False),
        ("good", True),
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{\n  oops}", [":2:3", "not JSON"]),
        ("", [":1:1", "not JSON"]),
        ('{\n\n  "é": 1 "b": 2}', [":3:10", "not JSON"]),
        ('{"mcpServers": NaN}', ["a number"]),
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
    config = read_one(tmp_path, {"url": "ftp://me:${TOKEN}@x"})
    assert config.error
    assert "t0ken" not in repr(config)


def test_comments_and_trailing_commas_are_read(tmp_path: Path) -> None:
    text = """// of mine
    {"mcpServers": { /* the "one" */
        "box": {"url": "https://x.example//mcp", "headers": {"A": "1",},}, // }
    },}"""
    (config,) = read_config(write(tmp_path, text), ENVIRON)
    assert config.transport["url"] == "https://x.example//mcp"


@pytest.mark.parametrize("text", ['{"a":' * 100_000, "/*" * 200_000, "[" + "1," * 200_000, '{"a": "' + '\\"' * 200_000])
def test_a_hostile_file_is_refused_at_a_bounded_cost(tmp_path: Path, text: str) -> None:
    begun = time.process_time()
    with pytest.raises(ConfigError):
        read_config(write(tmp_path, text), ENVIRON)
    assert time.process_time() - begun < 2


def test_a_url_without_a_type_is_to_be_detected(tmp_path: Path) -> None:
    transport = read_one(tmp_path, {"url": "https://mcp.example.com/sse"}).transport
    assert (transport["type"], transport["detect"]) == ("http", True)


@pytest.mark.parametrize(("key", "detect"), [("url", True), ("serverUrl", True), ("httpUrl", None)])
def test_the_address_stands_under_the_keys_of_programs(tmp_path: Path, key: str, detect: bool | None) -> None:
    transport = read_one(tmp_path, {key: "https://mcp.example.com/mcp"}).transport
    assert (transport["url"], transport.get("detect")) == ("https://mcp.example.com/mcp", detect)


@pytest.mark.parametrize(
    ("given", "enabled"),
    [({}, True), ({"disabled": False}, True), ({"disabled": True}, False), ({"enabled": False}, False)],
)
def test_a_disabled_server_is_not_enabled(tmp_path: Path, given: Json, enabled: bool) -> None:
    assert read_one(tmp_path, {"command": "x", **given}).enabled is enabled


def test_numbers_and_truth_values_become_text(tmp_path: Path) -> None:
    written = {"command": "x", "args": ["-p", 8080, 1.5], "env": {"PORT": 3000, "DEBUG": True, "NONE": None}}
    transport = read_one(tmp_path, written).transport
    assert transport["args"] == ["-p", "8080", "1.5"]
    assert transport["env"] == {"PORT": "3000", "DEBUG": "true"}


def test_null_is_as_if_the_key_were_absent(tmp_path: Path) -> None:
    entry = {"command": None, "url": "http://x", "headers": None, "type": None, "env": None}
    assert read_one(tmp_path, entry).error is None


def test_servers_in_the_settings_of_vs_code_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, {"editor.fontSize": 12, "mcp": {"servers": {"a": {"command": "x"}}, "inputs": []}})
    assert [config.name for config in read_config(path, ENVIRON)] == ["a"]


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
    (tmp_path / "token").write_text("s3same\n")
    (tmp_path / ".env").write_text("A=1\nB='2'\n# no\nC\n")
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
