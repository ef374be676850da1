"""The server of a user that an entry of the config file makes, and whether a changed entry takes a new connection."""

from __future__ import annotations

from dataclasses import dataclass, replace

from webclient.domain.errors import InvalidInputError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Era, Json, Reason, ReasonCode, Root, Server
from webclient.servers.config_file import ServerConfig
from webclient.servers.connections.sign_in_settings import checked_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """The server of an entry as it is stored, its whole `transport`, and why it cannot be used, if so."""

    server: Server
    transport: Json
    wrong: Reason | None


def configured_server(user_id: str, config: ServerConfig, stored: Server | None) -> Configured:
    """Return the user's server for this entry; what its user has chosen in the page stays as it is `stored`."""
    oauth, error = _checked_oauth(config)
    # `env`, `headers` and variables of the file are mostly secrets; they stay out of the database.
    public = config.shown | (_found(stored) if stored and _is_same_address(config.shown, stored.transport) else {})
    if stored is None:
        server = Server(
            user_id=user_id,
            name=config.name,
            label=config.label,
            transport=public,
            era=config.era,
            oauth=oauth,
            roots=config.roots,
        )
    else:
        server = replace(
            stored,
            label=config.label,
            transport=public,
            era=_era(config, stored),
            oauth=oauth,
            roots=_roots(config, stored),
            learned=stored.learned if stored.transport == public else {},
            lost=(),
        )
    wrong = Reason.of(ReasonCode.CONFIG_INVALID, error=error) if error else None
    return Configured(server=server, transport=config.transport | _found(server), wrong=wrong)


def error_of(config: ServerConfig) -> str | None:
    """Return the sentence that says why the entry cannot be used; None for one that can."""
    return _checked_oauth(config)[1]


def is_other_connection(before: ServerConfig, after: ServerConfig) -> bool:
    """Return whether the changed entry takes a new connection or sign-in."""
    return (before.transport, before.oauth, before.error) != (after.transport, after.oauth, after.error)


def _checked_oauth(config: ServerConfig) -> tuple[Json, str | None]:
    """Return the valid settings of the sign-in, and why the server cannot be used, if so."""
    error = config.error
    try:
        settings = checked_settings(config.oauth, stored=config.oauth)
    except InvalidInputError as invalid:
        settings, (name, wrong) = {}, next(iter(invalid.errors.items()))
        error = error or _('Server "{name}", sign-in setting "{key}": {wrong}').format(
            name=config.name, key=name, wrong=wrong
        )
    return settings, error


def _found(server: Server) -> Json:
    """Return the detected type of the transport, if the user chose none."""
    return {"type": server.transport["type"]} if "detect" in server.transport else {}


def _is_same_address(new: Json, old: Json) -> bool:
    return "detect" in new and new.get("url") == old.get("url")


def _roots(config: ServerConfig, stored: Server) -> tuple[Root, ...] | None:
    # Folders of this machine come from the file alone, also those that it names no more.
    is_local = "command" in config.transport
    return stored.roots if config.roots is None and not is_local else config.roots


def _era(config: ServerConfig, stored: Server) -> Era:
    # The era that a person chose in the page outlives a restart, unless the file names one.
    return stored.era if config.era is Era.AUTO else config.era
