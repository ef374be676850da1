"""Notes on a server's lists: why entries are missing, and which names of tools break the rules."""

from __future__ import annotations

from collections.abc import Mapping

from webclient.domain.i18n import N_
from webclient.domain.model import ReasonCode
from webclient.domain.reasons.plural import Plural, Sentence

LISTS: Mapping[str, str] = {
    "tools": N_("Tools"),
    "prompts": N_("Prompts"),
    "resources": N_("Resources"),
    "resourceTemplates": N_("Resource templates"),
}
"""The words for the parameter `list`, which is MCP's own name of a list."""

OMITTED: Mapping[ReasonCode, Sentence] = {
    ReasonCode.LIST_TOO_LONG: N_(
        "{list}: only the first {n:,} are listed, which is the limit (setting max_catalog_entries)."
    ),
    ReasonCode.LIST_TOO_LARGE: N_(
        "{list}: only the first {n:,} are listed, because all of them exceed the limit (setting max_catalog_bytes)."
    ),
    ReasonCode.LIST_ENTRIES_INVALID: Plural(
        "{list}: {n} entry is left out, because it is not described as MCP demands: {names}.",
        "{list}: {n} entries are left out, because they are not described as MCP demands: {names}.",
    ),
}

NAMED: Mapping[ReasonCode, Sentence] = {
    ReasonCode.TOOL_NAMES_IRREGULAR: Plural(
        "{list}: {n} name breaks MCP’s rules (1 to 128 characters of A–Z, a–z, 0–9, “_”, “-” and “.”): {names}. "
        "You can run the tool here; other programs may refuse it.",
        "{list}: {n} names break MCP’s rules (1 to 128 characters of A–Z, a–z, 0–9, “_”, “-” and “.”): {names}. "
        "You can run these tools here; other programs may refuse them.",
    ),
    ReasonCode.TOOL_NAMES_REPEATED: Plural(
        "{list}: {n} name is used more than once: {names}. The server decides which of these tools runs.",
        "{list}: {n} names are used more than once: {names}. The server decides which of these tools runs.",
    ),
}
