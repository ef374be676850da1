"""Search of the history: the words of an entry in one text, compared without regard to case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, or_

from webclient.reasons import codes_saying

LONGEST = 2000
"""Characters of an entry that are searched; a message may be a thousand times as long."""

MOST = 10
"""Words that a search is made for; more hardly make it narrower."""


def search_text_of(*words: Any) -> str:
    """Return the text by which an entry is found; values that are not texts are left out."""
    text = "\n".join(each for each in words if isinstance(each, str)).casefold()[:LONGEST]
    # SQL takes neither half a character (a lone surrogate) nor NUL in a text.
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def contains_words(
    text: str, columns: Sequence[ColumnElement[str]], code: ColumnElement[Any] | None = None
) -> ColumnElement[bool]:
    """Return the condition that each word of `text` is in one of the columns.

    If a column with the code of a reason is given, a word may also stand in its sentence, as the context's language
    has it: codes are stored and not sentences, so everybody finds what they read, also what was written before.
    """
    wanted = search_text_of(text).split()[:MOST]
    places = [[column.contains(word, autoescape=True) for column in columns] for word in wanted]
    if code is not None:
        places = [[*place, code.in_(codes_saying(word))] for place, word in zip(places, wanted, strict=True)]
    return and_(True, *(or_(*place) for place in places))
