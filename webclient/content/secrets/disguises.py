"""Undoes disguises: the ways in which a person may read a text that is written to escape recognition."""

from __future__ import annotations

import re
from unicodedata import normalize

from webclient.content.confusables import folded, latin_lookalike

MAX_SPELLED = 60
"""The most single letters that are read as one word."""

_SEPARATORS = re.compile(r"[_\-./\\|:·•~*+,;\s‐-―⁃−・]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SPELLED = re.compile(rf"(?<!\w)[^\W_](?:[ _.·•|*‐-―-][^\W_]){{2,{MAX_SPELLED}}}(?!\w)[.]?")
_INSIDE_A_WORD = re.compile(r"(?<=[^\W\d_])[.·•|*~-](?=[^\W\d_])")
_STANDS_FOR_LETTERS = re.compile(r"(?=\S{0,40}[a-z])[\w@$!€£]{0,40}[0-9@$!€£][\w@$!€£]{0,40}")
_LETTERS = str.maketrans("013457@$!€£", "oieastasiel")
_WRITTEN_OUT = re.compile(r"⟦U\+[0-9A-F]{4,6}⟧")
"""The notation for an invisible character in a label (`visible_text.visible`)."""

_FOREIGN = re.compile(r"[^\W\d_a-zA-Z]")


def readings(text: str) -> tuple[str, ...]:
    """Return all plausible readings of `text`, in small letters with single spaces.

    As it is; with camel case split; with letters of other alphabets, digits and signs replaced by the letters that they
    look like; with single letters and parts of words joined.
    """
    text = _WRITTEN_OUT.sub("", text)
    latin = _as_latin(text)
    written = [text, _CAMEL.sub(" ", text), latin, _INSIDE_A_WORD.sub("", latin)]
    found = dict.fromkeys(_spaced(folded(each)) for each in dict.fromkeys(map(joined, written)))
    found |= dict.fromkeys(_STANDS_FOR_LETTERS.sub(_with_letters, read) for read in list(found))
    return tuple(found)


def joined(text: str) -> str:
    """Join single letters into words, as in "p a s s" or "P.I.N."."""
    return _SPELLED.sub(lambda found: re.sub(r"[\W_]", "", found[0]), text)


def _spaced(text: str) -> str:
    return " ".join(_SEPARATORS.sub(" ", text).split())


def _as_latin(text: str) -> str:
    """Replace letters of other alphabets by Latin lookalikes in words that become plain Latin."""
    if not _FOREIGN.search(text):
        return text
    return " ".join(_word_as_latin(word) for word in normalize("NFKC", text).split(" "))


def _word_as_latin(word: str) -> str:
    # Before lower-casing: many capitals look alike when their small letters do not.
    latin = "".join(char if char.isascii() else latin_lookalike(char) or char for char in word)
    return latin if latin.isascii() else word


def _with_letters(found: re.Match[str]) -> str:
    return found[0].translate(_LETTERS)
