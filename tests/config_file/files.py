"""Config files of the tests, as they are written and read."""

from __future__ import annotations

import json
from pathlib import Path

from webclient.servers.config_file import ServerConfig, read_config

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
