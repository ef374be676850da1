"""The tile of a server is made of its label alone."""

from __future__ import annotations

import re

import pytest

from webclient.support.paths import STATIC
from webclient.web.http.filters import COLORS, monogram, tile_color


@pytest.mark.parametrize(
    ("label", "letter"),
    [("Billing", "B"), ("deploy", "D"), ("“Quoted”", "Q"), ("人事", "人"), ("ßharp", "S"), ("—", "?")],
)
def test_the_monogram_is_the_first_letter_or_digit(label: str, letter: str) -> None:
    assert monogram(label) == letter


def test_a_label_keeps_its_color_and_labels_use_all_of_them() -> None:
    assert tile_color("Billing") == 6
    assert {tile_color(f"server {n}") for n in range(100)} == set(range(COLORS))
    assert tile_color("\ud800") in range(COLORS)


def test_each_color_is_in_the_style_sheets() -> None:
    tokens = (STATIC / "css" / "tokens.css").read_text("utf-8")
    lists = (STATIC / "css" / "lists.css").read_text("utf-8")
    numbers = {str(n) for n in range(COLORS)}
    assert set(re.findall(r"--color-tile-(\d+):", tokens)) == numbers
    assert set(re.findall(r"\.tile--(\d+) \{", lists)) == numbers
