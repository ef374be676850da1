"""Checks the roots for a server and writes each as one `file://` URI; a wrong one is refused with a sentence.

A root is sent as it is, and some servers take it for their access control, so it must mean the same folder everywhere.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Never
from urllib.parse import quote, unquote

from webclient.domain.i18n import Deferred
from webclient.domain.model import Root

MOST_ROOTS = 50
"""The most roots of one server."""

LONGEST_URI = 4096
"""Characters of a root; longer paths cannot be opened on Linux."""

LONGEST_NAME = 200
"""Characters of a root's name."""

_FILE = re.compile(r"file:(?://([^/\\?#]*))?([^?#]*)(.*)", re.IGNORECASE | re.DOTALL)
_DRIVE = re.compile(r"/?([A-Za-z]):(?=[\\/]|$)")
_SEPARATOR = re.compile(r"[/\\]")
_ENCODED_SEPARATOR = re.compile(r"%(?:2f|5c)", re.IGNORECASE)

_UNESCAPED = "/:@!$&'()*+,;="
"""Characters of a path that a URI may hold as they are (RFC 3986, section 3.3)."""

_INVISIBLE = {"Cc", "Cs", "Zl", "Zp"}
"""Categories of Unicode that no path has: control characters, surrogates, line separators."""


class WrongRootError(ValueError):
    """A root cannot be shared; the message is a sentence about it, `position` counts the roots from 0."""

    def __init__(self, position: int, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


class _WrongError(Exception):
    """The root is wrong; the message is a sentence about it."""


def checked_roots(given: Iterable[Root]) -> tuple[Root, ...]:
    """Return the roots with normal URIs, each of them once. Raises WrongRootError.

    The `uri` of a given one may also be an absolute path.
    """
    checked: dict[str, Root] = {}
    for position, root in enumerate(given):
        try:
            if position >= MOST_ROOTS:
                _fail(Deferred("At most {most} folders can be shared.", most=MOST_ROOTS))
            found = Root(uri=_checked_uri(root.uri.strip()), name=_checked_name((root.name or "").strip()))
        except _WrongError as error:
            raise WrongRootError(position, error.args[0]) from None
        checked.setdefault(found.uri, found)
    return tuple(checked.values())


def path_of(root: Root) -> str:
    """Return the path of a checked root, as its computer has it."""
    path = unquote(root.uri.removeprefix("file://"), errors="surrogateescape")
    return path[1:] if _DRIVE.match(path) else path


def is_whole_disk(root: Root) -> bool:
    """Return whether a checked root is a whole disk."""
    return path_of(root) == "/" or re.fullmatch(r"[A-Za-z]:/", path_of(root)) is not None


def is_accessible(root: Root) -> bool:
    """Return whether this program can read the folder or file, on this computer; it looks at the disk."""
    path = Path(path_of(root))
    return os.access(path, os.R_OK | os.X_OK if path.is_dir() else os.R_OK)


def _checked_uri(text: str) -> str:
    """Return the normal form of a `file://` URI or an absolute path (MCP 2025-11-25, Roots, Root, Security)."""
    if len(text) > LONGEST_URI:
        _fail(Deferred("The path of a folder can have at most {most} characters.", most=LONGEST_URI))
    path = _path_in(text)
    if any(unicodedata.category(each) in _INVISIBLE for each in path):
        _fail(Deferred("A path contains a character that is invisible or cannot be sent."))
    if drive := _DRIVE.match(path):
        path = f"/{drive[1].upper()}:/" + path[drive.end() :].replace("\\", "/")
    if not path.startswith("/") or path.startswith("//"):
        _fail(Deferred("“{text}” is not an absolute path. Write the whole path, such as /home/me/notes.", text=text))
    # Both separators, because the server may run on another system.
    if ".." in _SEPARATOR.split(path):
        _fail(Deferred("“{text}” contains “..”. Write the path of the folder that you mean.", text=text))
    steps = [step for step in path.split("/") if step not in ("", ".")]
    end = "/" if drive and len(steps) == 1 else ""
    return f"file:///{quote('/'.join(steps), safe=_UNESCAPED)}{end}"


def _path_in(text: str) -> str:
    """Return the path that a URI names; a path stays as it is."""
    found = _FILE.fullmatch(text)
    if found is None:
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", text):
            _fail(Deferred("“{text}” is not a folder: the address must start with file://.", text=text))
        return text
    host, path, rest = found.groups(default="")
    if host.lower() not in ("", "localhost"):
        _fail(Deferred("“{text}” names another computer. Write file:/// with three slashes.", text=text))
    if rest:
        _fail(Deferred("“{text}” contains “?” or “#”. In an address, write them as %3F and %23.", text=text))
    if _ENCODED_SEPARATOR.search(path):
        _fail(Deferred("“{text}” contains an encoded slash, which programs read differently.", text=text))
    try:
        return unquote(path, errors="strict")
    except UnicodeDecodeError:
        _fail(Deferred("“{text}” contains an encoded character that is not UTF-8.", text=text))


def _checked_name(name: str) -> str | None:
    if len(name) > LONGEST_NAME or any(unicodedata.category(each) in _INVISIBLE for each in name):
        _fail(Deferred("The name of a folder must be one line of at most {most} characters.", most=LONGEST_NAME))
    return name or None


def _fail(sentence: Deferred) -> Never:
    raise _WrongError(sentence)
