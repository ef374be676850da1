"""One entry of a config file, as several programs write it, read into a `ServerConfig`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Never

from dotenv import dotenv_values

from webclient.content.masking import mask_arguments, public_transport
from webclient.domain.i18n import Deferred, listed
from webclient.domain.model import Era, Json, Root
from webclient.domain.root_rules import WrongRootError, checked_roots
from webclient.domain.transport_rules import wrong_header
from webclient.domain.urls import is_http_url
from webclient.servers.config_file.placeholders import Expanded, PlaceholderError, Placeholders, as_named
from webclient.servers.config_file.server_config import ServerConfig
from webclient.settings import kind_of

_TYPES = {"http": "http", "streamable-http": "http", "streamablehttp": "http", "sse": "sse", "stdio": "stdio"} | {
    "local": "stdio"  # Copilot CLI
}
_TYPE_KEYS = ("type", "transport", "transportType")
_URL_KEYS = ("url", "serverUrl", "httpUrl")
"""VS Code, Cursor and Cline write `url`, Windsurf `serverUrl`, Gemini CLI `httpUrl` for streamable HTTP."""

_MISSPELT = {
    **dict.fromkeys(("cmd", "Command", "commands", "executable", "program"), "command"),
    **dict.fromkeys(("URL", "Url", "uri", "address", "endpoint", "link"), "url"),
}
"""Keys that people write for the two that an entry may have."""

_OF_STDIO = frozenset({"command", "args", "env", "envFile", "cwd"})
_OF_HTTP = frozenset({*_URL_KEYS, "headers", "oauth"})
_OF_BOTH = frozenset({*_TYPE_KEYS, "label", "era", "roots", "users", "disabled", "enabled"})
_SAYS_NOTHING = frozenset(
    {"$schema", "name", "displayName", "display_name", "title", "description", "version", "homepage", "tags"}
    | {"icon", "iconPath", "faviconUrl", "source", "gallery", "bundled"}
)
"""Keys that describe a server, or say where its entry comes from."""

_OAUTH_OF_OTHERS = frozenset(
    {"callbackPort", "callbackHost", "redirectUri", "redirect_uri", "authServerMetadataUrl", "registrationUrl"}
    | {"authorizationUrl", "authorization_url", "tokenUrl", "token_url", "audiences", "enabled", "tokenParamName"}
    | {"grant_types_supported", "response_types_supported", "code_challenge_methods_supported", "token_exchange_method"}
    | {"token_endpoint_auth_methods_supported", "skip_code_challenge_check", "revocation_endpoint"}
    | {"revocation_endpoint_auth_methods_supported"}
)
"""Settings of a sign-in in Claude Code, Gemini CLI, OpenCode and LibreChat; the server says most of them."""

_EVERY_TOOL = ["*"]
"""Copilot CLI's `tools` when nothing is left out."""

_UNNAMED = "unnamed"


class _WrongError(Exception):
    """The entry is wrong; the message is a sentence about it."""


def read_entry(path: Path, name: str, given: Any, placeholders: Placeholders) -> ServerConfig:
    """Return the server that an entry of the file at `path` describes; with its `error` if it cannot be used."""
    name = name or _UNNAMED
    try:
        return _Entry(name, given, placeholders).read()
    except _WrongError as wrong:
        error = Deferred('{path}: server "{name}": {wrong}', path=path, name=name, wrong=wrong)
        return ServerConfig(name=name, label=name, transport={}, shown=_as_written(given), error=error)


def _without_target(given: Json) -> Deferred:
    """Return the sentence on an entry that names neither a command nor an address."""
    key, meant = next(((key, meant) for key, meant in _MISSPELT.items() if key in given), ("", ""))
    if key:
        return Deferred('The entry has "{key}". Did you mean "{meant}"?', key=key, meant=meant)
    return Deferred('The entry has neither "command" nor "url". Give exactly one of them.')


