"""How programs write one entry: each function returns it with the keys and placeholders that `entry.py` reads.

None stands for an entry that is not a server which others can reach, such as a built-in extension. A key without a
meaning here is left as it is, so that it can be named to the user.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from webclient.domain.model import Json

Dialect = Callable[[Json], Json | None]

_DOLLAR = re.compile(r"\$([A-Za-z_]\w*)", re.ASCII)
_OPENCODE = re.compile(r"\{(env|file):([^{}]*)\}")
_CONTINUE = re.compile(r"\$\{\{\s*(secrets|inputs)\.([^{}\s]+)\s*\}\}")
_LIBRECHAT = re.compile(r"\{\{\s*(\w+)\s*\}\}")

_NOT_REMOTE = frozenset({"builtin", "platform", "frontend", "inline_python"})
"""The types of Goose's extensions that are part of Goose."""


def plain(entry: Json) -> Json:
    """Return an entry of `mcpServers` as most programs write it."""
    return entry


def gemini(entry: Json) -> Json:
    """Gemini CLI: `$VAR` beside `${VAR}` (geminicli.com/docs/tools/mcp-server)."""
    replaced: Json = _replaced(entry, _DOLLAR, lambda found: f"${{{found[1]}}}")
    return replaced


def zed(entry: Json) -> Json | None:
    """Zed: settings of an extension have no command; older ones have an object for it (zed.dev/docs/ai/mcp)."""
    command = entry.get("command")
    if isinstance(command, dict):
        return {**_without(entry, "command"), **_without(command, "path"), "command": command.get("path")}
    return entry if command is not None or "url" in entry else None


def opencode(entry: Json) -> Json:
    """OpenCode: the command is a list, `{env:VAR}` may be empty (opencode.ai/docs/mcp-servers, /docs/config)."""
    named = _renamed(entry, environment="env")
    if named.get("type") == "remote":
        # Either HTTP transport, as OpenCode tries both.
        del named["type"]
    if isinstance(command := named.get("command"), list) and command:
        named |= {"command": command[0], "args": [*command[1:], *_list(named.get("args"))]}
    if named.get("oauth") is False:
        del named["oauth"]
    replaced: Json = _replaced(named, _OPENCODE, _opencode_placeholder)
    return replaced


def _opencode_placeholder(found: re.Match[str]) -> str:
    return f"${{{found[2]}:-}}" if found[1] == "env" else f"${{file:{found[2]}}}"


def codex(entry: Json) -> Json:
    """Codex: names of variables in place of their values (developers.openai.com/codex/mcp)."""
    named = _without(entry, "env_vars", "http_headers", "env_http_headers", "bearer_token_env_var", "scopes")
    variables = [each.get("name") if isinstance(each, dict) else each for each in _list(entry.get("env_vars"))]
    headers = {name: f"${{{variable}}}" for name, variable in _object(entry.get("env_http_headers")).items()}
    if token := entry.get("bearer_token_env_var"):
        headers["Authorization"] = f"Bearer ${{{token}}}"
    _add(named, "env", {str(name): f"${{{name}}}" for name in variables})
    _add(named, "headers", {**_object(entry.get("http_headers")), **headers})
    _add(named, "oauth", {"scopes": entry["scopes"]} if entry.get("scopes") else {})
    return named


def goose(entry: Json) -> Json | None:
    """Goose: `cmd`, `uri`, `envs`, and `env_keys` from its keyring (goose-docs.ai/docs/guides/config-files)."""
    given = {**_without(entry, "config"), **_object(entry.get("config"))}
    if given.get("type") in _NOT_REMOTE:
        return None
    named = _renamed(_without(given, "env_keys"), cmd="command", uri="url", envs="env")
    keys = [key for key in _list(given.get("env_keys")) if key not in _object(named.get("env"))]
    # The keyring of Goose cannot be read, so its values are wanted in the environment.
    _add(named, "env", {str(key): f"${{{key}}}" for key in keys})
    return named


def continue_dev(entry: Json) -> Json | None:
    """Continue: headers in `requestOptions`, secrets of its own; a `uses` is a block of its hub (docs.continue.dev)."""
    if "uses" in entry:
        return None
    options = _object(entry.get("requestOptions"))
    named = _without(entry, "requestOptions")
    _add(named, "headers", _object(options.get("headers")))
    _add(named, "requestOptions", _without(options, "headers"))
    replaced: Json = _replaced(named, _CONTINUE, _continue_placeholder)
    return replaced


def _continue_placeholder(found: re.Match[str]) -> str:
    return f"${{{found[2]}}}" if found[1] == "secrets" else f"${{input:{found[2]}}}"


def librechat(entry: Json) -> Json:
    """LibreChat: `{{NAME}}` is a value of each user, here an input (librechat.ai/docs/configuration/librechat_yaml)."""
    replaced: Json = _replaced(entry, _LIBRECHAT, lambda found: f"${{input:{found[1]}}}")
    return replaced


def _replaced(value: Any, pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]) -> Any:
    if isinstance(value, dict):
        return {key: _replaced(each, pattern, new) for key, each in value.items()}
    if isinstance(value, list):
        return [_replaced(each, pattern, new) for each in value]
    return pattern.sub(new, value) if isinstance(value, str) else value


def _renamed(entry: Json, **names: str) -> Json:
    return {names.get(key, key): value for key, value in entry.items()}


def _without(entry: Json, *keys: str) -> Json:
    return {key: value for key, value in entry.items() if key not in keys}


def _add(entry: Json, key: str, more: Mapping[str, Any]) -> None:
    if more:
        entry[key] = {**_object(entry.get(key)), **more}


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
