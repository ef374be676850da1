"""The changes from one text to another, within bounds for each pair of texts."""

from __future__ import annotations

from time import process_time

from webclient.content.text_changes import compare


def test_words_are_compared_and_long_equal_parts_shortened() -> None:
    """A person sees the changed words with some text around them, not the whole text twice."""
    pieces = compare(f"{'a ' * 200}Lisbon is nice", f"{'a ' * 200}Porto is nice")
    assert [kind for kind, _text in pieces] == ["same", "removed", "added", "same"]
    assert [text for kind, text in pieces if kind in ("removed", "added")] == ["Lisbon", "Porto"]
    assert len(pieces[0][1]) < 200


def test_a_long_text_is_compared_within_bounds() -> None:
    """Both texts may have a megabyte without any line in common."""
    begun = process_time()
    compare("\n".join(map(str, range(60_000))), "\n".join(map(str, range(60_000, 120_000))))
    compare("word " * 40_000, "other " * 40_000)
    assert process_time() - begun < 5


def test_texts_of_few_words_are_compared_within_bounds() -> None:
    """The usual algorithm needs minutes for these."""
    begun = process_time()
    pieces = compare("a b " * 1_000, "a c " * 1_000)
    assert process_time() - begun < 1
    assert {kind for kind, _text in pieces} == {"same", "added", "removed"}


def test_the_pieces_are_both_texts_again() -> None:
    before, after = "Pay an invoice.\nTwice  a day!", "Pay any invoice of mine.\nOnce a day"
    pieces = compare(before, after)
    assert "".join(text for kind, text in pieces if kind != "added") == before
    assert "".join(text for kind, text in pieces if kind != "removed") == after
