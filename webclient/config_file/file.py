"""The file that holds the entries, in the layouts of several programs: `mcpServers`, `servers`, or inside of `mcp`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webclient.config_file import jsonc
from webclient.errors import WebclientError
from webclient.i18n import Deferred
from webclient.model import Json

KEYS = ("mcpServers", "servers")
"""The keys under which programs write their servers."""

SETTINGS_FOLDERS = (".vscode", ".cursor")
"""Folders of a project that hold config files; the project is the folder above."""

LARGEST = 4 * 2**20
"""Bytes of a config file; Claude Code keeps much else in the file with its servers."""


class ConfigError(WebclientError):
    """The config file cannot be used; the message says what is wrong and where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """The content of a config file: `servers` by name, `inputs` by id as VS Code asks for them, both as written.

    `workspace` is the folder that `${workspaceFolder}` means.
    """

    servers: Json
    inputs: Mapping[str, Json]
    workspace: Path


def read_file(path: Path) -> ConfigFile:
    """Return what the file at `path` holds. Raises `ConfigError` for the first mistake."""
    parts = list(_parts(read_root(path)))
    inputs = {each["id"]: each for part in parts for each in _inputs(part)}
    return ConfigFile(servers=_servers(path, parts), inputs=inputs, workspace=_workspace(path))


def read_root(path: Path) -> Json:
    """Return the object that the file at `path` holds. Raises `ConfigError` when there is none."""
    root = _parse(path)
    if not isinstance(root, dict):
        raise ConfigError(
            Deferred("{path}: The file must hold an object; it holds the type {seen}.", path=path, seen=kind_of(root))
        )
    return root


def kind_of(value: Any) -> str:
    """Return the kind of a JSON value, as JSON calls it."""
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return kinds.get(type(value), "number")


def _parse(path: Path) -> Any:
    try:
        if path.stat().st_size > LARGEST:
            raise ConfigError(Deferred("{path}: The file is larger than {n:,} bytes.", path=path, n=LARGEST))
        return jsonc.parse(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(Deferred("{path}: The file cannot be read: {why}.", path=path, why=error.strerror)) from error
    except UnicodeDecodeError as error:
        raise ConfigError(Deferred("{path}: The file is not UTF-8 text.", path=path)) from error
    except jsonc.JsoncError as error:
        where = f"{path}:{error.line}:{error.column}"
        raise ConfigError(Deferred("{where}: This is not JSON: {why}.", where=where, why=error)) from error
    except RecursionError as error:
        raise ConfigError(Deferred("{path}: The file is nested too deeply.", path=path)) from error


def _parts(root: Json) -> Iterator[Json]:
    """Yield the objects that may hold servers; older versions of VS Code have them under "mcp" in their settings."""
    yield root
    if isinstance(root.get("mcp"), dict):
        yield root["mcp"]


def _servers(path: Path, parts: list[Json]) -> Json:
    found: Json = {}
    keys = [(part, key) for part in parts for key in KEYS if key in part]
    if not keys:
        raise ConfigError(Deferred('{path}: The key "mcpServers" (or "servers") is missing.', path=path))
    for part, key in keys:
        if not isinstance(part[key], dict):
            raise ConfigError(
                Deferred(
                    '{path}: "{key}" must be an object of servers by name; it is of the type {seen}.',
                    path=path,
                    key=key,
                    seen=kind_of(part[key]),
                )
            )
        found |= part[key]
    return found


def _inputs(part: Json) -> list[Json]:
    given = part.get("inputs")
    listed = given if isinstance(given, list) else []
    return [each for each in listed if isinstance(each, dict) and isinstance(each.get("id"), str)]


def _workspace(path: Path) -> Path:
    folder = path.absolute().parent
    return folder.parent if folder.name in SETTINGS_FOLDERS else folder
