"""What an entry of the history is searched by: its words in one text, compared without regard to case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, or_

LONGEST = 2000
"""Characters of an entry that are searched; a message may be a thousand times as long."""

MOST = 10
"""Words that a search is made for; more hardly make it narrower."""


def searchable(*words: Any) -> str:
    """Return the text under which an entry with these words is kept; what is no text is left out."""
    text = "\n".join(each for each in words if isinstance(each, str)).casefold()[:LONGEST]
    # SQL takes neither half a character (a lone surrogate) nor NUL in a text.
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def holding(text: str, columns: Sequence[ColumnElement[str]]) -> ColumnElement[bool]:
    """Return the condition that each word of `text` stands in one of the columns, which are all in lower case."""
    wanted = searchable(text).split()[:MOST]
    return and_(True, *(or_(*(column.contains(word, autoescape=True) for column in columns)) for word in wanted))
