"""Headers that cannot be sent are refused when they are read, by a sentence that has no value in it."""

from __future__ import annotations

import pytest

from tests.tables import each_row
from webclient.domain.transport_rules import LONGEST_VALUE, wrong_header


@pytest.mark.parametrize("value", ["", "x", "Bearer a.b-c_d/e+f=", "two words", "a\tb", '"quoted"; q=1'])
def test_values_of_visible_ascii_are_sent(value: str) -> None:
    assert wrong_header({"Authorization": value}) is None


@each_row(
    "value",
    [
        "s3same\n",
        "s3same\r\n",
        "s3\nsame",
        "s3same\r\nHost: evil",
        " s3same",
        "s3same ",
        "s3same\0",
        "s3samé",
        "s3same\x7f",
        "s3same" * LONGEST_VALUE,
    ],
)
def test_other_values_are_refused_and_not_repeated(value: str) -> None:
    sentence = wrong_header({"X-Good": "1", "X-Key": value})
    assert sentence
    assert "X-Key" in sentence
    assert "s3" not in sentence


@each_row("name", ["", "A b", "A:", "Ä", "A\n", "{x}", "content-length", "Transfer-Encoding", "Connection"])
def test_other_names_than_tokens_are_refused(name: str) -> None:
    assert wrong_header({name: "s3same"})
