"""A sealed text opens with its key, for its row, and otherwise not at all."""

from __future__ import annotations

import pytest

from tests.tables import each_row
from webclient.store.database.sealing import LostKeyError, Sealer

ROW = ("grants", "ada", "s1")
OLD, NEW = {"k1": b"1" * 32}, {"k2": b"2" * 32}


def test_a_sealed_text_opens_for_its_row_and_shows_nothing() -> None:
    sealed = Sealer(OLD).seal({"access": "correct horse"}, *ROW)
    assert "horse" not in sealed
    assert Sealer(OLD).open(sealed, *ROW) == {"access": "correct horse"}


def test_equal_values_have_different_seals() -> None:
    sealer = Sealer(OLD)
    assert sealer.seal({}, *ROW) != sealer.seal({}, *ROW)


@pytest.mark.parametrize(
    "row", [("grants", "bob", "s1"), ("grants", "ada", "s2"), ("other", "ada", "s1"), ("grants", "ada")]
)
def test_a_text_in_another_row_does_not_open(row: tuple[str, ...]) -> None:
    sealed = Sealer(OLD).seal({"access": "a-1"}, *ROW)
    with pytest.raises(LostKeyError):
        Sealer(OLD).open(sealed, *row)


def test_parts_of_a_row_are_not_mistaken_for_each_other() -> None:
    sealed = Sealer(OLD).seal({"access": "a-1"}, "grants", "a/b", "c")
    with pytest.raises(LostKeyError):
        Sealer(OLD).open(sealed, "grants", "a", "b/c")


@each_row("sealed", ["", "k1", "k1.", "k1.AAAA", "k1.ä", "k1.!", "other.AAAA", "k1." + "A" * 80, "."])
def test_a_text_that_no_key_sealed_does_not_open(sealed: str) -> None:
    with pytest.raises(LostKeyError):
        Sealer(OLD).open(sealed, *ROW)


def test_each_changed_character_is_noticed() -> None:
    sealed = Sealer(OLD).seal({"access": "a-1"}, *ROW)
    for at in range(len("k1."), len(sealed)):
        changed = sealed[:at] + ("A" if sealed[at] != "A" else "B") + sealed[at + 1 :]
        if at == len(sealed.rstrip("=")) - 1 or sealed[at] == "=":
            continue  # Base64 ignores some bits at its end.
        with pytest.raises(LostKeyError):
            Sealer(OLD).open(changed, *ROW)


def test_the_first_key_seals_and_all_open() -> None:
    sealed = Sealer(OLD).seal({"n": 1}, *ROW)
    both = Sealer(NEW | OLD)
    assert both.open(sealed, *ROW) == {"n": 1}
    assert not both.is_newest(sealed)
    assert both.is_newest(both.seal({"n": 1}, *ROW))
    with pytest.raises(LostKeyError):
        Sealer(NEW).open(sealed, *ROW)
