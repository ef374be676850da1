"""A sentence that depends on a number; it is translated when rendered."""

from __future__ import annotations

from typing import NamedTuple


class Plural(NamedTuple):
    """A sentence in the forms of a number, which is the parameter `by`."""

    one: str
    many: str
    by: str = "n"


Sentence = str | Plural
