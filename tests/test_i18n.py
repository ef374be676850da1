"""A sentence is made in the language of the context, and lists have the commas of that language."""

from __future__ import annotations

import json

import pytest

from tests.toy_language import Loud
from webclient.domain.i18n import Deferred, listed, one_of, sentences, speaking
from webclient.domain.languages import translations


def test_a_deferred_sentence_is_translated_when_it_is_written() -> None:
    inner = Deferred("The file {path} is too large.", path="a.txt")
    sentence = Deferred('"{key}": {wrong}', key="env", wrong=ValueError(inner))
    assert str(sentence) == '"env": The file a.txt is too large.'
    with speaking(Loud()):
        assert f"{sentence}" == '"env": THE FILE a.txt IS TOO LARGE.'
        assert "{}".format(sentence) == str(sentence)  # noqa: UP032  (as sentences are filled)


def test_a_deferred_sentence_is_stored_in_english() -> None:
    with speaking(Loud()):
        assert json.dumps(Deferred("Use {names}.", names="a")) == '"Use a."'


@pytest.mark.parametrize(
    ("language", "written"),
    [("en", ["a, b, c", "a, b or c", "One. Two."]), ("zh-Hans", ["a、b、c", "a、b或c", "One.Two."])],
)
def test_lists_have_the_commas_of_the_language(language: str, written: list[str]) -> None:
    with speaking(translations(language)):
        assert [listed("abc"), one_of("abc"), sentences(["One.", "Two."])] == written


def test_short_lists_have_no_commas() -> None:
    assert (listed([]), listed("a"), one_of("a"), one_of("ab")) == ("", "a", "a", "a or b")
