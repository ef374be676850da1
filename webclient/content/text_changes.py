"""The changes from one text to another, word by word: what was removed, what was added, and a little of what is around.

Both texts may come from outside, so the cost is bounded: 4,000 words on each side take some milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from rapidfuzz.distance import Indel, Opcode

from webclient.content.visible_text import ELLIPSIS, counted

MOST_WORDS = 4_000
"""Words of a text that are compared one by one; of a longer text, its lines."""

MOST_LINES = 4_000
"""Lines that are compared; of a text with more, both versions are shown."""

CONTEXT = 60
"""Characters that are shown of an unchanged part, at each of its ends."""

LONGEST = 4_000
"""Characters that are shown of a changed part."""

_WORD = re.compile(r"\s+|\w+|[^\w\s]")

Piece = tuple[Literal["same", "added", "removed"], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that was changed: what it is, and its pieces in order, made visible."""

    label: str
    pieces: Sequence[Piece]


def text_change(label: str, before: str, after: str) -> Change | None:
    """Return the change of a text; None if there is none."""
    return None if before == after else Change(label=label, pieces=compare(before, after))


def compare(before: str, after: str) -> list[Piece]:
    """Return the pieces of both texts in order; long unchanged parts are shortened."""
    words = _WORD.findall(before), _WORD.findall(after)
    if max(map(len, words)) > MOST_WORDS:
        words = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if max(map(len, words)) > MOST_LINES:
        return [*_changed("removed", before), *_changed("added", after)]
    return list(_pieces(*words))


def _pieces(before: Sequence[str], after: Sequence[str]) -> Iterator[Piece]:
    # Not `difflib`: its time grows with the cube of the length for texts that alternate between few words.
    parts = [_part(step, before, after) for step in Indel.opcodes(before, after)]
    last = len(parts) - 1
    # A space between two changed words belongs to the change.
    is_same = [same and (bool(old.strip()) or n in (0, last)) for n, (same, old, _new) in enumerate(parts)]
    for same, run in groupby(zip(is_same, range(len(parts)), strict=True), key=lambda each: each[0]):
        places = [place for _same, place in run]
        old, new = "".join(parts[n][1] for n in places), "".join(parts[n][2] for n in places)
        if same:
            yield "same", _shortened(old, is_first=places[0] == 0, is_last=places[-1] == last)
        else:
            yield from _changed("removed", old)
            yield from _changed("added", new)


def _part(step: Opcode, before: Sequence[str], after: Sequence[str]) -> tuple[bool, str, str]:
    """Return whether a part is the same in both, as it is before, and as it is after."""
    old, new = before[step.src_start : step.src_end], after[step.dest_start : step.dest_end]
    return step.tag == "equal", "".join(old), "".join(new)


def _changed(kind: Literal["added", "removed"], text: str) -> Iterator[Piece]:
    if text:
        yield kind, counted(text, LONGEST, newlines=True)


def _shortened(text: str, *, is_first: bool, is_last: bool) -> str:
    start, end = "" if is_first else text[:CONTEXT], "" if is_last else text[-CONTEXT:]
    if len(text) <= len(start) + len(end) + CONTEXT:
        return counted(text, LONGEST, newlines=True)
    return counted(f"{start}{ELLIPSIS}{end}", LONGEST, newlines=True)
