"""Findings about slips: a name that differs from a known one in one or two neighbouring letters (`githud.com`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import Enum

from webclient.content.links import known
from webclient.content.links.findings import Finding, warn
from webclient.domain.i18n import gettext as _

SHORTEST = 5
"""Letters of a known name: shorter ones have too many honest neighbours."""

LONG_ENOUGH = 6
"""From here on any single slip counts; in a shorter name only the most common ones, as "apply" is not "apple"."""

LONG = 7
"""From here on two neighbouring letters may differ."""

_LONGEST = 63
"""Characters of a label (RFC 1035 section 2.3.4)."""

_SITES = sorted(known.SITES)
_KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_ALIKE = frozenset(map(frozenset, ("bd", "pq", "mn", "uv", "vw", "ij", "il", "ft", "ce", "co", "gq", "hn", "bh")))
"""Letters that a hurried reader takes for each other."""


class Slip(Enum):
    """The difference between a name and the known one."""

    MISSING = 1
    EXTRA = 2
    REPLACED = 3
    SWAPPED = 4
    TWO = 5


def findings(label: str, site: str, *, familiar: Collection[str]) -> Iterator[Finding]:
    """Yield a finding if `label` is a slip of a known or `familiar` name."""
    original = slip_of(label, familiar)
    if original:
        kind = _slip(label, original.partition(".")[0])
        yield warn("confusable", _sentence(kind or Slip.TWO).format(site=site, known=original))


def slip_of(label: str, familiar: Collection[str]) -> str:
    """Return the known site whose name `label` seems to misspell, or ""."""
    # A popular name is never a slip, however near it stands to another.
    if label in known.LABELS or label in known.NEIGHBOURS or not SHORTEST - 1 <= len(label) <= _LONGEST:
        return ""
    own = {site.partition(".")[0] for site in familiar}
    if label in own:
        return ""
    return next((site for site in (*sorted(familiar), *_SITES) if _is_slip(label, site.partition(".")[0])), "")


def _is_slip(name: str, original: str) -> bool:
    if len(original) < SHORTEST or abs(len(name) - len(original)) > 1 or name == original:
        return False
    kind = _slip(name, original)
    if kind is None or _is_numbering(name, original):
        return False
    if kind is Slip.TWO:
        return len(original) >= LONG and name[0] == original[0] and _look_alike(*_differing(name, original))
    if len(original) >= LONG_ENOUGH:
        return name[0] == original[0] or kind is not Slip.REPLACED or _is_common(kind, name, original)
    return _is_common(kind, name, original)


def _slip(name: str, original: str) -> Slip | None:
    """Return how `name` differs; Damerau and Levenshtein's single edits, or two letters side by side."""
    mine, theirs = _differing(name, original)
    match len(mine), len(theirs):
        case 0, 1:
            return Slip.MISSING
        case 1, 0:
            return Slip.EXTRA
        case 1, 1:
            return Slip.REPLACED
        case 2, 2 if mine == theirs[::-1]:
            return Slip.SWAPPED
        case (1, 2) | (2, 1) | (2, 2):
            return Slip.TWO
        case _:
            return None


def _differing(name: str, original: str) -> tuple[str, str]:
    """Return the parts of both that differ, without what they have in common at both ends."""
    start = _common(name, original)
    name, original = name[start:], original[start:]
    end = _common(name[::-1], original[::-1])
    return name[: len(name) - end], original[: len(original) - end]


def _common(one: str, two: str) -> int:
    """Return the number of letters with which both begin."""
    shorter = min(len(one), len(two))
    return next((at for at in range(shorter) if one[at] != two[at]), shorter)


def _is_numbering(name: str, original: str) -> bool:
    """Whether the two differ in digits alone, as the names of many sites of one owner do."""
    return all(part.isdigit() for part in _differing(name, original) if part)


def _is_common(kind: Slip, name: str, original: str) -> bool:
    """Whether hands and eyes often make this slip: two letters swapped, doubled, or side by side on a keyboard."""
    mine, theirs = _differing(name, original)
    if kind is Slip.SWAPPED:
        return True
    if kind is Slip.REPLACED:
        return _is_alike(mine, theirs)
    longer, letter = (name, mine) if kind is Slip.EXTRA else (original, theirs)
    return letter * 2 in longer


def _look_alike(mine: str, theirs: str) -> bool:
    """Whether letters side by side are alike, one by one; one of them may be missing."""
    if len(mine) == len(theirs):
        return all(one == two or _is_alike(one, two) for one, two in zip(mine, theirs, strict=True))
    shorter, longer = sorted((mine, theirs), key=len)
    return any(_is_alike(shorter, each) for each in longer)


def _is_alike(one: str, two: str) -> bool:
    return frozenset((one, two)) in _ALIKE or _are_neighbours(one, two)


def _are_neighbours(one: str, two: str) -> bool:
    return any(f"{one}{two}" in row or f"{two}{one}" in row for row in _KEYBOARD)


def _sentence(kind: Slip) -> str:
    return {
        Slip.MISSING: _("{site} looks like {known}, but one letter is missing."),
        Slip.EXTRA: _("{site} looks like {known}, but it has one letter more."),
        Slip.REPLACED: _("{site} looks like {known}, but one letter is different."),
        Slip.SWAPPED: _("{site} looks like {known}, but two letters are swapped."),
        Slip.TWO: _("{site} looks like {known}, but two letters are different."),
    }[kind]
