"""A sentence that depends on a number, and the mark for those that do not: both are translated when rendered."""

from __future__ import annotations

from typing import NamedTuple


class Plural(NamedTuple):
    """A sentence in the forms of a number, which is the parameter `by`."""

    one: str
    many: str
    by: str = "n"


Sentence = str | Plural


def N_(sentence: str) -> str:  # noqa: N802  (the name by which tools for translators find it)
    """Mark a sentence for translation."""
    return sentence
