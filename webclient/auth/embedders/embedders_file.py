"""The embedders file: names the applications that may embed us. Secrets come from the environment only.

A mistake in it stops the start: a wrong entry could let another site frame the inbox.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from webclient.auth.embedders.embedder import SCOPES, Embedder
from webclient.network import NotHttpsError, check_url
from webclient.settings import ConfigError, checked_origin, read_root

SHORTEST_SECRET = 32
"""Bytes of a secret for HS256 (RFC 7518 section 3.2)."""


def _jwks_url(given: str) -> str:
    try:
        check_url(given)
    except NotHttpsError:
        raise ValueError("write an https address (http:// for this machine only)") from None
    return given


def _scope(given: str) -> str:
    if given not in SCOPES:
        raise ValueError(f"known scopes are {', '.join(sorted(SCOPES))}")
    return given


def _shown_name(given: str) -> str:
    if not given.isprintable() or given != given.strip():
        raise ValueError("a name has printable characters only, and no spaces around it")
    return given


class _Entry(BaseModel):
    """One embedder of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1, max_length=60), AfterValidator(_shown_name)] | None = None
    issuer: Annotated[str, Field(min_length=1, max_length=1000)]
    origins: Annotated[list[Annotated[str, AfterValidator(checked_origin)]], Field(min_length=1, max_length=100)]
    may: Annotated[list[Annotated[str, AfterValidator(_scope)]], Field(min_length=1)] = ["inbox"]
    secret_env: Annotated[str, Field(min_length=1)] | None = None
    jwks_url: Annotated[str, AfterValidator(_jwks_url)] | None = None

    @model_validator(mode="after")
    def _has_one_key(self) -> Self:
        if (self.secret_env is None) is (self.jwks_url is None):
            raise ValueError('give either "secret_env" or "jwks_url"')
        return self


_NAME = r"^[a-z0-9][a-z0-9_-]{0,63}$"


class _File(BaseModel):
    embedders: dict[Annotated[str, Field(pattern=_NAME)], _Entry]


def read_embedders(path: Path, environ: Mapping[str, str]) -> list[Embedder]:
    """Return the embedders that the file at `path` names, with secrets from `environ`. Raises ConfigError."""
    root = read_root(path)
    inner = root.get("embedders")
    try:
        entries = _File.model_validate({"embedders": inner if isinstance(inner, dict) else root}).embedders
    except ValidationError as error:
        raise ConfigError(f"{path}: {_sentence(error)}") from None
    found = [_embedder(path, name, entry, environ) for name, entry in entries.items()]
    issuers = [each.issuer for each in found]
    if twice := next((issuer for issuer in issuers if issuers.count(issuer) > 1), None):
        # A token names its issuer, and that has to say whose key and whose origins count.
        raise ConfigError(f"{path}: Two embedders have the issuer {twice!r}; give each its own.")
    return found


def _embedder(path: Path, name: str, entry: _Entry, environ: Mapping[str, str]) -> Embedder:
    secret = _secret(path, name, entry.secret_env, environ) if entry.secret_env else None
    return Embedder(
        name=name,
        label=entry.name or name,
        issuer=entry.issuer,
        origins=tuple(dict.fromkeys(entry.origins)),
        may=frozenset(entry.may),
        secret=secret,
        jwks_url=entry.jwks_url,
    )


def _secret(path: Path, name: str, variable: str, environ: Mapping[str, str]) -> str:
    secret = environ.get(variable, "")
    if len(secret.encode()) < SHORTEST_SECRET:
        raise ConfigError(
            f"{path}: {name}: The secret in the environment variable {variable} has {len(secret.encode())} bytes, and "
            f"needs {SHORTEST_SECRET} or more. Make one with: openssl rand -hex 32"
        )
    if "-----BEGIN" in secret:
        # Key confusion: everyone who knows a public key could sign with it as a secret.
        raise ConfigError(f"{path}: {name}: {variable} holds a key in PEM format; HS256 needs a random secret.")
    return secret


def _sentence(error: ValidationError) -> str:
    first: Any = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"][1:] if part != "[key]")
    return f"{place}: {first['msg'].removeprefix('Value error, ').rstrip('.')}."
