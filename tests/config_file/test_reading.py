"""The config file is read as several programs write it; a wrong entry is one server in error, named by its place."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.config_file.files import ENVIRON, read_one, write
from webclient.domain.model import Era, Json, Root
from webclient.servers.config_file import ServerConfig, read_config
from webclient.settings import ConfigError


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


def test_missing_keys_of_a_command_are_empty(tmp_path: Path) -> None:
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


def test_settings_of_the_sign_in_are_an_object(tmp_path: Path) -> None:
    assert "oauth" in str(read_one(tmp_path, {"url": "https://example.com/mcp", "oauth": "me"}).error)


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


BAD_ENTRIES: list[tuple[Any, list[str]]] = [
    ([], ["must be an object", "array"]),
    (None, ["must be an object", "null"]),
    ({}, ["neither", '"command"', '"url"']),
    ({"cmd": "npx"}, ['"cmd"', 'mean "command"']),
    ({"URL": "http://x"}, ['"URL"', 'mean "url"']),
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
    ({"command": "x", "era": []}, ['"era"', "array"]),
    ({"command": "x", "disabled": "no"}, ['"disabled"', "true or false"]),
    ({"command": "${MISSING}"}, ['"command"', "MISSING", "not set", ":-default"]),
    ({"command": "x", "args": ["${command:pick}"]}, ['"args"', "${command:pick}", "${VARIABLE}"]),
    ({"command": "x", "args": ["${input:api-key}"]}, ['"args"', "api-key", "WEBCLIENT_INPUT_API_KEY"]),
    ({"command": "x", "args": ["${file:none}"]}, ['"args"', "none", "cannot be read"]),
    ({"command": "x", "envFile": "none.env"}, ['"envFile"', "none.env"]),
    ({"url": "http://x", "type": "stdio"}, ['"type"', "'stdio'", '"url"']),
    ({"url": "http://x", "type": "ws"}, ['"type"', "'ws'", "streamable-http"]),
    ({"serverUrl": "http://x", "transport": {}}, ['"transport"', "object"]),
    ({"url": "ftp://x"}, ['"url"', "http://"]),
    ({"url": "http://1.2.3.04/mcp"}, ['"url"', "http://"]),
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
        ('{"mcpServers": NaN}', ["number"]),
        ("[]", ["object", "array"]),
        ("null", ["object", "null"]),
        ("true", ["object", "boolean"]),
        ("7", ["object", "number"]),
        ('"x"', ["object", "string"]),
        ("{}", ['"mcpServers"', '"servers"']),
        ('{"mcpServers": []}', ['"mcpServers"', "array"]),
        ('{"servers": 1}', ['"servers"', "number"]),
        ("[" * 200_000, ["nested too deeply"]),
    ],
)
def test_a_mistake_in_the_file_names_the_place(tmp_path: Path, content: str, words: list[str]) -> None:
    path = write(tmp_path, content)
    with pytest.raises(ConfigError) as refused:
        read_config(path, ENVIRON)
    assert [word for word in [str(path), *words] if word not in str(refused.value)] == []


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.json: The file cannot be read: No such file"):
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


def test_roots_are_paths_or_objects(tmp_path: Path) -> None:
    given = ["${workspaceFolder}/notes", "~", {"uri": "file:///srv/a%20b", "name": "B"}]
    config = read_one(tmp_path, {"command": "serve", "roots": given})
    assert config.error is None
    assert config.roots == (
        Root(uri=(tmp_path / "notes").as_uri()),
        Root(uri=Path.home().as_uri()),
        Root(uri="file:///srv/a%20b", name="B"),
    )
    assert read_one(tmp_path, {"command": "serve"}).roots is None
    assert read_one(tmp_path, {"command": "serve", "roots": []}).roots == ()


@pytest.mark.parametrize(
    "given", ["/a", {"uri": "/a"}, [7], [{}], [{"uri": 7}], [{"uri": "/a", "name": 7}], ["a"], ["/.."]]
)
def test_wrong_roots_are_named(tmp_path: Path, given: object) -> None:
    assert "roots" in str(read_one(tmp_path, {"command": "serve", "roots": given}).error)


def test_users_are_names_and_addresses_in_lower_case(tmp_path: Path) -> None:
    named = read_one(tmp_path, {"command": "serve", "users": ["Ada", "Bob@Corp.example"]})
    assert named.users == frozenset({"Ada", "Bob@Corp.example", "bob@corp.example"})
    assert read_one(tmp_path, {"command": "serve"}).users is None
    assert "users" in str(read_one(tmp_path, {"command": "serve", "users": "ada"}).error)
