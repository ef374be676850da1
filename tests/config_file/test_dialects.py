"""Files of other programs, as their documentation writes them, are read as the servers that they mean there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from webclient.domain.model import Json
from webclient.servers.config_file import ServerConfig, read_config
from webclient.settings import ConfigError

ENVIRON = {"TOKEN": "t0ken", "HOME": "/home/me"}

CODEX = """
model = "gpt-5"
[mcp_servers.docs]
command = "npx"
args = ["-y", "docs"]
env_vars = ["TOKEN", {name = "HOME", source = "local"}]
startup_timeout_sec = 20
[mcp_servers.docs.env]
PORT = 3000
[mcp_servers.figma]
url = "https://mcp.example.com/mcp"
bearer_token_env_var = "TOKEN"
http_headers = {"X-Region" = "eu"}
env_http_headers = {"X-Home" = "HOME"}
scopes = ["read", "write"]
enabled = false
enabled_tools = ["search"]
since = 2026-11-24
"""
ZED = """{
  // Zed settings
  "theme": "One Dark",
  "context_servers": {
    "docs": {"source": "custom", "enabled": false, "command": "npx", "args": ["-y", "docs"], "env": {"A": "1"}},
    "older": {"command": {"path": "npx", "args": ["older"], "env": null}, "settings": {}},
    "figma": {"url": "https://mcp.example.com/mcp", "headers": {"Authorization": "Bearer abc"}},
    "from-extension": {"source": "extension", "settings": {"key": "abc"}},
  },
}"""
OPENCODE = """{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "docs": {"type": "local", "command": ["npx", "-y", "docs"], "environment": {"A": "{env:TOKEN}", "B": "{env:NO}"}},
    "figma": {
      "type": "remote", "url": "https://mcp.example.com/mcp", "enabled": false, "oauth": false,
      "headers": {"Authorization": "Bearer {env:TOKEN}"}, "timeout": 5000,
    },
  },
}"""
OPENCODE_2 = '{"mcp": {"timeout": 9, "servers": {"docs": {"type": "local", "command": ["npx"], "env": {"A": "1"}}}}}'
GEMINI = """{
  "mcp": {"excluded": ["docs"]},
  "mcpServers": {
    "docs": {"command": "npx", "env": {"A": "$TOKEN", "B": "${TOKEN}", "C": "$5"}, "trust": true},
    "figma": {"httpUrl": "https://mcp.example.com/mcp", "headers": {"Authorization": "Bearer $TOKEN"},
              "oauth": {"enabled": true, "scopes": ["read", "write"], "redirectUri": "http://localhost:7777/x"}},
  },
}"""
COPILOT = """{"mcpServers": {
  "docs": {"type": "local", "command": "npx", "args": ["docs"], "tools": ["*"]},
  "figma": {"type": "http", "url": "https://mcp.example.com/mcp", "tools": ["get"]}
}}"""
GOOSE = """
GOOSE_PROVIDER: openai
extensions:
  developer: {bundled: true, enabled: true, name: developer, timeout: 300, type: builtin}
  docs:
    enabled: true
    type: stdio
    cmd: npx
    args: [-y, docs, 8080:22]
    envs: {A: 1.10}
    env_keys: [TOKEN, A]
    timeout: 300
  figma:
    enabled: false
    type: streamable_http
    uri: https://mcp.example.com/mcp
    headers: {X-Region: eu}
"""
CONTINUE = """
name: mine
version: 0.0.1
mcpServers:
  - uses: someone/some-block
  - name: Docs
    command: npx
    args:
      - "-y"
      - docs
    env:
      A: ${{ secrets.TOKEN }}
  - name: figma
    type: streamable-http
    url: https://mcp.example.com/mcp
    requestOptions:
      timeout: 7
      headers: {Authorization: "Bearer ${{secrets.TOKEN}}"}
"""
LIBRECHAT = """
version: 1.2.1
mcpServers:
  docs:
    command: npx
    args: [-y, docs]
    serverInstructions: true
  figma:
    type: streamable-http
    url: https://mcp.example.com/mcp
    headers: {X-Key: "${TOKEN}", X-User: "{{LIBRECHAT_USER_ID}}"}
  socket: {type: websocket, url: "wss://mcp.example.com"}
