"""Every setting of this program: what it may be, and where it comes from."""

from __future__ import annotations

from webclient.settings.assertions import AssertionKind
from webclient.settings.documents import ConfigError, JsoncError, kind_of, parse_jsonc, read_root
from webclient.settings.rules import DISCOVERY, UNIX, checked_origin, is_loopback, read_authorities
from webclient.settings.settings import Settings, SettingsError, load_settings
from webclient.settings.shared import differing, digests_of

__all__ = [
    "DISCOVERY",
    "UNIX",
    "AssertionKind",
    "ConfigError",
    "JsoncError",
    "Settings",
    "SettingsError",
    "checked_origin",
    "differing",
    "digests_of",
    "is_loopback",
    "kind_of",
    "load_settings",
    "parse_jsonc",
    "read_authorities",
    "read_root",
]