class _Entry:
    """The entry while it is read; each value is read as it is used, and as it may be shown."""

    def __init__(self, name: str, given: Any, placeholders: Placeholders) -> None:
        self._name = name
        self._placeholders = placeholders
        if not isinstance(given, dict):
            _fail(Deferred("The entry must be an object; it is of the type {seen}.", seen=kind_of(given)))
        # Programs write null for what is not set.
        self._given: Json = {key: value for key, value in given.items() if value is not None}

    def read(self) -> ServerConfig:
        transport, shown = self._stdio() if self._is_stdio() else self._http()
        return ServerConfig(
            name=self._name,
            label=self._optional("label").value or self._name,
            transport=transport,
            shown=shown,
            era=self._era(),
            oauth=self._oauth(),
            roots=self._roots(),
            enabled=self._enabled(),
            users=self._users(),
            unused=tuple(self._unused()),
        )

    def _unused(self) -> Iterator[str]:
        """Yield the keys that have no effect here, without those that have none in their program either."""
        known = _OF_BOTH | _SAYS_NOTHING | (_OF_STDIO if self._is_stdio() else _OF_HTTP)
        yield from (key for key, value in self._given.items() if value and value != _EVERY_TOOL and key not in known)
        if not self._is_stdio():
            oauth = self._given.get("oauth", {})
            yield from (
                f"oauth.{key}" for key, value in oauth.items() if value and key in _OAUTH_OF_OTHERS and key != "enabled"
            )

    def _is_stdio(self) -> bool:
        is_command, is_url = "command" in self._given, any(key in self._given for key in _URL_KEYS)
        if is_command and is_url:
            _fail(Deferred('The entry has both "command" and "url". Give exactly one of them.'))
        if not is_command and not is_url:
            _fail(_without_target(self._given))
        return is_command

    def _stdio(self) -> tuple[Json, Json]:
        self._type(allowed=("stdio",), key="command")
        command, cwd, args = self._text("command"), self._optional("cwd"), self._arguments()
        env = {**self._env_file(), **self._mapping("env")}
        if any("=" in name or not name for name in env):
            _fail(Deferred('"env" contains a name that is empty or has "=" in it.'))
        if any("\0" in each for each in (command.value, cwd.value, *(arg.value for arg in args), *env, *env.values())):
            _fail(Deferred("The entry contains the character NUL, which no command can be given."))
        used = {"command": command.value, "args": [each.value for each in args], "env": env, "cwd": cwd.value or None}
        shown = {
            "command": command.shown,
            "args": mask_arguments([each.shown for each in args]),
            "cwd": cwd.shown or None,
        }
        return {"type": "stdio", **used}, {"type": "stdio", **shown}

    def _http(self) -> tuple[Json, Json]:
        key = next(key for key in _URL_KEYS if key in self._given)
        kind = self._type(allowed=("http", "sse"), key=key) or ("http" if key == "httpUrl" else None)
        url, headers = self._text(key), self._mapping("headers")
        if not is_http_url(url.value):
            # The address itself is not repeated: a variable may have put a secret into it.
            _fail(
                Deferred('"{key}" must be an address that starts with http:// or https:// and names a host.', key=key)
            )
        if wrong := wrong_header(headers):
            _fail(wrong)
        found: Json = {"type": kind} if kind else {"type": "http", "detect": True}
        return {**found, "url": url.value, "headers": headers}, public_transport({**found, "url": url.shown})

    def _type(self, *, allowed: tuple[str, ...], key: str) -> str | None:
        written = next(((name, self._given[name]) for name in _TYPE_KEYS if name in self._given), None)
        if written is None:
            return None
        name, given = written
        kind = _TYPES.get(given.strip().lower().replace("_", "-")) if isinstance(given, str) else None
        if kind is None:
            _fail(
                Deferred(
                    '"{name}" is {given}. Use one of http, streamable-http, sse, stdio.',
                    name=name,
                    given=_quoted(given),
                )
            )
        if kind not in allowed:
            _fail(
                Deferred(
                    '"{name}" is {given}, which does not go with "{key}".', name=name, given=_quoted(given), key=key
                )
            )
        return kind

    def _era(self) -> Era:
        given = self._given.get("era", Era.AUTO)
        try:
            return Era(given)
        except ValueError:
            _fail(Deferred('"era" is {given}. Use one of {known}.', given=_quoted(given), known=listed(Era)))

    def _oauth(self) -> Json:
        given = self._given.get("oauth", {})
        if not isinstance(given, dict):
            _fail(Deferred('"{key}" must be an object.', key="oauth"))
        scopes = given.get("scopes")
        known = {name: value for name, value in given.items() if name not in {*_OAUTH_OF_OTHERS, "scopes"}}
        if isinstance(scopes, list) and all(isinstance(each, str) for each in scopes):
            known.setdefault("scope", " ".join(scopes))
        settings = {name: self._expanded("oauth", value) for name, value in known.items()}
        if isinstance(file := settings.get("assertion_file"), str) and file:
            settings["assertion_file"] = str(self._placeholders.folder / Path(file).expanduser())
        return settings

    def _expanded(self, key: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._expanded(key, each) for name, each in value.items()}
        return self._expand(key, value).value if isinstance(value, str) else value

    def _roots(self) -> tuple[Root, ...] | None:
        given = self._given.get("roots")
        if given is None:
            return None
        if not isinstance(given, list):
            _fail(Deferred('"roots" must be a list of folders.'))
        try:
            return checked_roots(self._root(each) for each in given)
        except WrongRootError as error:
            _fail(Deferred('"{key}": {wrong}', key="roots", wrong=error.message))

    def _root(self, given: Any) -> Root:
        written = {"uri": given} if isinstance(given, str) else given
        if not isinstance(written, dict) or not isinstance(written.get("uri"), str):
            _fail(Deferred('"roots" must be a list of paths, or of objects with "uri" and "name".'))
        if not isinstance(name := written.get("name") or "", str):
            _fail(Deferred('"roots": the name of a folder must be a string.'))
        path = self._expand("roots", written["uri"]).value
        # As a shell would, for the user as whom this program runs.
        path = str(Path(path).expanduser()) if path.startswith("~") else path
        return Root(uri=path, name=self._expand("roots", name).value)

    def _users(self) -> frozenset[str] | None:
        given = self._given.get("users")
        if given is None:
            return None
        if not isinstance(given, list) or not all(isinstance(each, str) and each for each in given):
            _fail(Deferred('"users" must be a list of subjects or e-mail addresses.'))
        # E-mail addresses are compared in lower case.
        return frozenset(given) | {each.lower() for each in given if "@" in each}

    def _enabled(self) -> bool:
        for key, meaning in (("disabled", False), ("enabled", True)):
            given = self._given.get(key)
            if given is not None and not isinstance(given, bool):
                _fail(Deferred('"{key}" must be true or false.', key=key))
            if given is not None:
                return given is meaning
        return True

    def _env_file(self) -> dict[str, str]:
        """Read what `envFile` names, as VS Code and Cursor have it; `env` wins over it."""
        name = self._optional("envFile").value
        if not name:
            return {}
        path = self._placeholders.folder / Path(name).expanduser()
        if not path.is_file():
            _fail(Deferred('"envFile" names {path}, which is not a file.', path=path))
        try:
            return {name: value for name, value in dotenv_values(path, interpolate=False).items() if value is not None}
        except (OSError, ValueError):
            _fail(Deferred('"envFile" names {path}, which cannot be read.', path=path))

    def _text(self, key: str) -> Expanded:
        found = self._optional(key)
        if not found.value:
            _fail(Deferred('"{key}" must be a string that is not empty.', key=key))
        return found

    def _optional(self, key: str) -> Expanded:
        given = self._given.get(key, "")
        if not isinstance(given, str):
            _fail(Deferred('"{key}" must be a string that is not empty.', key=key))
        return self._expand(key, given)

    def _arguments(self) -> list[Expanded]:
        given = self._given.get("args", [])
        if not isinstance(given, list) or not all(isinstance(each, str | int | float) for each in given):
            _fail(Deferred('"args" must be a list of strings.'))
        return [self._expand("args", _as_text(each)) for each in given]

    def _mapping(self, key: str) -> dict[str, str]:
        given = self._given.get(key, {})
        if not isinstance(given, dict) or not all(
            isinstance(each, str | int | float | None) for each in given.values()
        ):
            _fail(Deferred('"{key}" must be an object whose values are strings.', key=key))
        set_ = {name: each for name, each in given.items() if each is not None}
        return {name: self._expand(key, _as_text(each)).value for name, each in set_.items()}

    def _expand(self, key: str, text: str) -> Expanded:
        try:
            return self._placeholders.expand(text)
        except PlaceholderError as error:
            _fail(Deferred('"{key}": {wrong}', key=key, wrong=error))


def _fail(what: str) -> Never:
    raise _WrongError(what)


def _quoted(given: Any) -> str:
    return f"'{given[:40]}'" if isinstance(given, str) else kind_of(given)


def _as_text(given: str | float) -> str:
    """Return what a program would put into the environment for a number or a truth value."""
    return given if isinstance(given, str) else json.dumps(given)


def _as_written(given: Any) -> Json:
    """Return as much of an entry that cannot be used as helps to recognise it; placeholders stay."""
    written = given if isinstance(given, dict) else {}
    command, args = written.get("command"), written.get("args")
    if isinstance(command, str):
        texts = [as_named(each) for each in args if isinstance(each, str)] if isinstance(args, list) else []
        return {"type": "stdio", "command": as_named(command), "args": mask_arguments(texts), "cwd": None}
    url = next((written[key] for key in _URL_KEYS if isinstance(written.get(key), str)), "")
    return public_transport({"type": "http", "url": as_named(url)})
