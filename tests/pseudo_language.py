"""A language for tests in which translated text has no plain letters, so that what is not translated stands out."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from gettext import NullTranslations

from tests.written import in_markup

_FULL_WIDTH = {ord(char): ord(char) + 0xFEE0 for char in map(chr, range(0x21, 0x7F)) if char.isalpha()}
_PLACEHOLDER = re.compile(r"(\{[^{}]*\})")


class Pseudo(NullTranslations):
    """Writes each letter in its full-width form; placeholders stay. Dates are Chinese ones, which have no letters."""

    def info(self) -> dict[str, str]:
        """Return the language whose dates and numbers are used."""
        return {"language": "zh_Hans"}

    def gettext(self, message: str) -> str:
        """Return `message` in full-width letters."""
        parts = _PLACEHOLDER.split(message)
        return "".join(part if part.startswith("{") else part.translate(_FULL_WIDTH) for part in parts)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return the form of the message that fits `n`, in full-width letters."""
        return self.gettext(msgid1 if n == 1 else msgid2)


def untranslated(page: str, data: Iterable[str]) -> set[str]:
    """Return the texts of a page with words that are neither translated nor `data`."""
    plain = re.sub(r"<(code|pre|kbd|style|script|bdi)\b.*?</\1>", " ", page, flags=re.DOTALL)
    known = sorted({" ".join(each.split()) for each in data if re.search("[A-Za-z]{2}", each)}, key=len, reverse=True)
    words = re.compile(r"(?<![A-Za-z])(?:" + "|".join(map(re.escape, known or ["$^"])) + ")(?![A-Za-z])")
    texts = {text: words.sub(" ", " ".join(html.unescape(text).split())) for text in in_markup(plain)}
    return {text for text, left in texts.items() if re.search(r"[A-Za-z]{2,}", left)}
