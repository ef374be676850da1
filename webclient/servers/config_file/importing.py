"""Servers of other programs that can be taken over, and the config file that they are added to.

An entry is copied as it is written, with its placeholders; only what means something else in another folder is changed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from webclient.domain.model import Json
from webclient.servers.config_file.entry import read_entry
from webclient.servers.config_file.file import (
    KEYS,
    ConfigFile,
    project_part,
    read_file,
    servers_in,
)
from webclient.servers.config_file.other_programs import Place, layouts_of
from webclient.servers.config_file.placeholders import Placeholders
from webclient.servers.config_file.server_config import ServerConfig
from webclient.settings import ConfigError, read_root

_INPUT = re.compile(r"\$\{input:([^}]*)\}")
_FILE = re.compile(r"\$\{file:([^}]*)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A server of another program: its entry as it is to be written, what was read of it, and the inputs it uses."""

    place: Place
    name: str
    entry: Json = field(repr=False)
    config: ServerConfig
    inputs: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The servers in a file of another program, and the names of its entries that are not servers."""

    candidates: list[Candidate]
    left_out: tuple[str, ...] = ()


def candidates(place: Place, environ: Mapping[str, str]) -> Found:
    """Return the servers in the file of another program. Raises ConfigError when it cannot be read."""
    if not _has_servers(place):
        return Found(candidates=[])
    file = read_file(place.path, place.inside)
    off = file.turned_off | _switched_off(place)
    placeholders = Placeholders(environ, inputs=file.inputs, folder=file.workspace)
    servers = {
        name: entry | ({"disabled": True} if name in off else {})
        for name, entry in file.servers.items()
        if name and isinstance(entry, dict)
    }
    return Found(
        candidates=[
            Candidate(
                place=place,
                name=name,
                entry=_portable(entry, file, in_project=place.is_project),
                config=read_entry(place.path, name, entry, placeholders),
                inputs=tuple(_inputs(entry, file)),
            )
            for name, entry in servers.items()
        ],
        left_out=file.left_out,
    )


def _has_servers(place: Place) -> bool:
    """Return whether the file has a key of servers; one that a person has named must have one."""
    root = read_root(place.path)
    if place.inside is not None:
        return bool(project_part(root, place.inside).get("mcpServers"))
    return place.is_named or bool(servers_in(root, layouts_of(place.path)))


def _switched_off(place: Place) -> frozenset[str]:
    """Return the names of a project's servers that the user has turned off in Claude Code."""
    roots = [read_root(path) for path in place.switches if path.is_file()]
    parts = [part for root in roots for part in (root, project_part(root, place.path.parent))]
    lists = [part.get("disabledMcpjsonServers") for part in parts]
    return frozenset(name for each in lists if isinstance(each, list) for name in each if isinstance(name, str))


def apart(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the servers with a name for each: the first keeps its own, others get their program's name after it."""
    named: dict[str, Json] = {}
    apart: list[Candidate] = []
    for each in found:
        name = next(name for name in _names(each) if named.get(name, each.entry) == each.entry)
        named[name] = each.entry
        apart.append(replace(each, name=name))
    return apart


def _names(candidate: Candidate) -> Iterator[str]:
    yield candidate.name
    program = re.sub(r"[^a-z0-9]+", "-", candidate.place.program.lower()).strip("-")
    yield f"{candidate.name}-{program}"
    yield from (f"{candidate.name}-{program}-{number}" for number in range(2, 10_000))


class Target:
    """The config file to which servers are added; nothing is written before `write`."""

    def __init__(self, path: Path) -> None:
        # A link stays one: what it leads to is written.
        self.path = path.resolve()
        self._root: Json = read_root(self.path) if self.path.exists() else {}
        self._key = next((key for key in KEYS if key in self._root), KEYS[0])
        if not isinstance(self._root.setdefault(self._key, {}), dict):
            raise ConfigError(f'{path}: "{self._key}" must be an object of servers by name.')
        self.changed = False

    @property
    def servers(self) -> Json:
        """The servers by name, as written."""
        servers: Json = self._root[self._key]
        return servers

    def free_name(self, name: str) -> str:
        """Return `name` with the first number that makes it a new one."""
        return next(each for each in (f"{name}-{n}" for n in range(2, 10_000)) if each not in self.servers)

    def add(self, name: str, candidate: Candidate) -> None:
        """Add the server under this name, or replace the one that has it."""
        self.servers[name] = candidate.entry
        self._add_inputs(candidate.inputs)
        self.changed = True

    def write(self) -> Path | None:
        """Write the file; return the path of the backup, if there was a file. Raises ConfigError."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            backup = self._back_up() if self.path.exists() else None
            mode = self.path.stat().st_mode & 0o777 if backup else 0o600
            _replace(self.path, json.dumps(self._root, indent=2, ensure_ascii=False) + "\n", mode)
            return backup
        except (OSError, UnicodeEncodeError) as error:
            why = getattr(error, "strerror", None) or "it contains half of a surrogate pair"
            raise ConfigError(f"{self.path}: The file cannot be written: {why}.") from error

    def _add_inputs(self, inputs: tuple[Json, ...]) -> None:
        known = self._root.get("inputs")
        listed: list[Any] = known if isinstance(known, list) else []
        ids = [each.get("id") for each in listed if isinstance(each, dict)]
        new = [each for each in inputs if each["id"] not in ids]
        if new:
            self._root["inputs"] = [*listed, *new]

    def _back_up(self) -> Path:
        names = (self.path.with_name(f"{self.path.name}.bak{n or ''}") for n in range(10_000))
        backup = next(each for each in names if not each.exists())
        shutil.copy2(self.path, backup)
        return backup


def _replace(path: Path, text: str, mode: int) -> None:
    # Whole or not at all, and never for a moment readable by others.
    with NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).chmod(mode)
        except BaseException:
            with suppress(OSError):
                Path(file.name).unlink()
            raise
    Path(file.name).replace(path)


def _inputs(entry: Json, file: ConfigFile) -> Iterator[Json]:
    """Yield the definitions of the inputs that the entry uses."""
    for name in dict.fromkeys(_INPUT.findall(json.dumps(entry, ensure_ascii=False))):
        if name in file.inputs:
            yield file.inputs[name]


def _portable(entry: Json, file: ConfigFile, *, in_project: bool) -> Json:
    """Return the entry so that it means the same in a file in another folder."""
    copied: Json = _replaced(entry, file.workspace)
    if isinstance(copied.get("envFile"), str) and "${" not in copied["envFile"]:
        copied["envFile"] = str(file.workspace / Path(copied["envFile"]).expanduser())
    if in_project and copied.get("command") and not copied.get("cwd"):
        # The programs run the servers of a project in its folder.
        copied["cwd"] = str(file.workspace)
    return copied


def _replaced(value: Any, workspace: Path) -> Any:
    if isinstance(value, dict):
        return {key: _replaced(each, workspace) for key, each in value.items()}
    if isinstance(value, list):
        return [_replaced(each, workspace) for each in value]
    if not isinstance(value, str):
        return value
    text = value.replace("${workspaceFolder}", str(workspace)).replace("${workspaceFolderBasename}", workspace.name)
    return _FILE.sub(lambda found: f"${{file:{workspace / Path(found[1]).expanduser()}}}", text)
