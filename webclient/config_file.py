"""Reads the ecosystem's `mcp.json`: which MCP servers there are and how they are reached.

Command lines come from here and from `demo` only. A mistake is told with the file, the server and the key
that it is in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Never

from webclient.addresses import is_web_address
from webclient.errors import WebclientError
from webclient.i18n import gettext as _
from webclient.model import Era, Json

ROOTS = ("mcpServers", "servers")
"""The keys under which programs write their servers."""

_TYPES = {"http": "http", "streamable-http": "http", "streamableHttp": "http", "sse": "sse", "stdio": "stdio"}
_PLACEHOLDER = re.compile(r"\$\{([^}]*)\}")
_VARIABLE = re.compile(r"(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)


class ConfigError(WebclientError):
    """The config file cannot be used; the message says what is wrong and where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """A server as the config file or the command line names it; `transport` is as in `model.Server`."""

    name: str
    label: str
    transport: Json
    era: Era = Era.AUTO


def read_config(path: Path, environ: Mapping[str, str]) -> list[ServerConfig]:
    """Return the servers that the file at `path` names, with `${VAR}` replaced from `environ`.

    Raises `ConfigError` for the first mistake.
    """
    root = _parse(path)
    if not isinstance(root, dict):
        raise ConfigError(_("{path}: expected an object at the top, not {seen}.").format(path=path, seen=_kind(root)))
    servers = _servers(path, root)
    return [_Entry(path, name, entry, environ).read() for name, entry in servers.items()]


def _parse(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(_("{path}: cannot be read: {why}.").format(path=path, why=error.strerror)) from error
    except UnicodeDecodeError as error:
        raise ConfigError(_("{path}: is not UTF-8 text.").format(path=path)) from error
    except json.JSONDecodeError as error:
        where = f"{path}:{error.lineno}:{error.colno}"
        raise ConfigError(_("{where}: is not JSON: {why}.").format(where=where, why=error.msg)) from error
    except RecursionError as error:
        raise ConfigError(_("{path}: is nested too deeply.").format(path=path)) from error


def _servers(path: Path, root: Json) -> Json:
    found: Json = {}
    keys = [key for key in ROOTS if key in root]
    if not keys:
        raise ConfigError(_('{path}: expected the key "mcpServers" (or "servers").').format(path=path))
    for key in keys:
        if not isinstance(root[key], dict):
            raise ConfigError(
                _('{path}: "{key}" must be an object of servers by name, not {seen}.').format(
                    path=path, key=key, seen=_kind(root[key])
                )
            )
        found |= root[key]
    return found


class _Entry:
    """One server of the file, and how its mistakes are told."""

    def __init__(self, path: Path, name: str, given: Any, environ: Mapping[str, str]) -> None:
        self._where = _('{path}: server "{name}"').format(path=path, name=name)
        self._name = name
        self._environ = environ
        if not isinstance(given, dict):
            self._fail(_("must be an object, not {seen}").format(seen=_kind(given)))
        self._given: Json = given

    def read(self) -> ServerConfig:
        label = self._string("label") or self._name
        return ServerConfig(name=self._name, label=label, transport=self._transport(), era=self._era())

    def _transport(self) -> Json:
        if ("command" in self._given) == ("url" in self._given):
            self._fail(
                _('has both "command" and "url"; exactly one of them is expected')
                if "command" in self._given
                else _('has neither "command" nor "url"; exactly one of them is expected')
            )
        return self._stdio() if "command" in self._given else self._http()

    def _stdio(self) -> Json:
        self._type(default="stdio", allowed=("stdio",))
        return {
            "type": "stdio",
            "command": self._string("command", required=True),
            "args": self._strings("args"),
            "env": self._mapping("env"),
            "cwd": self._string("cwd"),
        }

    def _http(self) -> Json:
        kind = self._type(default="http", allowed=("http", "sse"))
        url = self._string("url", required=True) or ""
        if not is_web_address(url):
            # The address itself is not repeated: a variable may have put a secret into it.
            self._fail(_('"url" must be an address that starts with http:// or https:// and names a host'))
        return {"type": kind, "url": url, "headers": self._mapping("headers")}

    def _type(self, *, default: str, allowed: tuple[str, ...]) -> str:
        given = self._string("type") or default
        kind = _TYPES.get(given)
        if kind is None:
            self._fail(_('"type" is {given!r}; expected one of {known}').format(given=given, known=", ".join(_TYPES)))
        if kind not in allowed:
            key = "command" if default == "stdio" else "url"
            self._fail(_('"type" is {given!r}, which does not go with "{key}"').format(given=given, key=key))
        return kind

    def _era(self) -> Era:
        given = self._string("era") or Era.AUTO
        try:
            return Era(given)
        except ValueError:
            self._fail(_('"era" is {given!r}; expected one of {known}').format(given=given, known=", ".join(Era)))

    def _string(self, key: str, *, required: bool = False) -> str | None:
        given = self._given.get(key)
        if given is None and not required:
            return None
        if not isinstance(given, str) or (required and not given):
            self._fail(_('"{key}" must be a string that is not empty').format(key=key))
        return self._expand(key, given)

    def _strings(self, key: str) -> list[str]:
        given = self._given.get(key, [])
        if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
            self._fail(_('"{key}" must be a list of strings').format(key=key))
        return [self._expand(key, item) for item in given]

    def _mapping(self, key: str) -> dict[str, str]:
        given = self._given.get(key, {})
        if not isinstance(given, dict) or not all(isinstance(item, str) for item in given.values()):
            self._fail(_('"{key}" must be an object whose values are strings').format(key=key))
        return {name: self._expand(key, item) for name, item in given.items()}

    def _expand(self, key: str, text: str) -> str:
        return _PLACEHOLDER.sub(lambda found: self._variable(key, found[1]), text)

    def _variable(self, key: str, written: str) -> str:
        found = _VARIABLE.fullmatch(written)
        if found is None:
            self._fail(
                _('"{key}" contains ${{{written}}}; expected ${{VARIABLE}} or ${{VARIABLE:-default}}').format(
                    key=key, written=written
                )
            )
        variable, default = found.groups()
        value = self._environ.get(variable)
        if value is None and default is None:
            self._fail(
                _('"{key}" uses the environment variable {variable}, which is not set').format(
                    key=key, variable=variable
                )
            )
        return value or default or ""

    def _fail(self, what: str) -> Never:
        raise ConfigError(f"{self._where}: {what}.")


def _kind(value: Any) -> str:
    kinds = {
        dict: _("an object"),
        list: _("a list"),
        str: _("a string"),
        bool: _("true or false"),
        type(None): "null",
    }
    return kinds.get(type(value), _("a number"))
