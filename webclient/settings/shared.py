"""The settings that processes on one database have in common, as digests: they can be compared, and say nothing else.

Secrets are left out. Of a file that is named by a setting, the content counts, and not where it is. As a file may have
secrets, a digest is made with the key that seals the database: who reads only the database cannot try values.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
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
    """Return digests of the settings that are not as by default, by their variables.

    Each begins with the name of the key with which it was made.
    """
    key_name, _colon, key = (settings.secret_keys or "").partition(",")[0].partition(":")
    found = {}
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if name not in OWN and field.repr and value != field.get_default(call_default_factory=False):
            text = _content(value) if name in _FILES else _text(settings, name)
            digest = hmac.digest(key.encode(), text, "sha256").hex()[:LENGTH]
            found[f"WEBCLIENT_{name.upper()}"] = f"{key_name.strip()}:{digest}"
    return found


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> frozenset[str]:
    """Return the names whose digests are not the same in both; those with different keys cannot be compared."""
    return frozenset(name for name in one.keys() | other.keys() if _differ(one.get(name), other.get(name)))


def _differ(one: str | None, other: str | None) -> bool:
    return one != other and (one is None or other is None or _key_of(one) == _key_of(other))


def _key_of(digest: str) -> str:
    return digest.rpartition(":")[0]


def _text(settings: Settings, name: str) -> bytes:
    return json.dumps(settings.model_dump(mode="json", include={name}), sort_keys=True).encode()


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
