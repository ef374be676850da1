"""The settings that processes on one database have in common, as digests: they can be compared, and say nothing else.

Secrets are left out. Of a file that is named by a setting, the content counts, and not where it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from webclient.settings.settings import Settings

OWN = frozenset(
    {
        "host",
        "port",
        "unix_socket",
        "data_dir",
        "database_wait_seconds",
        "node_url",
        "wire_log",
        "max_wire_log_file_bytes",
        "ca_file",
        "log_format",
        "ready_link",
        "one_time_link",
        "open_browser",
        "trusted_proxies",
    }
)
"""The settings that each process may have for itself."""

_FILES = frozenset({"config", "embedders", "models"})

LENGTH = 16
"""Characters of a digest."""


def digests_of(settings: Settings) -> dict[str, str]:
    """Return digests of the settings that are not as by default, by their variables."""
    found = {}
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if name not in OWN and field.repr and value != field.get_default(call_default_factory=False):
            text = _content(value) if name in _FILES else _text(settings, name)
            found[f"WEBCLIENT_{name.upper()}"] = sha256(text).hexdigest()[:LENGTH]
    return found


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> frozenset[str]:
    """Return the names whose digests are not the same in both."""
    return frozenset(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def _text(settings: Settings, name: str) -> bytes:
    return json.dumps(settings.model_dump(mode="json", include={name}), sort_keys=True).encode()


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
