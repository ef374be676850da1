"""Findings about imitations: a known name inside another site's address, and characters that no registered name has."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from webclient.content.links import known
from webclient.content.links.findings import Finding, info, warn
from webclient.content.links.hosts import is_hosted, site
from webclient.content.links.lookalikes import MAX_LABEL, MAX_LABELS, imitates
from webclient.content.links.slips import slip_of
from webclient.domain.i18n import gettext as _

_ODD = re.compile(r"[!-,/:-@\[-`{-~]")
"""ASCII characters other than letters, digits, hyphens and dots."""
_PARTS = re.compile(r"[^a-z0-9]+")
_LAST_DIGITS = re.compile(r"[0-9]+$")
_WHOLE = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+")

_LONGEST_PART = 40
"""Characters of a part that is taken for lures written together."""

_MOST_PARTS = 20
"""Parts of a path that are examined."""

_LONGEST_PATH = 500
"""Characters of a path that are examined."""

_CODE_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org"})
"""Sites whose host names honest paths begin with, as those of Go modules do."""


def findings(hostname: str, readable: str, own_site: str, path: str, *, familiar: Collection[str]) -> Iterator[Finding]:
    """Yield findings about a known name inside this address; `familiar` are sites this user knows."""
    if odd := _ODD.search(readable):
        found = info if odd[0] == "_" else warn
        message = _("The host name contains “{char}”, which is not valid in the name of a web site.")
        yield found("odd-character", message.format(char=odd[0]))
    if any(own_site in sites for sites in (known.SITES, known.OWNED, familiar)) or _is_host_of_topics(own_site):
        return
    # Longer names exist in no DNS (RFC 1035 section 2.3.4), so examining their rest would only cost time.
    labels = [label[:MAX_LABEL] for label in readable.rstrip(".").split(".")[-MAX_LABELS:]]
    own = labels[-len(own_site.split(".")) :] if own_site else []
    hosted = is_hosted(hostname)
    name = _known_name(own[0], own[-1], hosted=hosted) if own else ""
    name = name or _name_in_front(labels[: len(labels) - len(own)])
    if name:
        message = _("The name contains “{name}”, but anyone can register {site}. It need not belong to {name}.")
        yield warn("brand-in-name", message.format(name=name, site=own_site))
    elif host := _host_in_path(path):
        message = _("The path contains “{host}”, but the link opens {site}.")
        yield warn("brand-in-path", message.format(host=host, site=own_site))


def _known_name(label: str, top: str, *, hosted: bool) -> str:
    """Return the known name in a label, if the rest of the label, or its top-level domain, makes it misleading."""
    parts = [part for part in _PARTS.split(label) if part]
    for index, part in enumerate(parts):
        others = [*parts[:index], *parts[index + 1 :]]
        for name, rest in _names_in(part):
            lures = [*others, rest] if rest else others
            # A cheap top-level domain says as much as a word.
            bonus = int(top in known.LURING_SUFFIXES)
            if len(lures) + bonus >= _enough(name, hosted=hosted) and all(_is_lure(each) for each in lures):
                return name
    return ""


def _names_in(part: str) -> Iterator[tuple[str, str]]:
    """Yield the known names that a part is, misspells, begins or ends with, and the rest of the part."""
    if part in known.LABELS:
        yield part, ""
        return
    for name in known.NAMES:
        if part.startswith(name) or part.endswith(name):
            yield name, part.replace(name, "", 1)
        elif imitates(part, name):
            yield name, ""
    if original := slip_of(part, ()):
        yield original.partition(".")[0], ""


def _name_in_front(front: list[str]) -> str:
    """Return the known name among the labels before the site, if companies do not put it there themselves."""
    for label in front:
        if label in known.NAMES and label not in known.COMPANIES_OWN and label not in known.WORDS:
            return label
        parts = _PARTS.split(label)
        others = [part for part in parts if part not in known.NAMES]
        if len(others) == len(parts) - 1 and others and all(_is_lure(part) for part in others):
            return next(part for part in parts if part in known.NAMES)
    return ""


def _host_in_path(path: str) -> str:
    """Return the known host that a path pretends to be on: its first part, or any beside a word that lures."""
    parts = [part for part in path[:_LONGEST_PATH].lower().split("/", _MOST_PARTS)[1:] if part]
    lured = any(_is_lure(word) for part in parts for word in _PARTS.split(part) if not _WHOLE.fullmatch(part))
    for index, part in enumerate(parts):
        its = site(part) if _WHOLE.fullmatch(part) else ""
        if its in known.SITES and (lured or (index == 0 and its not in _CODE_HOSTS)):
            return part
    return ""


def _is_host_of_topics(own_site: str) -> bool:
    return any(f".{own_site}".endswith(f".{each}") for each in known.HOSTS_OF_TOPICS)


def _enough(name: str, *, hosted: bool) -> int:
    """Return the number of lure words that make a name with a known one suspicious."""
    if name in known.WORDS:
        return 2
    # Under a hosting domain the known name alone is enough: the first to ask gets it.
    return 0 if hosted else 1


def _is_lure(part: str) -> bool:
    """Return whether a part is a word that lures, several of them, or a number."""
    if part.isdigit() or part in known.LURES:
        return True
    bare = _LAST_DIGITS.sub("", part[:_LONGEST_PART])
    if bare in known.LURES:
        return True
    return any(bare[:at] in known.LURES and bare[at:] in known.LURES for at in range(2, len(bare) - 1))
