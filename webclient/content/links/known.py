"""Sites that are often imitated, and the words around a name that imitations use, from `known.toml`."""

from __future__ import annotations

import tomllib
from importlib.resources import files

_TABLE = {
    key: frozenset(words.split())
    for key, words in tomllib.loads((files(__package__) / "known.toml").read_text("utf-8")).items()
}

SITES = _TABLE["accounts"] | _TABLE["money"]

LABELS = frozenset(site.partition(".")[0] for site in SITES)
"""Their first labels."""

NAMES = frozenset(label for label in LABELS if len(label) > 4)
"""Labels that are long enough to be unambiguous within another word."""

OWNED = _TABLE["owned"]
"""Further sites of the same companies."""

WORDS = _TABLE["words"]
"""Names that are words as well, and part of many honest host names."""

COMPANIES_OWN = _TABLE["companies_own"]
"""Names that companies put before their own domain for a tool or a connection."""

HOSTS_OF_TOPICS = _TABLE["hosts_of_topics"]
"""Sites with a name in front, or in the path, for each topic or customer."""

LURES = _TABLE["lures"]
"""Words that imitations add to a known name."""

LURING_SUFFIXES = _TABLE["luring_suffixes"]
"""Top-level domains that cost little and where known companies seldom have a site."""

NEIGHBOURS = _TABLE["neighbours"]
"""Words and sites that are one slip away from a known name, and are none."""
