"""A part of an `mcp.json` that a person pastes into a page: entries of servers, without access to this machine.

Placeholders are not replaced: an address could carry the environment or the files of this machine to its server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json
from webclient.servers.config_file.entry import read_entry
from webclient.servers.config_file.file import LEFT_OUT, servers_in, translated
from webclient.servers.config_file.placeholders import PLACEHOLDER, Expanded, PlaceholderError, Placeholders
from webclient.servers.config_file.server_config import ServerConfig
from webclient.settings import ConfigError, JsoncError, parse_jsonc

LONGEST = 100_000
"""Characters of a snippet."""

MOST_SERVERS = 20
"""Servers of a snippet."""

_NAME = Path("mcp.json")
_OTHER_FORMAT = re.compile(
    r"(^|\s)(\[mcp_servers[.\]]|mcp_servers\s*=|(mcpServers|extensions|mcp_servers|context_servers):(\s|$))"
    r"|^(---|servers:|mcp:)(\s|$)"
)
"""The key of the servers in TOML or YAML, anywhere: other settings and comments may come before it."""

_ENTRY_KEYS = ("url", "serverUrl", "httpUrl", "command")


def is_snippet(text: str) -> bool:
    """Return whether a person pasted JSON where an address was expected; perhaps with a comment before it."""
    return text.lstrip().startswith(("{", '"', "[", "//", "/*")) or _in_another_format(text)


def read_snippet(text: str) -> list[ServerConfig]:
    """Return the servers in a snippet; a wrong entry, or one with a command, has its `error`.

    Takes a whole file, the object of servers, one entry with its name, or one without (its name is "").
    Raises ConfigError.
    """
    if _in_another_format(text):
        # A field of one line has lost the line breaks, on which these formats rest.
        raise ConfigError(
            _("This is TOML or YAML, which cannot be pasted. Paste JSON, or run mcp-webclient import --from FILE.")
        )
    if len(text) > LONGEST:
        raise ConfigError(_("The text is longer than {n} characters.").format(n=LONGEST))
    entries = _entries(_parse(text))
    if not entries:
        raise ConfigError(_("The text names no server. Paste an entry with a “url”, or a whole mcp.json."))
    if len(entries) > MOST_SERVERS:
        raise ConfigError(
            _("The text has {n} servers. Add at most {most} at a time.").format(n=len(entries), most=MOST_SERVERS)
        )
    return [_read(name, entry) for name, entry in entries.items()]


def _in_another_format(text: str) -> bool:
    """Return whether a person pasted the TOML of Codex, or the YAML of Goose, Continue or LibreChat."""
    return not text.lstrip().startswith(("{", '"', "//", "/*")) and bool(_OTHER_FORMAT.search(text.strip()))


class _NoPlaceholders(Placeholders):
    """Refuses placeholders, and reads no files."""

    def __init__(self) -> None:
        super().__init__({}, inputs={}, folder=Path())

    def expand(self, text: str) -> Expanded:
        """Return `text` as it is. Raises PlaceholderError if it has a placeholder."""
        if found := PLACEHOLDER.search(text):
            raise PlaceholderError(
                _("{placeholder} is not replaced here. Write the value itself.").format(placeholder=found[0][:60])
            )
        return Expanded(text, text)


def _read(name: str, entry: Any) -> ServerConfig:
    if isinstance(entry, dict) and entry.get("command") is not None:
        error = _("“{name}” runs a command. Add it to the config file: a web page must not start programs.")
        return ServerConfig(name=name, label=name, transport={}, error=error.format(name=name))
    # A name is needed to read an entry, and the person is asked for it.
    read = read_entry(_NAME, name or "-", entry, _NoPlaceholders())
    return read if name else replace(read, name="", label="")


def _parse(text: str) -> Json:
    try:
        text = text.strip().rstrip(",")
        root = parse_jsonc("{" + text + "}" if text.startswith('"') else text)
    except JsoncError as error:
        raise ConfigError(
            _("The text is not valid JSON: {why} in line {line}.").format(why=error, line=error.line)
        ) from error
    except RecursionError as error:
        raise ConfigError(_("The text is nested too deeply.")) from error
    if not isinstance(root, dict):
        raise ConfigError(_("The text is not an entry of an mcp.json."))
    return root


def _entries(root: Json) -> Mapping[str, Any]:
    for layout, entries in servers_in(root):
        if isinstance(entries, dict):
            read = {name: translated(entry, layout) for name, entry in entries.items()}
            return {name: entry for name, entry in read.items() if entry is not LEFT_OUT}
    if any(key in root for key in _ENTRY_KEYS):
        return {"": root}
    if root and all(isinstance(entry, dict) for entry in root.values()):
        return root
    return {}
