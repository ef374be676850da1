"""`${…}` in a config file, in the ways of several programs: environment, inputs, well-known folders, files.

Each text is expanded twice: as it is used, and as it may be shown, with the placeholder in place of its value.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from webclient.domain.i18n import Deferred
from webclient.domain.model import Json

PLACEHOLDER = re.compile(r"\$\{([^}]*)\}")
_VARIABLE = re.compile(r"(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)

_HARMLESS = frozenset(
    {"HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "PWD", "USER", "USERNAME", "TMPDIR", "TEMP"}
    | {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"}
)
"""Variables that say where things are; any other may hold a secret."""

LARGEST_FILE = 65_536
"""Bytes of a file that `${file:PATH}` puts into an entry."""

_QUOTED = 60
"""Characters of a placeholder that a sentence repeats."""


class PlaceholderError(ValueError):
    """The placeholder has no value; the message is a sentence about it."""


class Expanded(NamedTuple):
    """A text with its placeholders replaced, and how it may be shown."""

    value: str
    shown: str


class Placeholders:
    """Replaces placeholders; `inputs` are VS Code's by id, `folder` is what `${workspaceFolder}` means."""

    def __init__(self, environ: Mapping[str, str], *, inputs: Mapping[str, Json], folder: Path) -> None:
        self._environ = environ
        self._inputs = inputs
        self.folder = folder

    def expand(self, text: str) -> Expanded:
        """Return `text` with each placeholder replaced, once. Raises PlaceholderError for one without a value."""
        values = {found[0]: self._value(found[1]) for found in PLACEHOLDER.finditer(text)}
        return Expanded(
            value=PLACEHOLDER.sub(lambda found: values[found[0]].value, text),
            shown=PLACEHOLDER.sub(lambda found: values[found[0]].shown, text),
        )

    def _value(self, written: str) -> Expanded:
        kind, _colon, rest = written.partition(":")
        place = self._place(written)
        if place is not None:
            return Expanded(place, place)
        if kind == "input":
            return Expanded(self._input(rest), f"${{{written}}}")
        if kind == "file":
            return Expanded(self._file(rest), f"${{{written}}}")
        return self._variable(written)

    def _place(self, written: str) -> str | None:
        # Names of VS Code and Cursor (code.visualstudio.com/docs/reference/variables-reference).
        places = {
            "userHome": str(Path.home()),
            "workspaceFolder": str(self.folder),
            "workspaceFolderBasename": self.folder.name,
            "cwd": str(Path.cwd()),
            "pathSeparator": os.sep,
            "/": os.sep,
        }
        return places.get(written)

    def _variable(self, written: str) -> Expanded:
        found = _VARIABLE.fullmatch(written)
        if found is None:
            raise PlaceholderError(
                Deferred(
                    "${{{written}}} is unknown. Write ${{VARIABLE}} or ${{VARIABLE:-default}}.",
                    written=written[:_QUOTED],
                )
            )
        variable, default = found.groups()
        value = self._environ.get(variable) or default
        if value is None and variable not in self._environ:
            raise PlaceholderError(
                Deferred(
                    "The environment variable {variable} is not set. Set it before the start, or write "
                    "${{{variable}:-default}}.",
                    variable=variable,
                )
            )
        # A default may be a secret as well, so the name alone is shown.
        return Expanded(value or "", (value or "") if variable in _HARMLESS else f"${{{variable}}}")

    def _input(self, name: str) -> str:
        variable = input_variable(name)
        default = self._inputs.get(name, {}).get("default")
        value = self._environ.get(variable) or (default if isinstance(default, str) else None)
        if value is None:
            raise PlaceholderError(
                Deferred(
                    "The input “{name}” cannot be entered here. Set {variable} in the environment.",
                    name=name[:_QUOTED],
                    variable=variable,
                )
            )
        return value

    def _file(self, name: str) -> str:
        path = self.folder / Path(name).expanduser()
        try:
            with path.open(encoding="utf-8") as file:
                text = file.read(LARGEST_FILE + 1)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "UTF-8"
            raise PlaceholderError(Deferred("The file {path} cannot be read: {why}.", path=path, why=why)) from error
        if len(text) > LARGEST_FILE:
            raise PlaceholderError(Deferred("The file {path} is too large for a value.", path=path))
        # An editor ends a file with a line break, which is not part of a token.
        return text.rstrip("\r\n")


def as_named(text: str) -> str:
    """Return `text` with its placeholders as they may be shown: without their defaults, which may be secrets."""
    return PLACEHOLDER.sub(lambda found: f"${{{found[1].partition(':-')[0]}}}", text)


def input_variable(name: str) -> str:
    """Return the environment variable that gives the value of `${input:NAME}`."""
    return "WEBCLIENT_INPUT_" + re.sub(r"[^A-Za-z0-9]", "_", name).upper()
