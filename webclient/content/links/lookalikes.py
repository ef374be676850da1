"""Findings about lookalikes: letters of other alphabets, mixed alphabets, and another site's name in front."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from unicodedata import combining, normalize
from unicodedata import name as name_of

from confusable_homoglyphs.categories import alias

from webclient.content.confusables import ascii_lookalikes, latin_form, latin_lookalike
from webclient.content.links import known, slips
from webclient.content.links.findings import Finding, info, warn
from webclient.content.links.hosts import suffixes
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import listed

_NEUTRAL = frozenset({"COMMON", "INHERITED", "Unknown"})
_WRITTEN_TOGETHER = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
"""Scripts that may be mixed at the level "highly restrictive" (UTS #39, section 5.2)."""

MAX_LABELS = 127
MAX_LABEL = 63
"""Limits of DNS (RFC 1035 section 2.3.4); the rest of a hostile name is not examined."""

_ORDINARY = "ı"
"""The Turkish dotless i, which is not a disguise by itself."""

_MARKS = frozenset("/.?#:@")
_HYPHENS = frozenset("‐‑‒–—―⁃−˗﹘－⸺⸻﹣")
_NOT_PLAIN = re.compile(r"[^a-z0-9]")
_GENERIC = frozenset({"com", "net", "org", "edu", "gov"})
_SECOND_LEVEL = frozenset({"co", "ac", "or", "ne", "go"})
_ALIKE = str.maketrans("01i|", "olll")
"""Digits and letters that look alike in many fonts; a capital I looks like an l."""

_BRAND_IN_LABEL = re.compile(r"(?:^|-)([a-z0-9]+(?:-[a-z0-9]+)?)-(?:com|net|org)(?:-|$)")


def findings(readable: str, hostname: str, site: str, *, familiar: Collection[str]) -> Iterator[Finding]:
    """Yield findings about names that look alike; `familiar` are sites that this user knows."""
    if readable != hostname:
        message = _("The host name has letters beyond a to z: {readable}. In ASCII it is {hostname}.")
        yield info("punycode", message.format(readable=readable, hostname=hostname))
    labels = readable.rstrip(".").split(".")[-MAX_LABELS:]
    yield from _mixed(labels)
    yield from _confusable(labels, site, familiar)
    front = _front(labels)
    if front:
        message = _("It starts with “{front}”, but it opens {site}.")
        yield warn("brand-subdomain", message.format(front=front, site=site))


def _mixed(labels: list[str]) -> Iterator[Finding]:
    for label in labels:
        scripts = _scripts(label)
        if len(scripts) > 1 and not any(scripts <= together for together in _WRITTEN_TOGETHER):
            message = _("“{label}” mixes letters of different alphabets ({scripts}), as imitations do.")
            names = listed(sorted(script.title() for script in scripts))
            yield warn("mixed-script", message.format(label=label, scripts=names))
            return


def _confusable(labels: list[str], site: str, familiar: Collection[str]) -> Iterator[Finding]:
    for label in labels:
        if _has_false_marks(label):
            message = _(
                "“{label}” contains a character that looks like a slash, a dot or a hyphen, but is another one."
            )
            yield warn("confusable", message.format(label=label))
            return
        latin = _as_latin(label)
        if latin and not _belongs_to_its_country(label, labels[-1]):
            message = _("“{label}” looks like “{latin}”, but has letters of another alphabet.")
            yield warn("confusable", message.format(label=label, latin=latin))
            return
    imitated = _imitated(labels, site, familiar)
    if imitated:
        message = _("The host name looks like {imitated}, but is a different name.")
        yield warn("confusable", message.format(imitated=imitated))
    elif not any(site in sites for sites in (known.SITES, known.OWNED, familiar)):
        yield from slips.findings(_registered(labels, site), site, familiar=familiar)


def _has_false_marks(label: str) -> bool:
    return not _HYPHENS.isdisjoint(label) or any(
        alias(char) == "COMMON" and any(each[:1] in _MARKS for each in ascii_lookalikes(char))
        for char in label
        if not char.isascii()
    )


def _as_latin(label: str) -> str:
    """Return the Latin lookalike of a label in other letters, or ""."""
    if label.isascii() or _ORDINARY in label:
        return ""
    letters = [char if char.isascii() else _letter_like(char) for char in label]
    return "".join(letters) if all(letters) else ""


def _belongs_to_its_country(label: str, top: str) -> bool:
    """Whether the label is in the script of its top-level domain, which is normal, as in .рф."""
    return not top.isascii() and _scripts(label) == _scripts(top)


def _scripts(label: str) -> set[str]:
    return {alias(char) for char in set(label)} - _NEUTRAL


def _imitated(labels: list[str], site: str, familiar: Collection[str]) -> str:
    name = _registered(labels, site)
    if len(name) > MAX_LABEL:
        return ""
    sites = known.SITES.union(familiar) - {site}
    return next((each for each in sorted(sites) if imitates(name, each.partition(".")[0])), "")


def _registered(labels: list[str], site: str) -> str:
    """Return the registered label in native letters."""
    return labels[-len(site.split(".")) :][0]


def imitates(name: str, original: str) -> bool:
    """Return whether `name` is another name than `original` and looks the same."""
    return len(original) > 3 and name != original and _skeleton(name) == _skeleton(original)


_THRICE = re.compile(r"(.)\1{2,}")


@lru_cache(maxsize=1024)
def _skeleton(name: str) -> str:
    bare = "".join(char for char in normalize("NFD", name) if not combining(char))
    latin = "".join(char if char.isascii() else latin_lookalike(char) or char for char in bare)
    # No known name has a letter three times in a row, and three look like two.
    return _THRICE.sub(r"\1\1", latin.replace("rn", "m").replace("vv", "w").translate(_ALIKE))


def _letter_like(char: str) -> str:
    # Small capitals are phonetic signs, which names do not contain; other forms of Latin letters occur.
    return latin_lookalike(char) if "SMALL CAPITAL" in name_of(char, "") or not latin_form(char) else ""


def _front(labels: list[str]) -> str:
    """Return the site that the labels seem to begin with, or ""."""
    suffix = suffixes().publicsuffix(".".join(labels)) or ""
    own = labels[: len(labels) - len(suffix.split("."))] if suffix else labels
    for index, label in enumerate(own):
        if found := _brand_in(label):
            return found
        if index and (end := _suffix_at(own, index)):
            return f"{own[index - 1]}.{end}"
    return ""


def _brand_in(label: str) -> str:
    found = _BRAND_IN_LABEL.search(label)
    return found[0].strip("-") if found and found[1].rpartition("-")[2] in known.NAMES else ""


def _suffix_at(labels: list[str], index: int) -> str:
    """Return the apparent public suffix at `index`: an unmistakable one, or one after a known name."""
    first = _NOT_PLAIN.split(labels[index])[0]
    if first in _GENERIC:
        return first
    two = ".".join([first, *labels[index + 1 : index + 2]])
    if first in _SECOND_LEVEL and "." in two and suffixes().publicsuffix(two) == two:
        return two
    return first if len(first) == 2 and labels[index - 1] in known.NAMES and suffixes().is_public(first) else ""
