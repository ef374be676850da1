"""Every setting, in one class; each can also be given in the environment, as `WEBCLIENT_NAME`.

A `Settings` that exists is safe to serve with: what would open the door by accident is refused.
"""

from __future__ import annotations

import os
import re
from ipaddress import ip_address, ip_network
from pathlib import Path
from secrets import token_urlsafe
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from webclient.errors import WebclientError
from webclient.i18n import gettext as _

_NAME = re.compile(r"[a-z0-9]([a-z0-9_.-]*[a-z0-9])?", re.ASCII)
_ORIGIN = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9][a-z0-9_.-]*)(?::[0-9]{1,5})?/?", re.ASCII)

Names = Annotated[list[str], NoDecode]
"""A list that is written with commas in the environment."""


Deadline = Annotated[
    Annotated[float, Field(gt=0, le=31_536_000)] | None,
    BeforeValidator(lambda given: None if str(given).strip().lower() in ("", "none", "0", "0.0") else given),
]
"""Seconds, or None for no deadline."""


class SettingsError(WebclientError):
    """A setting is wrong; the message says which, what was seen and what would be right."""


def is_loopback(host: str) -> bool:
    """Whether `host` (a name, or an address without brackets) can only mean this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _default_data_dir() -> Path:
    # XDG Base Directory Specification: a relative XDG_DATA_HOME is to be ignored.
    given = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".local/share") / "mcp-webclient"


class Settings(BaseSettings):
    """What can be set, with what it means and what it is when nothing is said."""

    model_config = SettingsConfigDict(env_prefix="WEBCLIENT_", frozen=True, hide_input_in_errors=True)

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8765, ge=0, le=65535, description="Port to listen on; 0 picks a free one.")
    token: str = Field(
        default_factory=lambda: token_urlsafe(32),
        min_length=1,
        repr=False,
        description="Secret that signs a browser in and that scripts send as Bearer; by default new for each "
        "start. Prefer WEBCLIENT_TOKEN to the option: other users of the machine can see command lines.",
    )
    config: Path | None = Field(None, description="An mcp.json that names the MCP servers.")
    data_dir: Path = Field(
        default_factory=_default_data_dir, description="Folder for everything that must survive a restart."
    )
    allowed_hosts: Names = Field(
        default=[], description="Host name that browsers may use to reach this, besides localhost."
    )
    one_time_link: bool = Field(
        False, description="Print a sign-in link that works once, instead of one with the token."
    )
    trusted_proxies: Names = Field(
        default=[],
        description="Address or network of a proxy in front of this, whose X-Forwarded-For and X-Forwarded-Proto are "
        "believed; none by default.",
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

    connect_seconds: float = Field(
        120,
        gt=0,
        description="Seconds that an MCP server has to start and answer; `npx` and `uvx` load it first. A try that ran "
        "out is repeated twice.",
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
    deadline_rounds: Deadline = Field(None, description="The same for 2026-07-28.")

    ask_burst: int = Field(250, gt=0, description="Questions that a server may ask at once, besides those you answer.")
    ask_rate: float = Field(1, ge=0, description="Questions that it may ask each second after that.")
    max_pending: int = Field(
        250, gt=0, le=1000, description="Questions of one server that may wait for you; 1000 at most."
    )
    max_question_bytes: int = Field(262_144, gt=0, description="Largest question, in bytes of JSON.")

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

    @field_validator("allowed_hosts", "embed_origins", "trusted_proxies", mode="before")
    @classmethod
    def _split(cls, given: Any) -> Any:
        return [part.strip() for part in given.split(",") if part.strip()] if isinstance(given, str) else given

    @field_validator("allowed_hosts")
    @classmethod
    def _hosts(cls, given: list[str]) -> list[str]:
        return [_host(name) for name in given]

    @field_validator("trusted_proxies")
    @classmethod
    def _proxies(cls, given: list[str]) -> list[str]:
        return [_network(address) for address in given]

    @field_validator("embed_origins")
    @classmethod
    def _origins(cls, given: list[str]) -> list[str]:
        return [_origin(origin) for origin in given]

    @model_validator(mode="after")
    def _reachable_only_by_name(self) -> Self:
        if not is_loopback(self.host) and not self.allowed_hosts:
            raise ValueError(
                _(
                    "Listening on {host} lets other machines reach a program that can start others on this "
                    "one. If that is meant, say by which name browsers reach it: --allowed-host NAME; "
                    "otherwise leave --host at 127.0.0.1."
                ).format(host=self.host or _("every address"))
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
    return _("The setting {name} (WEBCLIENT_{variable}) is wrong: {why}.").format(
        name=name, variable=name.upper(), why=first["msg"]
    )


def _host(given: str) -> str:
    name = given.lower().removeprefix("[").removesuffix("]")
    try:
        return str(ip_address(name))
    except ValueError:
        pass
    # A wildcard would let a name that someone else controls through, which is what the list is there to stop.
    if not _NAME.fullmatch(name):
        raise ValueError(
            _(
                "The allowed host {given!r} is not a name: write one host without scheme, port or *, such as "
                "box.example.com."
            ).format(given=given)
        )
    return name


def _network(given: str) -> str:
    try:
        return str(ip_network(given))
    except ValueError:
        # No "*": everybody could then name the address that wrong tokens are counted for.
        raise ValueError(
            _(
                "The trusted proxy {given!r} is not an address: write the IP address of the proxy, such as 127.0.0.1, "
                "or its network, such as 10.0.0.0/8."
            ).format(given=given)
        ) from None


def _origin(given: str) -> str:
    # It becomes part of a response header: the pattern leaves no room for a second directive.
    found = _ORIGIN.fullmatch(given.lower())
    if found is None or not (found[1] == "https" or is_loopback(found[2].strip("[]"))):
        raise ValueError(
            _(
                "The embed origin {given!r} may not frame this: write https://, a host and nothing "
                "after it, such as https://chat.example.com (http:// for this machine only)."
            ).format(given=given)
        )
    return found[0].removesuffix("/")
