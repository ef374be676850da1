"""The file that holds the entries, in the formats and layouts of several programs: JSON with comments, TOML, YAML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webclient.domain.i18n import Deferred
from webclient.domain.model import Json
from webclient.servers.config_file.other_programs import LAYOUTS, Layout, layouts_of
from webclient.settings import ConfigError, kind_of, read_root

KEYS = ("mcpServers", "servers")
"""The keys under which our own config file may have its servers."""

SETTINGS_FOLDERS = (".vscode", ".cursor", ".gemini", ".codex", ".zed", ".opencode")
"""Folders of a project that hold config files; the project is the folder above."""

LEFT_OUT = object()
"""Stands for an entry that is not a server, or a key that is not there."""

_OF_A_SERVER = frozenset({"command", "url", "type"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """The content of a config file: `servers` by name, `inputs` by id as VS Code asks for them, both as written.

    The entries of other programs are translated (`dialects`). `left_out` are the names of those that are not servers.
    `turned_off` are the names of the servers that the file turns off elsewhere than in their entry. `workspace` is the
    folder that `${workspaceFolder}` means.
    """

    servers: Json
    inputs: Mapping[str, Json]
    workspace: Path
    left_out: tuple[str, ...] = ()
    turned_off: frozenset[str] = frozenset()


def read_file(path: Path, inside: Path | None = None) -> ConfigFile:
    """Return what the file at `path` holds. Raises `ConfigError` for the first mistake.

    With `inside`, these are the servers that Claude Code has for this folder, and none if it has none.
    """
    root = read_root(path)
    if inside is not None:
        root = {"mcpServers": {}, **project_part(root, inside)}
    found = servers_in(root, layouts_of(path))
    if not found:
        raise _no_servers(path, root)
    servers: Json = {}
    for layout, entries in found:
        if not isinstance(entries, dict):
            raise _not_an_object(path, layout, entries)
        servers |= {name: translated(entry, layout) for name, entry in entries.items()}
    return ConfigFile(
        servers={name: entry for name, entry in servers.items() if entry is not LEFT_OUT},
        inputs={each["id"]: each for part in _parts(root) for each in _inputs(part)},
        workspace=inside or _workspace(path),
        left_out=tuple(name for name, entry in servers.items() if entry is LEFT_OUT),
        turned_off=turned_off_in(root),
    )


def translated(entry: Any, layout: Layout) -> Any:
    """Translate an entry into our keys; LEFT_OUT if it is not a server."""
    # A wrong entry is named where entries are read.
    if not isinstance(entry, dict):
        return entry
    found = layout.dialect(entry)
    return LEFT_OUT if found is None else found


def servers_in(root: Json, layouts: Sequence[Layout] = LAYOUTS) -> list[tuple[Layout, Any]]:
    """Return the layouts of which `root` has the keys, each with the value there: a list as an object by name."""
    found: dict[tuple[str, ...], tuple[Layout, Any]] = {}
    for layout in layouts:
        value = _value_at(root, layout.keys)
        if value is LEFT_OUT or layout.is_list is not _is_list(value):
            continue
        if not layout.is_vague or (_looks_like_servers(value) and layout.keys not in {each[:1] for each in found}):
            found.setdefault(layout.keys, (layout, _by_name(value) if layout.is_list else value))
    return list(found.values())


def _value_at(root: Json, keys: Sequence[str]) -> Any:
    value: Any = root
    for key in keys:
        value = value.get(key, LEFT_OUT) if isinstance(value, dict) else LEFT_OUT
    return value


def _looks_like_servers(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(each, dict) and _OF_A_SERVER & {*each} for each in value.values())


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _by_name(value: list[Json]) -> Json:
    names = [str(each.get("name") or each.get("uses") or number) for number, each in enumerate(value, start=1)]
    return {name: _unnamed(each) for name, each in zip(names, value, strict=True)}


def _unnamed(entry: Json) -> Json:
    return {key: value for key, value in entry.items() if key != "name"}


def project_part(root: Json, folder: Path) -> Json:
    """Return what a file of Claude Code has for this folder; {} if it has nothing."""
    projects = root.get("projects")
    known = projects if isinstance(projects, dict) else {}
    part = known.get(str(folder), known.get(folder.as_posix()))
    return part if isinstance(part, dict) else {}


def turned_off_in(root: Json) -> frozenset[str]:
    """Return the names of servers that Claude Code (`disabled…`) or Gemini CLI (`mcp.excluded`) turns off."""
    mcp = root.get("mcp")
    lists = [root.get("disabledMcpServers"), mcp.get("excluded") if isinstance(mcp, dict) else None]
    return frozenset(name for each in lists if isinstance(each, list) for name in each if isinstance(name, str))


def _not_an_object(path: Path, layout: Layout, value: Any) -> ConfigError:
    return ConfigError(
        Deferred(
            '{path}: "{key}" must be an object of servers by name; it is of the type {seen}.',
            path=path,
            key=".".join(layout.keys),
            seen=kind_of(value),
        )
    )


def _no_servers(path: Path, root: Json) -> ConfigError:
    if "packages" in root or "remotes" in root:
        return ConfigError(
            Deferred(
                "{path}: This describes a server for the MCP registry. Write its command or its address as an entry of "
                '"mcpServers".',
                path=path,
            )
        )
    return ConfigError(Deferred('{path}: The key "mcpServers" (or "servers") is missing.', path=path))


def _parts(root: Json) -> Iterator[Json]:
    """Yield the objects that may hold inputs; older versions of VS Code have them under "mcp" in their settings."""
    yield root
    if isinstance(root.get("mcp"), dict):
        yield root["mcp"]


def _inputs(part: Json) -> list[Json]:
    given = part.get("inputs")
    listed = given if isinstance(given, list) else []
    return [each for each in listed if isinstance(each, dict) and isinstance(each.get("id"), str)]


def _workspace(path: Path) -> Path:
    folder = path.absolute().parent
    return folder.parent if folder.name in SETTINGS_FOLDERS else folder
