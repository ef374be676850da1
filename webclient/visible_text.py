"""Text that others wrote, made safe to look at: what is invisible becomes visible, what is endless ends.

Escaping for HTML is not done here: the result is plain text, and the template engine escapes it.
"""

from __future__ import annotations

from unicodedata import category

from webclient.confusables import LOOKS_EMPTY

ELLIPSIS = "…"
SHORT_LINE = 25
"""Characters in a line of a narrow page."""

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
_KEPT = frozenset("\n\t")
_MARKS_IN_A_ROW = 4


def visible(text: object, limit: int = 2_000, *, newlines: bool = False) -> str:
    """Return `text` as at most `limit` of its characters, with hidden ones written out, as in `⟦U+202E⟧`.

    Hidden are control, format (bidirectional and zero-width) and private characters, lone surrogates, fillers,
    tags and heaped-up accents: each of them can make a person read something else than what is there. Line breaks
    are kept if `newlines` is true; otherwise every run of white space becomes one space.
    """
    raw = str(text)
    cut = raw[:limit]
    spaced = cut.replace("\r\n", "\n") if newlines else " ".join(cut.split())
    shown = spaced if spaced.isascii() and spaced.isprintable() else _written_out(spaced)
    return shown + ELLIPSIS if len(raw) > limit else shown


def preview(text: object, limit: int = 500) -> tuple[str, str]:
    """Return `text` made visible in two parts: what to show at once, and the rest for whoever asks for it.

    The first part is at most `limit` characters long, and as tall as these would be in lines of `SHORT_LINE`.
    """
    whole = visible(text, 20_000, newlines=True)
    shown = "\n".join(whole[:limit].split("\n")[: max(1, limit // SHORT_LINE)])
    rest = whole[len(shown) :]
    return (shown + ELLIPSIS, ELLIPSIS + rest) if rest else (whole, "")


def shortened(text: str, limit: int) -> str:
    """Return `text` as it is, or its beginning and an ellipsis."""
    return text if len(text) <= limit else text[:limit] + ELLIPSIS


def hides_something(text: str) -> bool:
    """Whether `text` holds characters that a person cannot see in a field."""
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
    if char in _KEPT or _joins_pictures(char, text, index):
        return False
    return (
        category(char) in _HIDDEN_CATEGORIES
        or char in LOOKS_EMPTY
        or "\ufe00" <= char <= "\ufe0d"
        or 0xE0000 <= ord(char) <= 0xE0FFF
    )


def _joins_pictures(char: str, text: str, index: int) -> bool:
    """A zero-width joiner between two pictures makes one picture of them, which is to be seen."""
    neighbours = text[index - 1 : index] + text[index + 1 : index + 2]
    return char == "\u200d" and len(neighbours) == 2 and all(n == "\ufe0f" or ord(n) > 0x2000 for n in neighbours)
