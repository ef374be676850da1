"""The models file: names the language models, where they run, and the environment variables with their keys.

Keys come from the environment only, so the file can be shown and shared. A mistake in it stops the start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from webclient.domain.model import Json
from webclient.domain.transport_rules import wrong_header
from webclient.sampling.llm.chat_request import Accepts
from webclient.sampling.llm.info import ModelInfo, Prices
from webclient.sampling.llm.openai_model import OpenAIModel
from webclient.sampling.llm.provider import ModelProvider, host_of
from webclient.sampling.llm.scripted import Reply, ScriptedModel
from webclient.sampling.llm.service import Model
from webclient.settings import ConfigError, read_root

Share = Annotated[float, Field(ge=0, le=1)]
Price = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True)


class _Prices(_Entry):
    input: Price
    output: Price
    currency: Annotated[str, Field(min_length=1, max_length=8)] = "USD"


class _Use(_Entry):
    tool: Name
    input: Json = {}


class _Reply(_Entry):
    """One answer of a script; see `Reply`."""

    text: str = ""
    uses: Sequence[_Use] = ()
    tool: str | None = None
    turn: int | None = None
    says: str | None = None
    pause: Annotated[float, Field(ge=0, le=60)] = 0

    def read(self) -> Reply:
        return Reply(
            text=self.text,
            uses=[(use.tool, use.input) for use in self.uses],
            tool=self.tool,
            turn=self.turn,
            says=self.says,
            pause=self.pause,
        )


def _base_url(given: str) -> str:
    parts = urlsplit(given)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("write an address such as https://api.openai.com/v1")
    if parts.username or parts.password or parts.query:
        raise ValueError("the address must not contain a password or a query: they could be shown")
    return given


class _Model(_Entry):
    """One model of the file."""

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    model: Name
    label: Name | None = None
    base_url: Annotated[str, AfterValidator(_base_url)] | None = None
    api_key_env: Name | None = None
    allow_http: bool = False
    intelligence: Share = 0.5
    speed: Share = 0.5
    cost: Share = 0.5
    prices: _Prices | None = None
    stands_for: Sequence[Name] = ()
    omit: frozenset[Literal["temperature", "stop", "tool_choice", "stream_options"]] = frozenset()
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    stream: bool = True
    images: bool = True
    audio: bool = False
    silence_seconds: Annotated[float, Field(gt=0, le=3600)] = 300
    script: Sequence[_Reply] = ()

    @model_validator(mode="after")
    def _has_one_place(self) -> Self:
        if (self.base_url is None) is not bool(self.script):
            raise ValueError('give either "baseUrl" or "script"')
        url = urlsplit(self.base_url or "")
        if self.api_key_env and url.scheme == "http" and not self.allow_http and not _is_this_machine(url.hostname):
            raise ValueError(
                "the key would be sent over http, where others can read it: use https, or, within a network that you "
                'trust, set "allowHttp" to true'
            )
        return self

    def read(self, environ: Mapping[str, str], ca_file: Path | None) -> Model:
        """Return the model that the entry describes, with its key from `environ`."""
        info = ModelInfo(
            id=self.id,
            label=self.label or self.model,
            name=self.model,
            host=host_of(self.base_url) if self.base_url else "",
            intelligence=self.intelligence,
            speed=self.speed,
            cost=self.cost,
            prices=Prices(**self.prices.model_dump()) if self.prices else None,
            stands_for=tuple(self.stands_for),
        )
        if self.base_url is None:
            return ScriptedModel(info, [reply.read() for reply in self.script])
        return OpenAIModel(info, self._provider(self.base_url, environ, ca_file))

    def wrong_key(self, environ: Mapping[str, str]) -> str | None:
        """Return a sentence about a key that cannot be sent, without the key; None if there is nothing wrong."""
        if key := self._key(environ):
            return wrong_header({"Authorization": f"Bearer {key}"})
        return None

    def _key(self, environ: Mapping[str, str]) -> str | None:
        # A key that was read from a file may end with a line break.
        return environ.get(self.api_key_env, "").strip() if self.api_key_env else None

    def _provider(self, url: str, environ: Mapping[str, str], ca_file: Path | None) -> ModelProvider:
        return ModelProvider(
            url=url,
            key=self._key(environ),
            key_variable=self.api_key_env,
            omit=frozenset(self.omit),
            limit=self.limit,
            streams=self.stream,
            accepts=Accepts(images=self.images, audio=self.audio),
            seconds=self.silence_seconds,
            ca_file=ca_file,
        )


class _File(_Entry):
    models: Annotated[Sequence[_Model], Field(max_length=100)]

    @model_validator(mode="after")
    def _ids_differ(self) -> Self:
        ids = [model.id for model in self.models]
        if repeated := next((each for each in ids if ids.count(each) > 1), None):
            raise ValueError(f'the id "{repeated}" is used twice')
        return self


def read_models(path: Path, environ: Mapping[str, str], ca_file: Path | None = None) -> list[Model]:
    """Return the models that the file at `path` names; a key that is not set is missed when its model runs.

    `ca_file` is that of the settings.
    Raises `ConfigError` for the first mistake, without a value that could be a secret.
    """
    try:
        file = _File.model_validate(read_root(path))
    except ValidationError as error:
        raise ConfigError(_sentence(path, error)) from None
    for number, model in enumerate(file.models):
        if wrong := model.wrong_key(environ):
            raise ConfigError(f"{path}: models[{number}].apiKeyEnv: {wrong}")
    return [model.read(environ, ca_file) for model in file.models]


def _sentence(path: Path, error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    cause: Any = first.get("ctx", {}).get("error")
    why = str(cause) if isinstance(cause, ValueError) else first["msg"]
    return f"{path}: {_place(first['loc'])}: {why}."


def _place(keys: Sequence[str | int]) -> str:
    """Return the place in the file, such as `models[0].baseUrl`."""
    place = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
    return place.removeprefix(".") or "models"


def _is_this_machine(host: str | None) -> bool:
    try:
        return ip_address(host or "").is_loopback
    except ValueError:
        return host == "localhost"
