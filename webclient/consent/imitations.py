"""Findings about imitations: a known name inside a longer one, and characters that no registered name has."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from webclient.consent import known
from webclient.consent.findings import Finding, info, warn
from webclient.consent.hosts import is_hosted
from webclient.i18n import gettext as _

_ODD = re.compile(r"[!-,/:-@\[-`{-~]")
"""ASCII characters other than letters, digits, hyphens and dots."""
_PARTS = re.compile(r"[^a-z0-9]+")

_LISTED = """
access account accounts alert app auth authorize bank billing bonus center check claim com confirm connect customer
gift help helpdesk hilfe id info invoice kyc login logon mail my net official online org pay payment payments portal
promo recover recovery refund register reset reward secure secured security service services session settings sign
signin signon sso support team unlock update user validate validation verification verify wallet web
"""
_LURES = frozenset(_LISTED.split())
"""Words that imitations add to a known name."""


def findings(hostname: str, readable: str, site: str, *, familiar: Collection[str]) -> Iterator[Finding]:
    """Yield findings about a known name inside this one; `familiar` are sites this user knows."""
    if odd := _ODD.search(readable):
        found = info if odd[0] == "_" else warn
        message = _("The host name contains “{char}”, which is not valid in the name of a web site.")
        yield found("odd-character", message.format(char=odd[0]))
    if site in known.SITES or site in familiar:
        return
    label = readable.rstrip(".").split(".")[-len(site.split(".")) :][0] if site else ""
    name = _known_name(label, hosted=is_hosted(hostname))
    if name:
        message = _("The name contains “{name}”, but anyone can register {site}. It need not belong to {name}.")
        yield warn("brand-in-name", message.format(name=name, site=site))


def _known_name(label: str, *, hosted: bool) -> str:
    """Return the known name in a label, if the rest of the label makes it misleading."""
    parts = [part for part in _PARTS.split(label) if part]
    for part in parts:
        for name in known.NAMES:
            if not part.startswith(name) and not part.endswith(name):
                continue
            others = [*(each for each in parts if each != part), *([part.replace(name, "", 1)] if part != name else [])]
            # Under a hosting domain the known name alone is enough: the first to ask gets it.
            if len(others) >= _enough(name, hosted=hosted) and all(_is_lure(each) for each in others):
                return name
    return ""


def _enough(name: str, *, hosted: bool) -> int:
    """Return the number of lure words that make a name with a known one suspicious."""
    if name in known.WORDS:
        return 2
    return 0 if hosted else 1


def _is_lure(part: str) -> bool:
    return part in _LURES or part.isdigit()
