"""The form of the folders that a server gets: shown, and read when it is posted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from webclient.domain.i18n import gettext as _
from webclient.domain.model import Root, Server
from webclient.domain.root_rules import MOST_ROOTS, WrongRootError, is_accessible, is_whole_disk, path_of
from webclient.web.pages.posted_form import Posted, first

BLANK_ROWS = 2
"""Empty rows for further folders; saving brings new ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RootRow:
    """One folder as its row shows it: `path` as typed, or that of a stored root, with what there is to note on it."""

    path: str = ""
    name: str = ""
    error: str = ""
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RootForm:
    """The folders of a server; `is_shared`: it may ask for them. A server on this machine `is_fixed` by its config."""

    is_shared: bool
    is_fixed: bool
    rows: Sequence[RootRow] = field(default_factory=list)


async def root_form(server: Server) -> RootForm:
    """Return the form with the folders of the server as they are stored."""
    is_fixed = "command" in server.transport
    # In a thread: the disk may be slow.
    rows = await asyncio.to_thread(lambda: [_row(root, is_local=is_fixed) for root in server.roots or ()])
    blank = min(BLANK_ROWS, MOST_ROOTS - len(rows)) if not is_fixed else 0
    return RootForm(is_shared=server.roots is not None, is_fixed=is_fixed, rows=[*rows, *[RootRow()] * blank])


def read_roots(posted: Posted) -> list[Root] | None:
    """Return the folders of a posted form, not checked yet; None if the server may not ask."""
    return [Root(uri=path, name=name or None) for path, name in _rows(posted)] if first(posted, "share") else None


def wrong_form(posted: Posted, error: WrongRootError) -> RootForm:
    """Return the form as it was posted, with the error of one folder."""
    rows = [
        RootRow(path=path, name=name, error=str(error.message) if position == error.position else "")
        for position, (path, name) in enumerate(_rows(posted))
    ]
    return RootForm(is_shared=True, is_fixed=False, rows=[*rows, RootRow()])


def _rows(posted: Posted) -> list[tuple[str, str]]:
    paths, names = ([value.strip() for each, value in posted if each == name] for name in ("folder", "name"))
    return [(path, name) for path, name in zip_longest(paths, names, fillvalue="") if path or name]


def _row(root: Root, *, is_local: bool) -> RootRow:
    whole = _("This is a whole disk. A server that takes folders as permissions may then use all of it.")
    missing = _("This folder is not on this computer, or cannot be read. It is left out.")
    notes = [whole] if is_whole_disk(root) else []
    if is_local and not is_accessible(root):
        notes.append(missing)
    return RootRow(path=path_of(root), name=root.name or "", notes=notes)
