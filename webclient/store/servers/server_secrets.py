"""The secrets of a server in its row: sealed in a column of their own, while the others have only names.

They are the values of headers and environment, an address with a login or key in it, and secrets of the sign-in.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from sqlalchemy import Row

from webclient.content.masking import public_oauth
from webclient.domain.model import Era, Json, LogLevel, Mode, Root, SamplingRule, Server, known_extensions
from webclient.domain.urls import HIDDEN, mask_url
from webclient.store.database.sealing import LostKeyError, Sealer
from webclient.store.database.tables import servers

OAUTH = "oauth."
"""Begins the names of lost secrets of the sign-in."""

_MAPS = ("headers", "env")


def sealed_columns(server: Server, sealer: Sealer) -> Json:
    """Return the columns `transport`, `oauth` and `secrets` of the server's row."""
    return _sealed(server.transport, server.oauth, sealer, server.user_id, server.id)


def changed_columns(row: Row[Any], server: Server, sealer: Sealer) -> Json:
    """Return those columns for the changed server of a row; what is lost stays, because its key may come back."""
    stored = server_of(row, sealer)
    if server.lost and (stored.transport, stored.oauth, stored.lost) == (server.transport, server.oauth, server.lost):
        return {}
    columns = sealed_columns(server, sealer)
    if server.lost_transport:
        columns["transport"] = row.transport
    columns["oauth"] |= {name.removeprefix(OAUTH): None for name in server.lost_oauth}
    return columns


def server_of(row: Row[Any], sealer: Sealer) -> Server:
    """Return the server of a row, with its secrets; those whose key is lost are named in `lost`."""
    values = {**row._mapping, "era": Era(row.era), "modes": tuple(Mode(mode) for mode in row.modes)}
    values["sampling"] = SamplingRule.from_json(row.sampling)
    values["log_level"] = LogLevel(row.log_level)
    values["followed"] = tuple(row.followed)
    values["extensions_off"] = known_extensions(row.extensions_off)
    values["roots"] = None if row.roots is None else tuple(Root(**each) for each in row.roots)
    opened: Json = {"transport": {}, "oauth": {}}
    if sealed := values.pop("secrets"):
        with suppress(LostKeyError):
            opened = sealer.open(sealed, servers.name, row.user_id, row.id)
    transport, oauth = row.transport | opened["transport"], row.oauth | opened["oauth"]
    lost = [name for each in _MAPS for name, value in (transport.get(each) or {}).items() if value is None]
    lost += [f"{OAUTH}{name}" for name, value in oauth.items() if value is None]
    # The address of a server in the config file is masked in its row, and whole in memory.
    if row.name is None and "url" not in opened["transport"] and HIDDEN in transport.get("url", ""):
        lost.append("url")
    if lost:
        transport = {name: _present(value) if name in _MAPS else value for name, value in transport.items()}
        oauth = _present(oauth)
    return Server(**values | {"transport": transport, "oauth": oauth, "lost": tuple(lost)})


def _sealed(transport: Json, oauth: Json, sealer: Sealer, user_id: str, server_id: str) -> Json:
    public = transport | {name: dict.fromkeys(transport[name]) for name in _MAPS if transport.get(name)}
    if "url" in transport:
        public["url"] = mask_url(transport["url"])
    shown = public_oauth(oauth)
    secret = {
        "transport": {name: value for name, value in transport.items() if public[name] != value},
        "oauth": {name: value for name, value in oauth.items() if name not in shown},
    }
    return {
        "transport": public,
        # The names stay, to say what is missing if the key is lost.
        "oauth": shown | dict.fromkeys(secret["oauth"]),
        "secrets": sealer.seal(secret, servers.name, user_id, server_id) if any(secret.values()) else None,
    }


def _present(values: Json | None) -> Json:
    return {name: value for name, value in (values or {}).items() if value is not None}


def audited_server(server: Server) -> Json:
    """Return what the audit trail tells of a server: its label, its masked address, the names of its headers."""
    transport = server.transport
    shown: Json = {"label": server.label}
    if "url" in transport:
        shown["address"] = mask_url(transport["url"])
    if names := sorted(transport.get("headers") or ()):
        shown["headers"] = names
    return shown


def audited_permissions(server: Server) -> Json:
    """Return what the audit trail tells of the permissions of a server."""
    return {
        "era": server.era.value,
        "modes": [mode.value for mode in server.modes],
        "extensions_off": [each.value for each in server.extensions_off],
        "muted": server.muted_at is not None,
        "roots": None if server.roots is None else [root.uri for root in server.roots],
        "sampling": [f"{name}={value}" for name, value in server.sampling.to_json().items()],
    }
