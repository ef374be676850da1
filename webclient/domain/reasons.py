"""Sentences for reasons: one for each code, rendered when it is shown, in the language of the reader.

Nothing else makes such sentences, stores them or compares them; `docs/reasons.md` lists them. Also finds the codes
whose sentences contain a searched word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from string import Formatter

from webclient.domain.durations import duration
from webclient.domain.i18n import N_, gettext, ngettext, sentences
from webclient.domain.model import CallError, ConnectionFault, Param, Plural, Reason, ReasonCode, Sentence

LISTS: Mapping[str, str] = {
    "tools": N_("Tools"),
    "prompts": N_("Prompts"),
    "resources": N_("Resources"),
    "resourceTemplates": N_("Resource templates"),
}
"""The words for the parameter `list`, which is MCP's own name of a list."""

_PLACEHOLDER = re.compile(r"\{[^}]*\}")


def sentence(reason: Reason) -> str:
    """Return the sentence of a reason in the language of the context; a server's words in it are unchanged."""
    return _pattern(reason.code.sentence, reason.params).format_map(_shown(reason.params))


def message(error: CallError | ConnectionFault) -> str:
    """Return the sentence on an error: our reason, the server's message, or both."""
    if isinstance(error, CallError):
        return sentence(error.reason) if error.reason else error.message or ""
    said = [Reason.of(ReasonCode.SERVER_SAID, words=error.said)] if error.said else []
    return sentences(map(sentence, [error.reason, *said]))


def parameters(code: ReasonCode) -> frozenset[str]:
    """Return the names of the parameters that reasons with this code have."""
    pattern = code.sentence
    text = pattern if isinstance(pattern, str) else pattern.one + pattern.many
    return frozenset(name for _text, name, _spec, _conversion in Formatter().parse(text) if name)


def codes_saying(word: str) -> list[ReasonCode]:
    """Return the codes whose sentences in the context's language contain `word`, ignoring case."""
    wanted = word.casefold()
    return [code for code in ReasonCode if wanted in _fixed(code.sentence)]


def words_of(reason: Reason | None) -> list[str]:
    """Return the parameters of a reason as text; a search finds them besides its sentence."""
    return [str(value) for value in _shown(reason.params).values()] if reason else []


def _fixed(pattern: Sentence) -> str:
    forms = [gettext(pattern)] if isinstance(pattern, str) else [ngettext(pattern.one, pattern.many, n) for n in (1, 2)]
    return _PLACEHOLDER.sub("\n", "\n".join(forms)).casefold()


def _pattern(pattern: Sentence, params: Mapping[str, Param]) -> str:
    if isinstance(pattern, Plural):
        return ngettext(pattern.one, pattern.many, int(params[pattern.by]))
    return gettext(pattern)


def _shown(params: Mapping[str, Param]) -> Mapping[str, Param]:
    shown = dict(params)
    if "duration" in params:
        shown["duration"] = duration(timedelta(seconds=float(params["duration"])))
    if (name := params.get("list")) in LISTS:
        shown["list"] = gettext(LISTS[str(name)])
    return shown
