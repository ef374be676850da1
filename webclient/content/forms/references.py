"""Resolves the references in a schema: by JSON Pointer, by anchor, or by an address that the schema gives itself.

The result is always a pointer from the root. Nothing is ever fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote, urldefrag, urljoin

from webclient.content.forms.keywords import LIST, MAP, ONE
from webclient.content.forms.values import is_encodable
from webclient.domain.i18n import gettext as _

MOST_STEPS = 100_000
LONGEST = 2_000
"""Characters of an address or a pointer."""

_SAFE = "/~!$&'()*+,;=:@"

_PLAIN = re.compile(r"#(?:/[\w.~$-]{0,100}){0,20}", re.ASCII)
"""The usual form: a pointer from the root in which nothing is encoded."""

_INDEX = re.compile(r"0|[1-9][0-9]{0,2}", re.ASCII)
"""An index in a list (RFC 6901 section 4), below 1,000."""

Path = tuple[Any, ...]
"""The steps from the root, the last one first: (step, path of its parent)."""


class UnreadableError(Exception):
    """A part of a schema cannot become a field; the message is a sentence."""


class References:
    """The names that one schema defines, collected at the first look-up."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._bases: dict[int, str] = {}
        self._named: dict[tuple[str, str], Path] = {}

    def pointer(self, holder: Mapping[str, Any], reference: Any) -> str:
        """Return the target of `reference`, found in the subschema `holder`, as a pointer.

        Raises UnreadableError when the schema has no such name (JSON Schema 2020-12 core, 8.2).
        """
        if not self._named:
            self._look_through()
        outermost = self._bases.get(id(self._root), "")
        base = self._bases.get(id(holder), outermost)
        if base == outermost and isinstance(reference, str) and _PLAIN.fullmatch(reference):
            return reference
        address, name = _parted(reference)
        resource = _joined(base, address)
        if (resource, "") not in self._named:
            raise UnreadableError(_("Its schema is at another address, which is never fetched."))
        by_pointer = name == "" or name.startswith("/")
        path = self._named.get((resource, "" if by_pointer else name))
        pointer = None if path is None else _written(path) + (quote(name, _SAFE) if by_pointer else "")
        if pointer is None or len(pointer) > LONGEST:
            raise UnreadableError(_("Its schema refers to a part that does not exist."))
        return pointer

    def _look_through(self) -> None:
        self._named["", ""] = ()
        waiting: list[tuple[Any, Path, str]] = [(self._root, (), "")]
        while waiting and len(self._bases) < MOST_STEPS:
            schema, path, base = waiting.pop()
            if isinstance(schema, Mapping):
                base = self._note(schema, path, base)
                waiting += [(part, (step, path), base) for step, part in _parts(schema)]

    def _note(self, schema: Mapping[str, Any], path: Path, base: str) -> str:
        """Record the names of the subschema at `path`, and return the base of its references."""
        own = schema.get("$id")
        if isinstance(own, str) and len(own) + len(base) <= LONGEST:
            address, name = _parted(own)
            base = _joined(base, address)
            self._named.setdefault((base, name), path)
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(schema.get(keyword), str):
                self._named.setdefault((base, schema[keyword]), path)
        self._bases[id(schema)] = base
        return base


def find(root: Any, pointer: str) -> Any:
    """Return the part of `root` that `pointer` points to.

    `pointer` is a JSON Pointer as a URI fragment (RFC 6901 section 6). Raises UnreadableError if there is no such part.
    """
    here = root
    for step in unquote(pointer[1:]).split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(here, Mapping) and key in here:
            here = here[key]
        elif isinstance(here, list) and _INDEX.fullmatch(key) and int(key) < len(here):
            here = here[int(key)]
        else:
            raise UnreadableError(_("Its schema refers to a part that does not exist."))
    return here


def step_to(name: str) -> str:
    """Encode `name` as one step of a pointer."""
    return quote(name.replace("~", "~0").replace("/", "~1"), _SAFE)


def _parts(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the subschemas of `schema`, each with its step."""
    for key, value in schema.items():
        if key in ONE:
            yield key, value
        elif key in LIST and isinstance(value, list):
            yield from ((f"{key}/{index}", each) for index, each in enumerate(value))
        elif key in MAP and isinstance(value, Mapping):
            yield from ((f"{key}/{name}", each) for name, each in _encodable(value))


def _encodable(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((step_to(name), each) for name, each in value.items() if is_encodable(name))


def _parted(reference: Any) -> tuple[str, str]:
    """Split a reference into address and name."""
    try:
        if isinstance(reference, str) and is_encodable(reference):
            address, name = urldefrag(reference)
            return address, unquote(name)
    except ValueError:
        pass
    return "\0", ""


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return "\0"


def _written(path: Path) -> str:
    steps = []
    while path:
        step, path = path
        steps.append(step)
    return "".join(["#", *(f"/{step}" for step in reversed(steps))])
