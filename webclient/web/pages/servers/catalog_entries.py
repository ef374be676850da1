"""Entries of a catalog as its pages list them: titles, hints, addresses, order, groups, and the search among them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Catalog, Json
from webclient.domain.tool_names import is_regular, repeated

Kind = Literal["tool", "prompt", "resource", "template"]

SEGMENTS: Mapping[Kind, str] = {"tool": "tools", "prompt": "prompts", "resource": "resources", "template": "templates"}
"""The part of an entry's address that names its kind."""

LONGEST_ABOUT = 300
"""Characters of a description in a row; also the search looks no further."""

MOST_UNGROUPED = 20
"""Entries up to which a list needs no groups."""

FEWEST_IN_GROUP = 4
"""Entries with the same first word that make a group."""

_LONGEST_NAME_IN_ADDRESS = 500
_LOST_IN_ADDRESSES = re.compile("[\n\x00\ud800-\udfff]")
"""Routes do not match a line break; NUL and surrogates do not arrive."""

_FIRST_WORD = re.compile(r"[^\W_]+(?=[\s_./:-])")


class Hint(NamedTuple):
    """An annotation of a tool as a label; `code` is its name without "Hint"."""

    code: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry:
    """A tool, prompt, resource or template. `item` is the server's entry, verbatim; `position` its place in the list.

    `scope` prefixes its ids on the page and does not change with the rest of the list. `turn` is 1 for the first entry
    of that name, which should be the only one (MCP, Tool Names). `is_repeated`: it is a tool, and there are others of
    that name.
    """

    kind: Kind
    name: str
    item: Json
    position: str
    scope: str
    turn: int = 1
    is_repeated: bool = False

    @property
    def title(self) -> str:
        """The title for people, or else the name."""
        return title_of(self.item) or self.name

    @property
    def hints(self) -> list[Hint]:
        """The annotations as labels; they are only the server's claims (MCP, ToolAnnotations)."""
        given = _annotations(self.item)
        found = [Hint(code, label) for code, label in _hints() if given.get(f"{code}Hint") is True]
        if given.get("readOnlyHint") is True:
            # These two mean something only for a tool that changes something.
            found = [hint for hint in found if hint.code not in ("destructive", "idempotent")]
        return found

    @property
    def is_destructive(self) -> bool:
        """Whether the server says that it may destroy something."""
        return is_destructive(self.item)

    @property
    def is_irregular(self) -> bool:
        """Whether it is a tool whose name breaks the rules (MCP, Tool Names)."""
        return self.kind == "tool" and not is_regular(self.name)

    @property
    def about(self) -> str:
        """The beginning of the description, in one line, made visible."""
        return visible(self.item.get("description") or "", LONGEST_ABOUT)

    @property
    def path(self) -> str:
        """The address below that of the server; with `scope` where an address would change the name."""
        segment = SEGMENTS[self.kind]
        survives = self.name not in ("", ".", "..") and not _LOST_IN_ADDRESSES.search(self.name)
        if self.turn > 1 or not survives or len(self.name) > _LONGEST_NAME_IN_ADDRESS:
            return f"{segment}?entry={self.scope}"
        return f"{segment}/{quote(self.name, safe='')}"

    def matches(self, query: str) -> bool:
        """Return whether name, title or the shown description contain all words of `query`, ignoring case."""
        text = f"{self.title} {self.name} {self.about}".casefold()
        return all(word in text for word in query.casefold().split())


@dataclass(frozen=True, slots=True)
class Group:
    """Entries that follow each other in a list; `name` is the first word that they share, or "" for the rest."""

    name: str
    entries: Sequence[CatalogEntry]


def path_of(kind: Kind, name: str) -> str:
    """Return the address of the entry with that name, below that of its server."""
    return unlisted_entry(kind, name).path


def unlisted_entry(kind: Kind, name: str) -> CatalogEntry:
    """Return an entry that is known by its name only."""
    return CatalogEntry(kind=kind, name=name, item={}, position="", scope=_scope(kind, name, 1))


def again_path(path: str, call_id: str) -> str:
    """Return the address of an entry with the arguments of a call ("": none)."""
    return f"{path}{'&' if '?' in path else '?'}again={quote(call_id, safe='')}" if call_id else path


def title_of(item: Json) -> str:
    """Return the title of an entry, else its name, else "" (MCP, BaseMetadata)."""
    annotated = _annotations(item).get("title")
    return str(item.get("title") or annotated or item.get("name") or "")


def is_destructive(item: Json) -> bool:
    """Return whether the annotations of a tool say that it may destroy something."""
    given = _annotations(item)
    return given.get("destructiveHint") is True and given.get("readOnlyHint") is not True


def _annotations(item: Json) -> Mapping[str, Any]:
    annotations = item.get("annotations")
    return annotations if isinstance(annotations, Mapping) else {}


def entries_of(catalog: Catalog) -> dict[Kind, list[CatalogEntry]]:
    """Return the entries of the catalog by kind, in the server's order."""
    return {
        "tool": _entries("tool", catalog.tools, "name"),
        "prompt": _entries("prompt", catalog.prompts, "name"),
        "resource": _entries("resource", catalog.resources, "uri"),
        "template": _entries("template", catalog.resource_templates, "uriTemplate"),
    }


def grouped(entries: Sequence[CatalogEntry]) -> list[Group]:
    """Return the entries sorted by title; in a long list, those with the same first word as a group."""
    in_order = sorted(entries, key=lambda each: (each.title.casefold(), each.name))
    if len(in_order) <= MOST_UNGROUPED:
        return [Group("", in_order)] if in_order else []
    words = Counter(map(_first_word, in_order))

    def group_of(entry: CatalogEntry) -> str:
        word = _first_word(entry)
        return word if words[word] >= FEWEST_IN_GROUP else ""

    return [Group(name, list(members)) for name, members in groupby(in_order, group_of)]


def digest(value: Any) -> str:
    """Return a short digest of a JSON value, whose keys count in their order."""
    return sha256(json.dumps(value).encode()).hexdigest()[:16]


def _entries(kind: Kind, items: Sequence[Json], key: str) -> list[CatalogEntry]:
    named = list(_named(items, key))
    shared = set(repeated(name for _index, _item, name, _turn in named)) if kind == "tool" else set()
    return [
        CatalogEntry(
            kind=kind,
            name=name,
            item=item,
            position=f"{kind}-{index}",
            scope=_scope(kind, name, turn),
            turn=turn,
            is_repeated=name in shared,
        )
        for index, item, name, turn in named
    ]


def _scope(kind: Kind, name: str, turn: int) -> str:
    return f"{kind}-{digest([name, turn])}"


def _named(items: Sequence[Json], key: str) -> Iterator[tuple[int, Json, str, int]]:
    """Yield index, entry, name and turn of the entries that have a name."""
    seen: Counter[str] = Counter()
    for index, item in enumerate(items):
        name = item.get(key)
        if isinstance(name, str):
            seen[name] += 1
            yield index, item, name, seen[name]


def _first_word(entry: CatalogEntry) -> str:
    found = _FIRST_WORD.match(entry.title)
    return found[0].casefold() if found else ""


def _hints() -> list[tuple[str, str]]:
    return [
        ("readOnly", _("Read-only")),
        ("destructive", _("Destructive")),
        ("idempotent", _("Idempotent")),
        ("openWorld", _("External")),
    ]
