"""The space between a sentence and what follows it in a template, as the language of the reader writes it.

English puts one there; Chinese has it in its full-width marks already, and a second one would tear the line apart.
"""

from __future__ import annotations

import re

from jinja2.ext import Extension

from webclient.domain.i18n import listed, sentences

_SENTENCE = r"""
    (\{\{-?\s(?:(?!\}\}).)*?[.:?!]"[,)](?:(?!\}\}).)*\}\}  # an expression with a whole sentence
    (?:</\w+>)?)                                        # the end of an element around it
"""
_BLOCK = r"\{%-?(?:(?!%\}).)*%\}"

_FOLLOWED = re.compile(
    rf"""{_SENTENCE}
    ((?:(?:\s*(?=\{{%-))?{_BLOCK})*)                      # conditions on what follows
    [ ]+(?=[^ \n])
    """,
    re.VERBOSE,
)

_ON_NEXT_LINE = re.compile(
    rf"""{_SENTENCE}
    ((?:{_BLOCK})*(?<!-%\}}))\n[ ]*(?!\{{%-)((?:{_BLOCK})*)  # conditions before and after the end of the line
    (?=\{{\{{\s(?:_|ngettext)\()                           # the next sentence, without an element between them
    """,
    re.VERBOSE,
)


def gap() -> str:
    """Return what stands between two sentences in the language of the context."""
    return sentences(["", ""])


def comma() -> str:
    """Return what stands between two entries of a list in the language of the context."""
    return listed(["", ""])


class SentenceGaps(Extension):
    """Replaces each space after a translated sentence by that of the language, when a template is compiled."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002
        """Return the source with `gap` in it; a template that forgets it cannot be written by mistake."""
        return _ON_NEXT_LINE.sub(r"\1\2{{ gap() }}\3", _FOLLOWED.sub(r"\1\2{{ gap() }}", source))
