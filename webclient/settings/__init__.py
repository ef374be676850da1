"""Every setting of this program: what it may be, and where it comes from."""

from __future__ import annotations

from webclient.settings import jsonc
from webclient.settings.assertions import AssertionKind
from webclient.settings.documents import ConfigError, kind_of, read_root
from webclient.settings.rules import DISCOVERY, UNIX, checked_origin, is_loopback, read_authorities
from webclient.settings.settings import Settings, SettingsError, load_settings

__all__ = [
    "DISCOVERY",
    "UNIX",
    "AssertionKind",
    "ConfigError",
    "Settings",
    "SettingsError",
    "checked_origin",
    "is_loopback",
    "jsonc",
    "kind_of",
    "load_settings",
    "read_authorities",
    "read_root",
]
