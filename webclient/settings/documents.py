"""Files that people write by hand: reads JSON with comments, TOML and YAML, and says where a mistake is."""

from __future__ import annotations

import re
import tomllib
from datetime import date, time
from pathlib import Path
from typing import Any

import rapidjson

from webclient.domain.errors import WebclientError
from webclient.domain.i18n import Deferred
from webclient.domain.model import Json
from webclient.support import yaml_text

_TOML_PLACE = re.compile(r"(.*) \(at line (\d+), column (\d+)\)|(.*)", re.DOTALL)

LARGEST = 4 * 2**20
"""Bytes of a file; Claude Code keeps much else in the file with its servers."""


class ConfigError(WebclientError):
    """A file of settings cannot be used; the message says what is wrong and where."""


def read_root(path: Path) -> Json:
    """Return the object that the file at `path` holds. Raises `ConfigError` when there is none."""
    root = _parse(path)
    if not isinstance(root, dict):
        raise ConfigError(
            Deferred("{path}: The file must hold an object; it holds the type {seen}.", path=path, seen=kind_of(root))
        )
    return root


def kind_of(value: Any) -> str:
    """Return the kind of a JSON value, as JSON calls it."""
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return kinds.get(type(value), "number")


def _parse(path: Path) -> Any:
    try:
        if path.stat().st_size > LARGEST:
            raise ConfigError(Deferred("{path}: The file is larger than {n:,} bytes.", path=path, n=LARGEST))
        return _PARSERS.get(path.suffix.lower(), parse_jsonc)(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(Deferred("{path}: The file cannot be read: {why}.", path=path, why=error.strerror)) from error
    except UnicodeDecodeError as error:
        raise ConfigError(Deferred("{path}: The file is not UTF-8 text.", path=path)) from error
    except JsoncError as error:
        where = f"{path}:{error.line}:{error.column}"
        raise ConfigError(Deferred("{where}: This is not JSON: {why}.", where=where, why=error)) from error
    except yaml_text.YamlError as error:
        where = f"{path}:{error.line}:{error.column}"
        raise ConfigError(Deferred("{where}: This YAML cannot be read: {why}.", where=where, why=error)) from error
    except tomllib.TOMLDecodeError as error:
        why, line, column, other = _TOML_PLACE.fullmatch(str(error)).groups()  # type: ignore[union-attr]
        where = f"{path}:{line}:{column}" if line else str(path)
        raise ConfigError(Deferred("{where}: This is not TOML: {why}.", where=where, why=why or other)) from error
    except RecursionError as error:
        raise ConfigError(Deferred("{path}: The file is nested too deeply.", path=path)) from error


def _parse_toml(text: str) -> Any:
    return _without_dates(tomllib.loads(text))


def _without_dates(value: Any) -> Any:
    """Return TOML's dates as texts, which JSON can hold."""
    if isinstance(value, dict):
        return {key: _without_dates(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_dates(each) for each in value]
    return value.isoformat() if isinstance(value, date | time) else value


_PARSERS = {".toml": _parse_toml, ".yaml": yaml_text.parse, ".yml": yaml_text.parse}


_MODE = rapidjson.PM_COMMENTS | rapidjson.PM_TRAILING_COMMAS
_MESSAGE = re.compile(r"Parse error at offset (\d+): (.*)")


class JsoncError(ValueError):
    """The text is not JSON; `line` and `column` count from 1 and say where, the message says why."""

    def __init__(self, why: str, *, line: int, column: int) -> None:
        super().__init__(why)
        self.line = line
        self.column = column


def parse_jsonc(text: str) -> Any:
    """Return the value of JSON with comments and trailing commas.

    The cost is linear in the length. Raises JsoncError, and RecursionError for deep nesting.
    """
    try:
        # Not with `allow_nan=False`, which would make the library refuse trailing commas (1.25).
        return rapidjson.loads(text, parse_mode=_MODE)
    except ValueError as error:
        raise _located(text, str(error)) from None


def _located(text: str, message: str) -> JsoncError:
    found = _MESSAGE.fullmatch(message)
    offset, why = (int(found[1]), found[2].rstrip(".")) if found else (0, message)
    # The library counts bytes; a person counts characters.
    before = text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore")
    line = before.count("\n") + 1
    return JsoncError(why, line=line, column=len(before) - before.rfind("\n"))
