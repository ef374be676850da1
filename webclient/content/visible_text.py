"""Makes hostile text safe to look at: invisible characters are written out, and the length is limited.

The result is plain text; the template engine escapes it for HTML.
"""

from __future__ import annotations

from unicodedata import category

from webclient.content.confusables import LOOKS_EMPTY
from webclient.domain.i18n import ngettext

ELLIPSIS = "…"
LONGEST = 20_000
"""The most characters of one text that a page shows."""

HEADING = 200
"""Characters of a message that make a heading; the rest stands below it."""

SHORT_LINE = 25
"""Characters in a line of a narrow page."""

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
_LINE_BREAKS_AND_TABS = frozenset("\n\t")
_MARKS_IN_A_ROW = 4


def visible(text: object, limit: int = 2_000, *, newlines: bool = False) -> str:
    """Return at most `limit` characters of `text`, with hidden ones written as `⟦U+202E⟧`.

    Hidden are control, format (bidirectional and zero-width) and private characters, lone surrogates, fillers,
    tags and stacked accents: each can make a person misread the text. With `newlines`, line breaks stay; otherwise each
    run of white space becomes one space.
    """
    raw = str(text)
    cut = raw[:limit]
    spaced = cut.replace("\r\n", "\n") if newlines else " ".join(cut.split())
    shown = spaced if spaced.isascii() and spaced.isprintable() else _written_out(spaced)
    return shown + ELLIPSIS if len(raw) > limit else shown


def counted(text: object, limit: int = 2_000, *, newlines: bool = False) -> str:
    """Return `text` as `visible` does; if it is cut, with the number of characters that are missing."""
    raw = str(text)
    shown, n = visible(raw, limit, newlines=newlines), len(raw) - limit
    return shown if n <= 0 else f"{shown} {ngettext('({n} more character)', '({n} more characters)', n).format(n=n)}"


def heading_and_rest(message: str) -> tuple[str, str]:
    """Return a message, made visible, as a heading of one line and the rest."""
    whole = counted(message, LONGEST, newlines=True).strip()
    line, _break, rest = whole.partition("\n")
    if len(line) <= HEADING:
        return line, rest.strip("\n")
    end = line.rfind(" ", HEADING // 2, HEADING)
    end = end if end > 0 else HEADING
    return f"{line[:end]}{ELLIPSIS}", f"{ELLIPSIS}{whole[end:].lstrip(' ')}"


def preview(text: object, limit: int = 500, longest: int = LONGEST) -> tuple[str, str]:
    """Return `text`, made visible, in two parts: a preview and the rest, which counts what it lacks of a huge text.

    The preview has at most `limit` characters, and at most the lines that these fill at `SHORT_LINE` each.
    """
    whole = counted(text, longest, newlines=True)
    shown = "\n".join(whole[:limit].split("\n")[: max(1, limit // SHORT_LINE)])
    rest = whole[len(shown) :]
    return (shown + ELLIPSIS, ELLIPSIS + rest) if rest else (whole, "")


def shortened(text: str, limit: int) -> str:
    """Return `text` as it is, or its beginning and an ellipsis."""
    return text if len(text) <= limit else text[:limit] + ELLIPSIS


def hides_something(text: str) -> bool:
    """Return whether `text` contains characters that are invisible in a field."""
    return _written_out(text) != text


def _written_out(text: str) -> str:
    shown: list[str] = []
    marks = 0
    for index, char in enumerate(text):
        marks = marks + 1 if category(char) == "Mn" else 0
        hidden = marks > _MARKS_IN_A_ROW or _is_hidden(char, text, index)
        shown.append(f"⟦U+{ord(char):04X}⟧" if hidden else char)
    return "".join(shown)


def _is_hidden(char: str, text: str, index: int) -> bool:
    if char in _LINE_BREAKS_AND_TABS or _joins_pictures(char, text, index):
        return False
    return (
        category(char) in _HIDDEN_CATEGORIES
        or char in LOOKS_EMPTY
        or "\ufe00" <= char <= "\ufe0d"
        or 0xE0000 <= ord(char) <= 0xE0FFF
    )


def _joins_pictures(char: str, text: str, index: int) -> bool:
    """Whether `char` is a zero-width joiner between two emoji, which is visible as one emoji."""
    neighbours = text[index - 1 : index] + text[index + 1 : index + 2]
    return char == "\u200d" and len(neighbours) == 2 and all(n == "\ufe0f" or ord(n) > 0x2000 for n in neighbours)
