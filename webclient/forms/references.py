"""Where the references of a document lead: by JSON Pointer, by anchor, or by an address that the document gives itself.

Whatever the spelling, what comes out is a pointer from the root. Nothing is ever fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote, urldefrag, urljoin

from webclient.forms.keywords import LIST, MAP, ONE
from webclient.forms.values import is_encodable
from webclient.i18n import gettext as _

MOST_STEPS = 100_000
LONGEST = 2_000
"""Characters of an address or a pointer."""

_SAFE = "/~!$&'()*+,;=:@"

_PLAIN = re.compile(r"#(?:/[\w.~$-]{0,100}){0,20}", re.ASCII)
"""As nearly all references are: a pointer from the root in which nothing is encoded."""

_INDEX = re.compile(r"0|[1-9][0-9]{0,2}", re.ASCII)
"""A place in a list, as RFC 6901 section 4 writes it; the first thousand can be referred to."""

Path = tuple[Any, ...]
"""The steps from the root, the last one first: (step, path of its parent)."""


class UnreadableError(Exception):
    """This part of a schema cannot be made into a field; the message is a sentence."""


class References:
    """The names in one document, which is looked through when the first of them is asked for."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._bases: dict[int, str] = {}
        self._named: dict[tuple[str, str], Path] = {}

    def pointer(self, holder: Mapping[str, Any], reference: Any) -> str:
        """Return what `reference`, which stands in the subschema `holder`, leads to, as a pointer from the root.

        Raises UnreadableError when the document has nothing of that name (JSON Schema 2020-12 core, 8.2).
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
            raise UnreadableError(_("Its description lies at another address, which is never fetched."))
        by_pointer = name == "" or name.startswith("/")
        path = self._named.get((resource, "" if by_pointer else name))
        pointer = None if path is None else _written(path) + (quote(name, _SAFE) if by_pointer else "")
        if pointer is None or len(pointer) > LONGEST:
            raise UnreadableError(_("Its description refers to something that is not there."))
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
        """Note what the subschema at `path` is called, and return the address that its references start from."""
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
    """Return what `pointer`, a JSON Pointer as a fragment (RFC 6901 section 6), points to in `root`.

    Raises UnreadableError when there is nothing.
    """
    here = root
    for step in unquote(pointer[1:]).split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(here, Mapping) and key in here:
            here = here[key]
        elif isinstance(here, list) and _INDEX.fullmatch(key) and int(key) < len(here):
            here = here[int(key)]
        else:
            raise UnreadableError(_("Its description refers to something that is not there."))
    return here


def step_to(name: str) -> str:
    """Return `name` as one step of a pointer."""
    return quote(name.replace("~", "~0").replace("/", "~1"), _SAFE)


def _parts(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the subschemas of `schema`, each with the way to it."""
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
    """A reference as its address and the name in it."""
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
