"""Every setting, in one class; each can also be given in the environment, as `WEBCLIENT_NAME`.

A `Settings` that exists is safe to serve with: what would open the door by accident is refused.
"""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_urlsafe
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from webclient.domain.errors import WebclientError
from webclient.settings.identity import IdentitySettings, Names
from webclient.settings.rules import (
    UNIX,
    checked_host,
    checked_network,
    checked_node_url,
    checked_origin,
    checked_public_url,
    is_loopback,
    read_authorities,
)
from webclient.support.log_lines import LogFormat

Deadline = Annotated[
    Annotated[float, Field(gt=0, le=31_536_000)] | None,
    BeforeValidator(lambda given: None if str(given).strip().lower() in ("", "none", "0", "0.0") else given),
]
"""Seconds, or None for no deadline."""


class SettingsError(WebclientError):
    """A setting is wrong; the message says which, what was seen and what would be right."""


def _default_data_dir() -> Path:
    # XDG Base Directory Specification: a relative XDG_DATA_HOME is to be ignored.
    given = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".local/share") / "mcp-webclient"


def _default_token(before: dict[str, Any]) -> str | None:
    # Where it would sign no browser in, it would only be a secret with all rights that no operator asked for.
    return token_urlsafe(32) if "local" in before.get("identity", []) else None


