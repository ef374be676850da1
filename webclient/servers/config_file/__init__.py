"""The config file: reads the files of many programs, in JSON, TOML and YAML, and imports servers from their files.

Command lines come from here and from `demo` only. A file that cannot be read stops the start; an invalid entry gives
one server in the error state, with a sentence that names the file, the server and the key, and never a secret.

- `read_config` gives the configured servers, with placeholders replaced.
- `read_snippet` gives the servers in a text that a person pastes into a page.
- `places`, `named_places`, `candidates`, `apart` and `Target` are for `mcp-webclient import`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from webclient.servers.config_file.entry import read_entry
from webclient.servers.config_file.file import read_file
from webclient.servers.config_file.importing import Candidate, Found, Target, apart, candidates
from webclient.servers.config_file.other_programs import Place, named_places, places
from webclient.servers.config_file.placeholders import Placeholders
from webclient.servers.config_file.server_config import ServerConfig
from webclient.servers.config_file.snippet import is_snippet, read_snippet

__all__ = [
    "Candidate",
    "Found",
    "Place",
    "ServerConfig",
    "Target",
    "apart",
    "candidates",
    "is_snippet",
    "named_places",
    "places",
    "read_config",
    "read_snippet",
]


def read_config(path: Path, environ: Mapping[str, str]) -> list[ServerConfig]:
    """Return the servers that the file at `path` names, with placeholders replaced from `environ`.

    A wrong entry has its `error`. Raises `ConfigError` when the file itself cannot be used.
    """
    file = read_file(path)
    placeholders = Placeholders(environ, inputs=file.inputs, folder=file.workspace)
    return [read_entry(path, name, entry, placeholders) for name, entry in file.servers.items()]
