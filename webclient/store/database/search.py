"""Search of the history: the words of an entry in one text, compared without regard to case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, or_

from webclient.domain.reasons import codes_saying

LONGEST = 2000
"""Characters of an entry that are searched; a message may be a thousand times as long."""

LONGEST_VALUES = 4000
"""Characters of each of its arguments, answers and results that are searched."""

MOST = 10
"""Words that a search is made for; more hardly make it narrower."""


def search_text_of(*words: Any) -> str:
    """Return the text by which an entry is found; values that are not texts are left out."""
    return storable("\n".join(each for each in words if isinstance(each, str)).casefold()[:LONGEST])


def values_text_of(values: Any) -> str:
    """Return the text by which an entry is found from its JSON: names and values, at most `LONGEST_VALUES` of it."""
    found: list[str] = []
    length = 0
    left = [values]
    while left and length < LONGEST_VALUES:
        each = left.pop()
        if isinstance(each, Mapping):
            for name in reversed(list(each)):
                left += [each[name], name]
        elif isinstance(each, list):
            left += reversed(each)
        elif each is not None and not isinstance(each, bool):
            found.append(str(each)[:LONGEST_VALUES])
            length += len(found[-1]) + 1
    return storable(" ".join(found)[:LONGEST_VALUES].casefold())


def result_text_of(result: Any) -> str:
    """Return the text by which a call is found from its result: its texts, names and structured content."""
    if not isinstance(result, Mapping):
        return ""
    blocks = [block for key in ("content", "messages", "contents") for block in _dicts(result.get(key))]
    inner = [each for block in blocks for each in (_dicts(block.get("content")) or [block])]
    texts = [
        [each.get(name) for name in _NAMES] for block in inner for each in (_dicts(block.get("resource")) or [block])
    ]
    return values_text_of([result.get("description"), texts, result.get("structuredContent")])


_NAMES = ("title", "name", "uri", "description", "text")
"""The values of a block that a person reads."""


def _dicts(value: Any) -> list[Any]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, Mapping)]


def storable(text: str) -> str:
    """Return the text as SQL takes it."""
    # SQL takes neither half a character (a lone surrogate) nor NUL in a text.
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def words_of_search(text: str) -> list[str]:
    """Return the words that a search for `text` looks for, casefolded."""
    return search_text_of(text).split()[:MOST]


def contains_words(
    text: str, columns: Sequence[ColumnElement[str]], code: ColumnElement[Any] | None = None
) -> ColumnElement[bool]:
    """Return the condition that each word of `text` is in one of the columns.

    If a column with the code of a reason is given, a word may also stand in its sentence, as the context's language
    has it: codes are stored and not sentences, so everybody finds what they read, also what was written before.
    """
    wanted = words_of_search(text)
    places = [[column.contains(word, autoescape=True) for column in columns] for word in wanted]
    if code is not None:
        places = [[*place, code.in_(codes_saying(word))] for place, word in zip(places, wanted, strict=True)]
    return and_(True, *(or_(*place) for place in places))
