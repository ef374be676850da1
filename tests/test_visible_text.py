"""Server text made safe to look at."""

from __future__ import annotations

from tests.tables import each_row
from webclient.content.visible_text import hides_something, preview, visible


@each_row(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("a\u202eb", "a⟦U+202E⟧b"),
        ("a\u2066b\u2069", "a⟦U+2066⟧b⟦U+2069⟧"),
        ("a\u200bb\ufeff", "a⟦U+200B⟧b⟦U+FEFF⟧"),
        ("a\x00\x1b[31m\x7f", "a⟦U+0000⟧⟦U+001B⟧[31m⟦U+007F⟧"),
        ("\ud800", "⟦U+D800⟧"),
        ("a\u3164\u115f\u2800b", "a⟦U+3164⟧⟦U+115F⟧⟦U+2800⟧b"),
        ("a\U000e0041b", "a⟦U+E0041⟧b"),
        ("a\U000e0100\ufe00b", "a⟦U+E0100⟧⟦U+FE00⟧b"),
        ("soft\u00adhyphen", "soft⟦U+00AD⟧hyphen"),
        ("\ue000", "⟦U+E000⟧"),
        ("h\u00e9llo 世界 ☀\ufe0f", "h\u00e9llo 世界 ☀\ufe0f"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("a\u200db", "a⟦U+200D⟧b"),
        ("Z" + "\u0301" * 6, "Z" + "\u0301" * 4 + "⟦U+0301⟧" * 2),
        ("  many \n\n spaces\u2028here  ", "many spaces here"),
        (12, "12"),
        (None, "None"),
    ],
)
def test_point_46_what_is_hidden_becomes_visible(raw: object, shown: str) -> None:
    assert visible(raw) == shown


def test_line_breaks_are_kept_when_wanted() -> None:
    assert visible("a\r\n\n b\u2028", newlines=True) == "a\n\n b⟦U+2028⟧"


def test_a_long_text_ends_in_an_ellipsis() -> None:
    assert visible("x" * 11, 10) == "x" * 10 + "…"
    assert visible("x" * 10, 10) == "x" * 10


def test_a_very_long_hostile_text_is_cut_before_it_is_looked_at() -> None:
    assert len(visible("\u202e" * 1_000_000, 100)) == 100 * len("⟦U+202E⟧") + 1


def test_a_long_text_is_parted_and_nothing_is_lost() -> None:
    head, rest = preview("a" * 700, 500)
    assert head.rstrip("…") + rest.lstrip("…") == "a" * 700
    assert preview("short") == ("short", "")


def test_a_tall_text_is_parted_too() -> None:
    head, rest = preview("a\n" * 50, 500)
    assert head == "a\n" * 19 + "a…"
    assert head.rstrip("…") + rest.lstrip("…") == "a\n" * 50


def test_hidden_characters_are_noticed() -> None:
    assert hides_something("a\u200b")
    assert not hides_something("a\nb é 世界")
