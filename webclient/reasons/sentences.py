"""Renders reasons, and finds the codes whose sentences contain a word that somebody searches for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from string import Formatter

from webclient.durations import duration
from webclient.i18n import gettext, ngettext
from webclient.model import CallError, ConnectionFault, Param, Reason, ReasonCode
from webclient.reasons import calls, connections, requests
from webclient.reasons.plural import Plural, Sentence

SENTENCES: Mapping[ReasonCode, Sentence] = {
    ReasonCode.UNCODED: "{sentence}",
    **requests.REFUSED,
    **requests.ENDED,
    **requests.LINKS,
    **calls.FAILED,
    **calls.NOTED,
    **connections.FAILED,
    **connections.HTTP,
}

_PLACEHOLDER = re.compile(r"\{[^}]*\}")


def sentence(reason: Reason) -> str:
    """Return the sentence of a reason, in the language of the context. What a server said in it is as it said it."""
    return _pattern(SENTENCES[reason.code], reason.params).format_map(_shown(reason.params))


def message(error: CallError | ConnectionFault) -> str:
    """Return what there is to say of an error: our reason in a sentence, or else, or as well, what the server said."""
    if isinstance(error, CallError):
        return sentence(error.reason) if error.reason else error.message or ""
    said = [Reason.of(ReasonCode.SERVER_SAID, words=error.said)] if error.said else []
    return " ".join(map(sentence, [error.reason, *said]))


def parameters(code: ReasonCode) -> frozenset[str]:
    """Return the names of the parameters that reasons with this code have."""
    pattern = SENTENCES[code]
    text = pattern if isinstance(pattern, str) else pattern.one + pattern.many
    return frozenset(name for _text, name, _spec, _conversion in Formatter().parse(text) if name)


def codes_saying(word: str) -> list[ReasonCode]:
    """Return the codes whose sentences, in the language of the context, contain `word`, in whatever case."""
    wanted = word.casefold()
    return [code for code, pattern in SENTENCES.items() if wanted in _fixed(pattern)]


def words_of(reason: Reason | None) -> list[str]:
    """Return what a search finds of a reason beside the words of its sentence: its parameters."""
    return [str(value) for value in _shown(reason.params).values()] if reason else []


def _fixed(pattern: Sentence) -> str:
    forms = [gettext(pattern)] if isinstance(pattern, str) else [ngettext(pattern.one, pattern.many, n) for n in (1, 2)]
    return _PLACEHOLDER.sub("\n", "\n".join(forms)).casefold()


def _pattern(pattern: Sentence, params: Mapping[str, Param]) -> str:
    if isinstance(pattern, Plural):
        return ngettext(pattern.one, pattern.many, int(params[pattern.by]))
    return gettext(pattern)


def _shown(params: Mapping[str, Param]) -> Mapping[str, Param]:
    seconds = params.get("duration")
    return params if seconds is None else {**params, "duration": duration(timedelta(seconds=float(seconds)))}
