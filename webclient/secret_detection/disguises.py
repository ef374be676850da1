"""The ways in which a person may read a text that was written so that a program does not recognise it."""

from __future__ import annotations

import re
from unicodedata import normalize

from webclient.confusables import folded, latin_lookalike

MAX_SPELLED = 60
"""Letters that stand alone are read as one word up to this length."""

_SEPARATORS = re.compile(r"[_\-./\\|:·•~*+,;\s‐-―⁃−・]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SPELLED = re.compile(rf"(?<!\w)[^\W_](?:[ _.·•|*‐-―-][^\W_]){{2,{MAX_SPELLED}}}(?!\w)[.]?")
_INSIDE_A_WORD = re.compile(r"(?<=[^\W\d_])[.·•|*~-](?=[^\W\d_])")
_STANDS_FOR_LETTERS = re.compile(r"(?=\S{0,40}[a-z])[\w@$!€£]{0,40}[0-9@$!€£][\w@$!€£]{0,40}")
_LETTERS = str.maketrans("013457@$!€£", "oieastasiel")
_WRITTEN_OUT = re.compile(r"⟦U\+[0-9A-F]{4,6}⟧")
"""What stands for an invisible character in a label (`text.visible`)."""

_FOREIGN = re.compile(r"[^\W\d_a-zA-Z]")


def readings(text: str) -> tuple[str, ...]:
    """Return `text` in small letters with single spaces, in each way in which it may be meant to be read.

    As it is; with camel case taken apart; with letters of other alphabets, digits and signs read as the letters that
    they look like; with letters that stand alone, and parts of words, put together.
    """
    text = _WRITTEN_OUT.sub("", text)
    latin = _as_latin(text)
    written = [text, _CAMEL.sub(" ", text), latin, _INSIDE_A_WORD.sub("", latin)]
    found = dict.fromkeys(_spaced(folded(each)) for each in dict.fromkeys(map(joined, written)))
    found |= dict.fromkeys(_STANDS_FOR_LETTERS.sub(_with_letters, read) for read in list(found))
    return tuple(found)


def joined(text: str) -> str:
    """Return `text` with letters that stand alone, as in "p a s s" or "P.I.N.", written as words."""
    return _SPELLED.sub(lambda found: re.sub(r"[\W_]", "", found[0]), text)


def _spaced(text: str) -> str:
    return " ".join(_SEPARATORS.sub(" ", text).split())


def _as_latin(text: str) -> str:
    """Letters of other alphabets become those that they look like, in words that are then written in a to z."""
    if not _FOREIGN.search(text):
        return text
    return " ".join(_word_as_latin(word) for word in normalize("NFKC", text).split(" "))


def _word_as_latin(word: str) -> str:
    # Before the letters are made small: many capitals look alike whose small letters do not.
    latin = "".join(char if char.isascii() else latin_lookalike(char) or char for char in word)
    return latin if latin.isascii() else word


def _with_letters(found: re.Match[str]) -> str:
    return found[0].translate(_LETTERS)
