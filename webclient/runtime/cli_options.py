"""The options of `serve` and `demo`, by setting, in the groups in which help shows them."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from webclient.settings import AssertionKind, Settings
from webclient.support.log_lines import LogFormat

DATA_DIR = "~/.local/share/mcp-webclient"
"""The default of --data-dir, as help shows it."""

FIRST = "Options"
"""The group for most people, which help shows before the others."""

EMBEDDING = "Embedding"
USERS = "Several users"
PROXY = "Behind a proxy"
OPENID = "OpenID provider"
NETWORK = "Network"
STORAGE = "Storage and logs"


class Option(NamedTuple):
    """An option: its group, its type, and its name if that is not the name of the setting with hyphens."""

    group: str
    type: Any
    name: str = ""


OPTIONS: Mapping[str, Option] = {
    "config": Option(FIRST, Path | None),
    "host": Option(FIRST, str | None),
    "port": Option(FIRST, int | None),
    "open_browser": Option(FIRST, bool | None, "--open/--no-open"),
    "token": Option(FIRST, str | None),
    "one_time_link": Option(FIRST, bool | None),
    "data_dir": Option(FIRST, Path | None),
    "public_url": Option(FIRST, str | None),
    "allowed_hosts": Option(FIRST, list[str] | None, "--allowed-host"),
    "models": Option(FIRST, Path | None),
    "embedders": Option(EMBEDDING, Path | None),
    "embed_origins": Option(EMBEDDING, list[str] | None, "--embed-origin"),
    "identity": Option(USERS, list[str] | None),
    "admins": Option(USERS, list[str] | None, "--admin"),
    "server_networks": Option(USERS, list[str] | None, "--server-network"),
    "unix_socket": Option(PROXY, Path | None),
    "trusted_proxies": Option(PROXY, list[str] | None, "--trusted-proxy"),
    "auth_header": Option(PROXY, str | None),
    "auth_jwt": Option(PROXY, AssertionKind | None),
    "auth_audience": Option(PROXY, str | None),
    "auth_issuer": Option(PROXY, str | None),
    "auth_signer": Option(PROXY, str | None),
    "auth_keys": Option(PROXY, str | None),
    "oidc_issuer": Option(OPENID, str | None),
    "oidc_client_id": Option(OPENID, str | None),
    "oidc_client_secret_file": Option(OPENID, Path | None),
    "oidc_roles_claim": Option(OPENID, str | None),
    "oidc_admin_groups": Option(OPENID, list[str] | None, "--oidc-admin-group"),
    "oidc_allowed_groups": Option(OPENID, list[str] | None, "--oidc-allow-group"),
    "oidc_allowed_domains": Option(OPENID, list[str] | None, "--oidc-allow-domain"),
    "oidc_agent_scope": Option(OPENID, str | None),
    "oidc_agent_names": Option(OPENID, list[str] | None, "--oidc-agent-name"),
    "ca_file": Option(NETWORK, Path | None),
    "database_url": Option(STORAGE, str | None),
    "database_direct_url": Option(STORAGE, str | None),
    "node_url": Option(STORAGE, str | None),
    "wire_log": Option(STORAGE, Path | None),
    "log_format": Option(STORAGE, LogFormat | None),
}
"""The options by their setting, as help lists them."""


_METAVARS = {
    Path | None: "PATH",
    str | None: "TEXT",
    int | None: "N",
    list[str] | None: "TEXT",
    AssertionKind | None: "NAME",
}
"""Short words, as the names of variables beside them need the width of a terminal."""


def signature(defaults: Mapping[str, str], *, first_only: bool = False) -> Signature:
    """Return the parameters of a command with all options; each is None if it is not given.

    Help shows `defaults` in place of those of the settings; with `first_only` it hides the groups after the first.
    """
    return Signature(
        [
            Parameter(
                setting,
                Parameter.KEYWORD_ONLY,
                default=None,
                annotation=Annotated[
                    option.type,
                    typer.Option(
                        option.name or f"--{setting.replace('_', '-')}",
                        help=_help(setting, defaults.get(setting)),
                        show_default=False,
                        metavar=_METAVARS.get(option.type),
                        rich_help_panel=option.group,
                        hidden=first_only and option.group != FIRST,
                    ),
                ],
            )
            for setting, option in OPTIONS.items()
        ]
    )


def _help(setting: str, default: str | None = None) -> str:
    field = Settings.model_fields[setting]
    shown = default or (field.default if isinstance(field.default, (str, int)) else "")
    # Typer itself reads no variable: the settings do, which know lists with commas. A bracket alone would be markup.
    notes = [f"env var: WEBCLIENT_{setting.upper()}", *([f"default: {shown}"] if shown else [])]
    notes += ["repeatable"] if OPTIONS[setting].type == list[str] | None else []
    return f"{field.description} [dim]\\[{'; '.join(notes)}][/dim]"


DataDir = Annotated[Path | None, typer.Option("--data-dir", help=_help("data_dir", DATA_DIR), show_default=False)]
DatabaseURL = Annotated[str | None, typer.Option("--database-url", help=_help("database_url"), show_default=False)]
