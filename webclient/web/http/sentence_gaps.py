"""The space between a sentence and what follows it in a template, as the language of the reader writes it.

English puts one there; Chinese has it in its full-width marks already, and a second one would tear the line apart.
"""

from __future__ import annotations

import re

from jinja2.ext import Extension

from webclient.domain.i18n import sentences

_FOLLOWED = re.compile(
    r"""
    (\{\{-?\s(?:(?!\}\}).)*?[.:?!]"[,)](?:(?!\}\}).)*\}\}  # an expression with a whole sentence
    (?:</\w+>)?                                         # the end of an element around it
    (?:\{%-?(?:(?!%\}).)*%\})*)                         # conditions on what follows
    [ ]+(?=[^ \n])
    """,
    re.VERBOSE,
)


def gap() -> str:
    """Return what stands between two sentences in the language of the context."""
    return sentences(["", ""])


class SentenceGaps(Extension):
    """Replaces each space after a translated sentence by that of the language, when a template is compiled."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002
        """Return the source with `gap` in it; a template that forgets it cannot be written by mistake."""
        return _FOLLOWED.sub(r"\1{{ gap() }}", source)
