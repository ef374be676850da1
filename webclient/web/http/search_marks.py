"""Marks of a search: where the words that were looked for stand in the texts that are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def marked_parts(text: str, wanted: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield the parts of `text`, each with whether it is a `wanted`, casefolded word."""
    end = 0
    for start, stop in _joined(sorted(_found(text, wanted))):
        yield text[end:start], False
        yield text[start:stop], True
        end = stop
    yield text[end:], False


def _found(text: str, wanted: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where the words are: a search compares without case, which makes two characters of some."""
    folded = [character.casefold() for character in text]
    places = [place for place, characters in enumerate(folded) for _each in characters]
    whole = "".join(folded)
    for word in wanted:
        start = whole.find(word) if word else -1
        while start >= 0:
            yield places[start], places[start + len(word) - 1] + 1
            start = whole.find(word, start + 1)


def _joined(places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the sorted places with those that overlap or touch as one."""
    last: tuple[int, int] | None = None
    for start, stop in places:
        if last and start <= last[1]:
            last = last[0], max(last[1], stop)
            continue
        if last:
            yield last
        last = start, stop
    if last:
        yield last
