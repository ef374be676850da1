"""Confusable characters: folds text to the plain letters that a person takes it for.

Unicode's table of confusables (UTS #39) covers other alphabets; Latin letters with a bar, small capitals and letters in
a box are recognised by their Unicode names.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import category, combining, name, normalize

_LATIN = re.compile(r"(?:LATIN|REGIONAL INDICATOR)\b.*\b([A-Z])(?: WITH .*)?\Z")
_SPELLED_OUT = {"ß": "ss", "ẞ": "ss", "æ": "ae", "œ": "oe", "ə": "e", "ð": "d", "þ": "th", "ŋ": "n", "ĸ": "k", "ƿ": "w"}
_CORRECTED = {"ӏ": "l", "Ӏ": "l"}
"""The Cyrillic palochka: Unicode lists it as an i, but in every font it looks like an l."""

LOOKS_EMPTY = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Letters, marks and symbols that are invisible."""

_WITHOUT_MARKS = ("LATIN", "GREEK", "CYRILLIC", "ARABIC", "HEBREW")
"""Scripts whose marks are optional; in other scripts a mark is a vowel or a consonant."""


def folded(text: str) -> str:
    """Return `text` in small letters without accents or invisible characters, in compatible forms (NFKC)."""
    if text.isascii():
        return text.lower()
    shown = "".join(char for char in normalize("NFKC", text) if not _is_invisible(char))
    return normalize("NFC", "".join(_bare(shown.lower())))


def _is_invisible(char: str) -> bool:
    return category(char) == "Cf" or char in LOOKS_EMPTY or "\ufe00" <= char <= "\ufe0f"


def _bare(text: str) -> list[str]:
    shown: list[str] = []
    base = ""
    for char in normalize("NFD", text):
        if not combining(char):
            base = char
        elif base.isascii() or name(base, "").startswith(_WITHOUT_MARKS):
            continue
        shown.append(_SPELLED_OUT.get(char) or (char if char.isascii() else latin_form(char) or char))
    return shown


@lru_cache(maxsize=4096)
def latin_form(char: str) -> str:
    """Return the Latin letter that `char` varies (ł, ɢ, ø, 🅰), or ""."""
    found = _LATIN.search(name(char, ""))
    return found[1].lower() if found else ""


@lru_cache(maxsize=4096)
def latin_lookalike(char: str) -> str:
    """Return the ASCII letter or digit that `char` looks like, or "" (UTS #39)."""
    if char in _CORRECTED:
        return _CORRECTED[char]
    likes = (each.lower() for each in ascii_lookalikes(char) if each.isalnum() and len(each) == 1)
    return latin_form(char) or next(likes, "")


def ascii_lookalikes(char: str) -> list[str]:
    """Return every ASCII text that `char` can be confused with."""
    # Only when the first such letter comes: the table takes 7 MB, and most texts are plain.
    from confusable_homoglyphs.confusables import confusables_data  # noqa: PLC0415

    return [like["c"] for like in confusables_data.get(char, ()) if like["c"].isascii()]