class Settings(IdentitySettings):
    """The settings, with their meaning and default."""

    model_config = SettingsConfigDict(env_prefix="WEBCLIENT_", frozen=True, hide_input_in_errors=True)

    @classmethod
    def settings_customise_sources(  # type: ignore[override]
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        **_files: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        # Without the sources that look for files, of which there are none: they take as long as these two.
        return init_settings, env_settings

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8765, ge=0, le=65535, description="Port to listen on; 0 picks a free one.")
    unix_socket: Path | None = Field(
        None, description="Unix socket to listen on in place of a port, for a proxy on this machine."
    )
    token: str | None = Field(
        default_factory=_default_token,
        min_length=1,
        repr=False,
        description="Secret that signs a browser in and that scripts send as Bearer; by default new for each "
        "start, and none without --identity local. Prefer WEBCLIENT_TOKEN to the option: other users of the machine "
        "can see command lines.",
    )
    config: Path | None = Field(None, description="An mcp.json that names the MCP servers.")
    models: Path | None = Field(
        None, description="A file that names language models, which may answer when a server asks for one."
    )
    data_dir: Path = Field(
        default_factory=_default_data_dir, description="Folder for everything that must survive a restart."
    )
    database_url: str | None = Field(
        None,
        repr=False,
        description="PostgreSQL database to use in place of a file in the data folder: "
        "postgresql://USER:PASSWORD@HOST:PORT/NAME. Prefer WEBCLIENT_DATABASE_URL to the option: other users of the "
        "machine can see command lines.",
    )
    database_direct_url: str | None = Field(
        None,
        repr=False,
        description="Address of the same database past a pooler in transaction mode, such as PgBouncer, for the one "
        "connection that holds the locks of a process that shares the database, and for commands.",
    )
    database_wait_seconds: float = Field(
        30,
        ge=0,
        le=86_400,
        description="Seconds that the start waits for a database that cannot be reached, or that another process uses.",
    )
    secret_keys: str | None = Field(
        None,
        repr=False,
        description="Keys that seal tokens and header values in the database, in place of a file in the data folder: "
        "NAME:BASE64, with 32 random bytes each. The first seals, all open.",
    )
    public_url: str | None = Field(
        None,
        description="Address at which browsers reach this from other machines, such as https://box.example.com. Its "
        "host is allowed, and signing in to MCP servers leads back to it; it may have a path, such as /inbox.",
    )
    node_url: str | None = Field(
        None,
        description="Address at which other processes reach this one, such as http://10.0.0.5:8765, where several "
        "share the PostgreSQL database behind a balancer.",
    )
    allowed_hosts: Names = Field(
        default=[], description="Host name that browsers may use to reach this, besides localhost."
    )
    one_time_link: bool = Field(
        False, description="Print a sign-in link that works once, instead of one with the token."
    )
    ready_link: bool = Field(
        True,
        description="Print the sign-in link also where standard output is not a terminal, such as in the log of a "
        "container.",
    )
    open_browser: bool | None = Field(
        None, description="Open the link in a browser, where there is one; by default `demo` does, at a terminal."
    )
    sign_in_networks: Names = Field(
        default=[],
        description="Network, such as 10.0.0.0/8, to which any MCP server may lead a sign-in; by default only the "
        "internet, and for a server in a private network that network.",
    )
    server_networks: Names = Field(
        default=[],
        description="Network, such as 10.0.0.0/8, in which MCP servers may be that users add; where there are several "
        "users, by default only the internet.",
    )
    webhook_networks: Names = Field(
        default=[],
        description="Network, such as 10.0.0.0/8, to which webhooks and push messages may go; by default only the "
        "internet.",
    )
    ca_file: Path | None = Field(
        None,
        description="A PEM file with certificate authorities that are trusted beside the system's, by all connections "
        "that this program makes.",
    )
    push_services: Names = Field(
        default=[],
        description="Host of a push service, such as push.example.com, besides those of the known browsers.",
    )
    embed_origins: Names = Field(
        default=[],
        description="Origin, such as https://chat.example.com, whose pages may show this in a frame.",
    )

    beat_seconds: float = Field(
        10,
        ge=0.1,
        description="Seconds after which an idle MCP server is asked whether it is still there; it is shown as silent "
        "after half of them without an answer, and reconnected after twice as many.",
    )

    request_seconds: float = Field(
        30,
        gt=0,
        description="Seconds in which the head of a request to this program, and then its body, must have come in; a "
        "connection that sends nothing is closed after as many.",
    )

    user_idle_minutes: float = Field(
        30,
        gt=0,
        description="Minutes after which the MCP servers of a user are disconnected who has no open page, call or "
        "question; they are connected again when the user comes back. Those of the local user stay connected.",
    )
    connect_seconds: float = Field(
        120,
        gt=0,
        description="Seconds that an MCP server has to start and answer; `npx` and `uvx` load it first. A try that ran "
        "out is repeated twice.",
    )
    page_wait_ms: int = Field(
        200,
        ge=0,
        le=10_000,
        description="Milliseconds that the page of a new call waits for the first question, to show it at once.",
    )
    max_body_bytes: int = Field(1_048_576, gt=0, description="Largest body of a request, in bytes.")
    max_form_fields: int = Field(5000, gt=0, description="Largest number of fields in a posted form.")
    max_sign_in_attempts: int = Field(10, gt=0, description="Wrong tokens that one address may try within a minute.")

    keep_values_days: int = Field(
        30, ge=0, le=36_500, description="Days after which typed and returned values are erased; 0 keeps none."
    )
    keep_history_days: int | None = Field(
        None, gt=0, le=36_500, description="Days after which whole entries of the history are dropped; none by default."
    )

    deadline_push: Deadline = Field(
        3600, description="Seconds that a 2025-11-25 server is kept waiting for an answer; 0 or none is for ever."
    )
    deadline_rounds: Deadline = Field(
        None,
        description="The same for 2026-07-28, and for questions asked as tasks, which wait 30 days at most.",
    )

    undo_seconds: float = Field(
        8,
        ge=0,
        le=60,
        description="Seconds in which declining or cancelling with typed text, or declining several together, "
        "can be undone; 0 for none.",
    )
    undo_approval_seconds: float = Field(
        5,
        ge=0,
        le=60,
        description="Seconds in which approving a question without fields, or alike calls, can be undone; 0 for none.",
    )

    ask_burst: int = Field(250, gt=0, description="Questions that a server may ask at once, besides those you answer.")
    ask_rate: float = Field(1, ge=0, description="Questions that it may ask each second after that.")
    max_pending: int = Field(
        250, gt=0, le=1000, description="Questions of one server that may wait for you; 1000 at most."
    )
    ask_others_burst: int = Field(
        1000, gt=0, description="Questions that one program may ask at once of others than its own user."
    )
    ask_others_rate: float = Field(5, ge=0, description="Questions that it may ask of them each second after that.")
    ask_others_pending: int = Field(20, gt=0, description="Questions of one program that may wait for each of them.")
    max_question_bytes: int = Field(262_144, gt=0, description="Largest question, in bytes of JSON.")
    max_sampling_bytes: int = Field(
        4_194_304, gt=0, description="Largest request for a message from a model, with its images, in bytes of JSON."
    )

    max_message_bytes: int = Field(
        33_554_432, gt=0, description="Largest message from a server, such as a result, in bytes after decompression."
    )
    max_message_values: int = Field(200_000, gt=0, description="Most values (numbers, texts, lists…) in one message.")
    max_greeting_bytes: int = Field(1_048_576, gt=0, description="Largest message before a connection is established.")
    max_error_bytes: int = Field(262_144, gt=0, description="Largest body of an HTTP error response.")
    max_state_bytes: int = Field(
        1_048_576, gt=0, description="Largest `requestState` that is kept while a call waits for you."
    )
    max_catalog_bytes: int = Field(4_194_304, gt=0, description="Largest list of tools, prompts or resources.")
    max_catalog_entries: int = Field(1000, gt=0, description="Most entries of such a list that are shown.")
    max_server_requests: int = Field(
        1000, gt=0, description="Requests of a server that may wait for an answer, besides `max_pending` questions."
    )
    max_messages_per_second: int = Field(
        500, gt=0, description="Messages that are read from one server in a second; the others wait there."
    )

    max_wire_log_bytes: int = Field(
        67_108_864,
        ge=0,
        description="Memory for the newest messages of all MCP servers, which the page Log shows; 0 keeps none.",
    )
    wire_log: Path | None = Field(
        None,
        description="File for all messages between this program and MCP servers, as JSON Lines; values that may be "
        "secrets are masked.",
    )
    max_wire_log_file_bytes: int = Field(
        67_108_864,
        ge=1_048_576,
        description="Largest size of that file, in bytes; it becomes the one older file, FILE.1, and a new one begins.",
    )

    log_format: LogFormat = Field(
        LogFormat.TEXT, description="Write the log as text, or as json without any content: one object for each line."
    )
    metrics_token: str | None = Field(
        None,
        min_length=16,
        repr=False,
        description="Token that opens /metrics to Prometheus, and nothing else; without it there is no /metrics.",
    )

    @property
    def base_path(self) -> str:
        """The path of the public URL, such as /inbox; empty at the root of a host."""
        return urlsplit(self.public_url or "").path

    @property
    def cookie_port(self) -> int:
        """The port in the names of cookies; of the public address where several processes answer there."""
        if self.node_url is None:
            return self.port
        parts = urlsplit(self.public_url or "")
        return parts.port or (443 if parts.scheme == "https" else 80)

    @property
    def runs_demo(self) -> bool:
        """Whether the one person of this machine may run the demo from the page: it listens on this machine only."""
        is_behind_another = self.public_url or self.unix_socket or self.trusted_proxies
        return not self.has_users and not is_behind_another and is_loopback(self.host)

    @field_validator(
        "allowed_hosts",
        "embed_origins",
        "sign_in_networks",
        "server_networks",
        "webhook_networks",
        "push_services",
        mode="before",
    )
    @classmethod
    def _split(cls, given: Any) -> Any:
        return [part.strip() for part in given.split(",") if part.strip()] if isinstance(given, str) else given

    @property
    def own_database_url(self) -> str | None:
        """The address for a command: what it holds, it holds on one connection."""
        return self.database_direct_url or self.database_url

    @field_validator("database_url", "database_direct_url")
    @classmethod
    def _postgresql(cls, given: str | None) -> str | None:
        if given and given.partition("://")[0].lower() not in ("postgresql", "postgres"):
            # The address is not quoted: it may have a password.
            raise ValueError("The database URL must begin with postgresql://; leave it out to use a file.")
        return given or None

    @field_validator("secret_keys")
    @classmethod
    def _given(cls, given: str | None) -> str | None:
        return given or None

    @field_validator("ca_file")
    @classmethod
    def _authorities(cls, given: Path | None) -> Path | None:
        if given is not None:
            read_authorities(given)
        return given

    @field_validator("public_url")
    @classmethod
    def _public(cls, given: str | None) -> str | None:
        return checked_public_url(given) if given else None

    @field_validator("node_url")
    @classmethod
    def _node(cls, given: str | None) -> str | None:
        return checked_node_url(given) if given else None

    @field_validator("allowed_hosts", "push_services")
    @classmethod
    def _hosts(cls, given: list[str]) -> list[str]:
        return [checked_host(name) for name in given]

    @field_validator("sign_in_networks", "server_networks", "webhook_networks")
    @classmethod
    def _proxies(cls, given: list[str]) -> list[str]:
        return [checked_network(address) for address in given]

    @field_validator("embed_origins")
    @classmethod
    def _origins(cls, given: list[str]) -> list[str]:
        return [checked_origin(origin) for origin in given]

    @model_validator(mode="after")
    def _allow_public_host(self) -> Self:
        host = self.public_url and (urlsplit(self.public_url).hostname or "")
        if host and not is_loopback(host) and host not in self.allowed_hosts:
            self.allowed_hosts.append(host)
        return self

    @model_validator(mode="after")
    def _socket_is_for_a_proxy(self) -> Self:
        if (UNIX in self.trusted_proxies) and self.unix_socket is None:
            raise ValueError("--trusted-proxy unix needs the socket that the proxy connects to: --unix-socket PATH.")
        if self.unix_socket and not self.public_url:
            raise ValueError(
                "With --unix-socket browsers come through a proxy: name their address for it with --public-url URL."
            )
        if self.unix_socket and self.auth_header and UNIX not in self.trusted_proxies:
            raise ValueError("With --unix-socket the proxy that names users is --trusted-proxy unix.")
        return self

    @model_validator(mode="after")
    def _nodes_share_what_they_need(self) -> Self:
        if self.node_url is None:
            if self.database_direct_url:
                raise ValueError(
                    "--database-direct-url is for several processes, with --node-url. A process alone needs no pooler: "
                    "name the direct address with --database-url."
                )
            return self
        if self.database_url is None or self.public_url is None:
            raise ValueError("--node-url is for several processes: they need --database-url and --public-url.")
        if not self.secret_keys:
            raise ValueError("With --node-url all processes seal with the same keys: set WEBCLIENT_SECRET_KEYS.")
        if "local" in self.identity and "token" not in self.model_fields_set:
            raise ValueError("With --node-url all processes take the same token: set WEBCLIENT_TOKEN.")
        if self.unix_socket:
            raise ValueError("With --node-url other machines connect to this one: use --port and not --unix-socket.")
        return self

    @model_validator(mode="after")
    def _wire_log_has_values(self) -> Self:
        if self.wire_log and not (self.keep_values_days and self.max_wire_log_bytes):
            raise ValueError(
                "A wire log has the values that pass, and these settings keep none: leave out --wire-log, or set "
                "WEBCLIENT_KEEP_VALUES_DAYS and WEBCLIENT_MAX_WIRE_LOG_BYTES above 0."
            )
        return self

    @model_validator(mode="after")
    def _reachable_only_by_name(self) -> Self:
        if not is_loopback(self.host) and not self.allowed_hosts:
            raise ValueError(
                f"Listening on {self.host or 'every address'} lets other machines reach a program that can start "
                "others on this one. If that is meant, say by which name browsers reach it: --allowed-host NAME; "
                "otherwise leave --host at 127.0.0.1."
            )
        return self


def load_settings(**given: Any) -> Settings:
    """Return the settings from `given` (what is None is left out) and the environment.

    Raises `SettingsError` with one sentence about the first setting that is wrong.
    """
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        raise SettingsError(_sentence(error)) from None


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, ValueError):
        return str(cause)
    name = str(first["loc"][0])
    return f"The setting {name} (WEBCLIENT_{name.upper()}) is wrong: {first['msg']}."