"""


def read(folder: Path, name: str, text: str) -> dict[str, ServerConfig]:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return {config.name: config for config in read_config(path, ENVIRON)}


def command(*args: str, **env: str) -> Json:
    return {"type": "stdio", "command": "npx", "args": [*args], "env": env, "cwd": None}


def address(**headers: str) -> Json:
    known = {name.replace("_", "-"): value for name, value in headers.items()}
    return {"type": "http", "url": "https://mcp.example.com/mcp", "headers": known}


def test_codex_keeps_its_servers_in_toml(tmp_path: Path) -> None:
    servers = read(tmp_path, ".codex/config.toml", CODEX)
    docs, figma = servers["docs"], servers["figma"]
    assert docs.transport == command("-y", "docs", PORT="3000", TOKEN="t0ken", HOME="/home/me")
    headers = {"X_Region": "eu", "X_Home": "/home/me", "Authorization": "Bearer t0ken"}
    assert figma.transport == address(**headers) | {"detect": True}
    assert (docs.enabled, figma.enabled, figma.oauth) == (True, False, {"scope": "read write"})
    assert (docs.unused, figma.unused) == (("startup_timeout_sec",), ("enabled_tools", "since"))
    assert "t0ken" not in str([config.shown for config in servers.values()])


def test_zed_has_commands_addresses_and_extensions(tmp_path: Path) -> None:
    servers = read(tmp_path, "zed/settings.json", ZED)
    assert list(servers) == ["docs", "older", "figma"]
    assert servers["docs"].transport == command("-y", "docs", A="1")
    assert servers["older"].transport == command("older")
    assert servers["figma"].transport == address(Authorization="Bearer abc") | {"detect": True}
    assert [config.enabled for config in servers.values()] == [False, True, True]


@pytest.mark.parametrize("name", ["opencode.json", "anything.json"])
def test_opencode_writes_a_command_as_a_list(tmp_path: Path, name: str) -> None:
    servers = read(tmp_path, name, OPENCODE)
    assert servers["docs"].transport == command("-y", "docs", A="t0ken", B="")
    assert servers["figma"].transport == address(Authorization="Bearer t0ken") | {"detect": True}
    assert (servers["figma"].enabled, servers["figma"].unused) == (False, ("timeout",))


@pytest.mark.parametrize("name", ["opencode.jsonc", "anything.json"])
def test_opencode_2_has_its_servers_under_servers(tmp_path: Path, name: str) -> None:
    servers = read(tmp_path, name, OPENCODE_2.replace('["npx"]', '["npx"]' if name == "opencode.jsonc" else '"npx"'))
    assert servers["docs"].transport == command(A="1")


def test_gemini_replaces_variables_without_braces(tmp_path: Path) -> None:
    servers = read(tmp_path, ".gemini/settings.json", GEMINI)
    assert servers["docs"].transport == command(A="t0ken", B="t0ken", C="$5")
    assert servers["figma"].transport == address(Authorization="Bearer t0ken")
    assert servers["figma"].oauth == {"scope": "read write"}
    assert servers["docs"].unused == ("trust",)
    assert servers["figma"].unused == ("oauth.redirectUri",)


def test_only_gemini_has_variables_without_braces(tmp_path: Path) -> None:
    assert read(tmp_path, "mcp.json", GEMINI)["docs"].transport == command(A="$TOKEN", B="t0ken", C="$5")


def test_copilot_calls_a_command_local(tmp_path: Path) -> None:
    servers = read(tmp_path, ".copilot/mcp-config.json", COPILOT)
    assert servers["docs"].transport == command("docs")
    assert servers["figma"].transport == address()
    assert (servers["docs"].unused, servers["figma"].unused) == ((), ("tools",))


def test_goose_has_servers_among_its_extensions(tmp_path: Path) -> None:
    servers = read(tmp_path, "goose/config.yaml", GOOSE)
    assert list(servers) == ["docs", "figma"]
    assert servers["docs"].transport == command("-y", "docs", "8080:22", A="1.10", TOKEN="t0ken")
    assert servers["figma"].transport == address(X_Region="eu")
    assert servers["figma"].enabled is False


@pytest.mark.parametrize("name", [".continue/config.yaml", "anything.yaml"])
def test_continue_lists_its_servers_with_names(tmp_path: Path, name: str) -> None:
    servers = read(tmp_path, name, CONTINUE)
    assert list(servers) == ["Docs", "figma"]
    assert servers["Docs"].transport == command("-y", "docs", A="t0ken")
    assert servers["figma"].transport == address(Authorization="Bearer t0ken")
    assert servers["figma"].unused == ("requestOptions",)


def test_librechat_has_values_of_each_user(tmp_path: Path) -> None:
    servers = read(tmp_path, "librechat.yaml", LIBRECHAT)
    assert servers["docs"].transport == command("-y", "docs")
    assert servers["docs"].unused == ("serverInstructions",)
    assert "WEBCLIENT_INPUT_LIBRECHAT_USER_ID" in str(servers["figma"].error)
    assert "websocket" in str(servers["socket"].error)


@pytest.mark.parametrize(
    ("entry", "unused"),
    [
        ({"command": "x", "sandboxEnabled": True, "sandbox": {"a": 1}}, ("sandboxEnabled", "sandbox")),
        ({"command": "x", "sandboxEnabled": False, "disabledTools": []}, ()),
        ({"command": "x", "headers": {"A": "1"}}, ("headers",)),
        ({"url": "http://x", "headersHelper": "/bin/token", "auth": {"CLIENT_ID": "a"}}, ("headersHelper", "auth")),
        ({"url": "http://x", "oauth": {"clientId": "a", "callbackPort": 8080}}, ("oauth.callbackPort",)),
        ({"url": "http://x", "description": "of mine", "disabledTools": ["drop"]}, ("disabledTools",)),
    ],
)
def test_keys_without_an_effect_are_named(tmp_path: Path, entry: Json, unused: tuple[str, ...]) -> None:
    [config] = read(tmp_path, "mcp.json", json.dumps({"mcpServers": {"a": entry}})).values()
    assert (config.error, config.unused) == (None, unused)
    assert "callbackPort" not in config.oauth


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("config.toml", "a = 1\nb = x", [":2:5", "TOML"]),
        ("config.toml", "[a", ["TOML"]),
        ("config.toml", "a = 1", ["mcpServers"]),
        ("config.yaml", "a: b: c", [":1:", "YAML"]),
        ("config.yaml", "a: &x [1]\nb: *x", [":2:4", "aliases"]),
        ("config.yaml", "a: !!python/object:os.system x", ["tags"]),
        ("config.yml", "- a", ["object", "array"]),
        ("config.yaml", "", ["object", "null"]),
        ("config.yaml", "mcpServers:\n  - a\n", ["mcpServers", "array"]),
        ("server.json", '{"name": "a.b/c", "packages": [], "version": "1"}', ["registry"]),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, name: str, text: str, words: list[str]) -> None:
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, name, text)
    assert [word for word in [name, *words] if word not in str(refused.value)] == []
